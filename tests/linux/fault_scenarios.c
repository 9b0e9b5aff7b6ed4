/* SPDX-License-Identifier: MIT
 *
 * fault_scenarios.c - programs that run while one of the library's requests fails.
 */
#include "fault_scenarios.h"

#include <windows.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- A scheduler ---- */

enum { MOST = 8 };

static struct {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT contexts[MOST], ready[MOST];
    HANDLE threads[MOST];
    int made, ended, waiting;
} stage;

static void collect(DWORD milliseconds)
{
    PUMS_CONTEXT context;

    if (!DequeueUmsCompletionListItems(stage.list, milliseconds, &context)) {
        if (GetLastError() != ERROR_TIMEOUT)
            wrong("DequeueUmsCompletionListItems", 0, (long)GetLastError());
        return;
    }
    for (; context; context = GetNextUmsListItem(context))
        stage.ready[stage.waiting++] = context;
}

static VOID NTAPI entry(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadYield)
        stage.ready[stage.waiting++] = (PUMS_CONTEXT)param;
    while (stage.ended < stage.made) {
        BOOLEAN over = FALSE;
        PUMS_CONTEXT next;

        collect(stage.waiting ? 0 : LIMIT_MS / 3);
        if (!stage.waiting)
            wrong("the list stays empty", stage.ended, stage.made);
        next = stage.ready[0];
        memmove(stage.ready, stage.ready + 1, sizeof *stage.ready * (size_t)--stage.waiting);
        if (QueryUmsThreadInformation(next, UmsThreadIsTerminated, &over, sizeof over, NULL) &&
            over) {
            stage.ended++;
            continue;
        }
        ExecuteUmsThread(next);
        if (GetLastError() != ERROR_RETRY)
            wrong("ExecuteUmsThread", 0, (long)GetLastError());
        stage.ready[stage.waiting++] = next;
    }
}

static bool worker(LPTHREAD_START_ROUTINE routine, void *arg)
{
    int n = stage.made;
    SIZE_T bytes = 0;
    LPPROC_THREAD_ATTRIBUTE_LIST list;
    UMS_CREATE_THREAD_ATTRIBUTES attributes = {UMS_VERSION, NULL, stage.list};

    if (!MADE(CreateUmsThreadContext(&stage.contexts[n])))
        return false;
    attributes.UmsContext = stage.contexts[n];
    InitializeProcThreadAttributeList(NULL, 1, 0, &bytes);
    list = malloc(bytes);
    if (!InitializeProcThreadAttributeList(list, 1, 0, &bytes) ||
        !UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &attributes,
                                   sizeof attributes, NULL, NULL))
        wrong("attributes", 0, (long)GetLastError());
    stage.threads[n] =
        CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, routine, arg, 0, list, NULL);
    DeleteProcThreadAttributeList(list);
    free(list);
    if (!MADE(stage.threads[n] != NULL)) {
        if (!DeleteUmsThreadContext(stage.contexts[n]))
            wrong("DeleteUmsThreadContext", 0, (long)GetLastError());
        return false;
    }
    stage.made++;
    return true;
}

/* Runs the workers that could be made, to their ends. */
static bool run(void)
{
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, stage.list, entry, NULL};
    bool entered = MADE(EnterUmsSchedulingMode(&info));

    if (!entered)
        return false; /* its workers stay as they are */
    for (int i = 0; i < stage.made; i++) {
        if (WaitForSingleObject(stage.threads[i], LIMIT_MS) != WAIT_OBJECT_0)
            wrong("a worker's thread", i, (long)GetLastError());
        CloseHandle(stage.threads[i]);
        if (!DeleteUmsThreadContext(stage.contexts[i]))
            wrong("DeleteUmsThreadContext", i, (long)GetLastError());
    }
    if (!DeleteUmsCompletionList(stage.list))
        wrong("DeleteUmsCompletionList", 0, (long)GetLastError());
    return true;
}

static bool prepare(void)
{
    memset(&stage, 0, sizeof stage);
    return MADE(CreateUmsCompletionList(&stage.list));
}

/* ---- Scenarios: false when a call was refused ---- */

static DWORD WINAPI yields(LPVOID param)
{
    PUMS_CONTEXT self = GetCurrentUmsThread();

    for (int i = 0; i < 3; i++)
        UmsThreadYield(self);
    return (DWORD)(ULONG_PTR)param;
}

bool hello(void)
{
    bool all = prepare();

    for (int i = 0; all && i < 3; i++)
        all = worker(yields, NULL) && all;
    return stage.list && run() && all;
}

static int pipes[2][2], pair[2];
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int turn;

static DWORD WINAPI reads(LPVOID param)
{
    char byte = 0;
    struct pollfd poll_for = {.fd = pair[1], .events = POLLIN};

    for (int i = 0; i < 3; i++) {
        RIGHT(read(pipes[0][0], &byte, 1), 1);
        RIGHT(byte, 'a' + i);
        RIGHT(write(pipes[1][1], &byte, 1), 1);
    }
    RIGHT(poll(&poll_for, 1, LIMIT_MS), 1);
    RIGHT(recv(pair[1], &byte, 1, 0), 1);
    RIGHT(sem_post(&semaphore), 0);
    pthread_mutex_lock(&mutex);
    while (turn == 0)
        RIGHT(pthread_cond_wait(&condition, &mutex), 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static DWORD WINAPI writes(LPVOID param)
{
    struct timespec moment = {0, 2000000};
    char byte;

    for (int i = 0; i < 3; i++) {
        byte = (char)('a' + i);
        RIGHT(write(pipes[0][1], &byte, 1), 1);
        RIGHT(read(pipes[1][0], &byte, 1), 1);
    }
    RIGHT(nanosleep(&moment, NULL), 0);
    RIGHT(send(pair[0], &byte, 1, 0), 1);
    RIGHT(sem_wait(&semaphore), 0);
    pthread_mutex_lock(&mutex);
    turn = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *writes_too(void *arg)
{
    writes(arg);
    return NULL;
}

bool blocks(void)
{
    pthread_t other;
    bool all;

    if (pipe(pipes[0]) || pipe(pipes[1]) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        wrong("descriptors", 0, errno);
    sem_init(&semaphore, 0, 0);
    turn = 0;
    all = prepare() && worker(reads, NULL) && worker(yields, NULL);
    /* A plain thread writes, too. Where the library cannot detect blocks the reader keeps the
     * scheduler, and no worker could write. */
    if (stage.made && pthread_create(&other, NULL, writes_too, NULL)) /* through the library */
        return false;
    return stage.list && run() && all;
}

static HANDLE event, timer, port;

static VOID CALLBACK on_work(PTP_CALLBACK_INSTANCE instance, PVOID param)
{
    while (!MADE(SetEvent((HANDLE)param))) /* the pool's thread may be new to the dispatcher */
        ;
}

static DWORD WINAPI plain(LPVOID param)
{
    return WaitForSingleObject((HANDLE)param, LIMIT_MS) == WAIT_OBJECT_0 ? 7 : 8;
}

static DWORD WINAPI uses_objects(LPVOID param)
{
    LARGE_INTEGER soon = {.QuadPart = -10000};
    DWORD bytes, code = 0;
    ULONG_PTR key;
    LPOVERLAPPED about;
    HANDLE both[2] = {event, timer}, thread;
    DWORD slot = TlsAlloc();

    if (MADE(TrySubmitThreadpoolCallback(on_work, event, NULL)))
        RIGHT(WaitForSingleObject(event, LIMIT_MS), WAIT_OBJECT_0);
    SetEvent(event);
    if (MADE(SetWaitableTimer(timer, &soon, 0, NULL, NULL, FALSE)))
        RIGHT(WaitForMultipleObjects(2, both, TRUE, LIMIT_MS), WAIT_OBJECT_0);
    if (port && MADE(PostQueuedCompletionStatus(port, 3, 4, NULL))) {
        RIGHT(GetQueuedCompletionStatus(port, &bytes, &key, &about, LIMIT_MS), TRUE);
        RIGHT(bytes == 3 && key == 4, TRUE);
    }
    thread = CreateThread(NULL, 0, plain, event, 0, NULL);
    if (MADE(thread != NULL)) {
        SetEvent(event);
        RIGHT(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
        RIGHT(GetExitCodeThread(thread, &code), TRUE);
        RIGHT(code, 7);
        CloseHandle(thread);
    }
    if (slot != TLS_OUT_OF_INDEXES && MADE(TlsSetValue(slot, &slot)))
        RIGHT(TlsGetValue(slot) == &slot, TRUE);
    Sleep(1);
    return 0;
}

bool objects(void)
{
    bool all;

    if (!MADE((event = CreateEventA(NULL, FALSE, FALSE, NULL)) != NULL) ||
        !MADE((timer = CreateWaitableTimerA(NULL, FALSE, NULL)) != NULL))
        return false;
    all = MADE((port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1)) != NULL);
    if (!prepare())
        return false;
    return worker(uses_objects, NULL) && run() && all;
}

static atomic_int handled;

static void on_signal(int number)
{
    atomic_fetch_add(&handled, 1);
}

static DWORD WINAPI forks(LPVOID param)
{
    int status = -1;
    pid_t child;

    RIGHT(raise(SIGUSR1), 0);
    RIGHT(atomic_load(&handled), 1);
    child = fork();
    if (child < 0) {
        if (errno != EAGAIN && errno != ENOMEM)
            wrong("fork", child, errno);
        return 0;
    }
    if (child == 0)
        _exit(5);
    RIGHT(waitpid(child, &status, 0), child);
    RIGHT(WIFEXITED(status) && WEXITSTATUS(status) == 5, 1);
    return 0;
}

static void *joined(void *arg)
{
    return arg;
}

static DWORD WINAPI makes_threads(LPVOID param)
{
    pthread_t thread;
    void *result = NULL;
    int error = pthread_create(&thread, NULL, joined, &handled);

    if (error == EAGAIN || error == ENOMEM)
        return 0;
    RIGHT(error, 0);
    RIGHT(pthread_join(thread, &result), 0);
    RIGHT(result == &handled, 1);
    return 0;
}

bool processes(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    bool all;

    sigaction(SIGUSR1, &action, NULL);
    if (!prepare())
        return false;
    all = worker(forks, NULL);
    all = worker(makes_threads, NULL) && all;
    return run() && all;
}

static void *fiber_home;

static VOID WINAPI in_fiber(LPVOID param)
{
    *(int *)param += 1;
    SwitchToFiber(fiber_home);
}

static DWORD WINAPI uses_memory(LPVOID param)
{
    char path[] = "/tmp/fault-points-XXXXXX", text[8] = "";
    int fd = mkstemp(path), runs = 0;
    HANDLE file, section;
    DWORD moved = 0;
    void *block, *fiber;

    RIGHT(write(fd, "content", 7), 7);
    close(fd);
    file = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    if (MADE(file != INVALID_HANDLE_VALUE)) {
        RIGHT(ReadFile(file, text, 7, &moved, NULL), TRUE);
        RIGHT(moved, 7);
        CloseHandle(file);
    }
    unlink(path);
    section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 4096, NULL);
    if (MADE(section != NULL)) {
        block = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, 0);
        if (MADE(block != NULL)) {
            *(char *)block = 1;
            RIGHT(UnmapViewOfFile(block), TRUE);
        }
        CloseHandle(section);
    }
    block = VirtualAlloc(NULL, 1 << 16, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (MADE(block != NULL)) {
        *(char *)block = 1;
        RIGHT(VirtualFree(block, 0, MEM_RELEASE), TRUE);
    }
    fiber_home = ConvertThreadToFiber(NULL);
    if (MADE(fiber_home != NULL)) {
        fiber = CreateFiber(0, in_fiber, &runs);
        if (MADE(fiber != NULL)) {
            SwitchToFiber(fiber);
            RIGHT(runs, 1);
            DeleteFiber(fiber);
        }
        RIGHT(ConvertFiberToThread(), TRUE);
    }
    return 0;
}

bool memory(void)
{
    return prepare() && worker(uses_memory, NULL) && run();
}
