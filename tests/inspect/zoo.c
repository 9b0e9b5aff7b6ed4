/* SPDX-License-Identifier: MIT
 *
 * zoo.c - a process with workers in every state, for those who look at it from outside.
 *
 *     zoo stop            calls look_here() when everybody is where he should be: for a breakpoint
 *     zoo crash           ends by SIGSEGV there, in a worker
 *     zoo stay            prints "ready" and stays so until its standard input ends
 *     zoo stay N          the same with N more workers, each of which waits for an event
 *     zoo kernel          as stay, with workers that block in bare system calls and pthread mutexes
 *     zoo deadlock        as stay; two workers want each other's critical section
 *     zoo scheduler       as stay; the scheduler wants a critical section that its own worker has
 *     zoo spin            as stay; a worker computes and does not yield, another could run
 *     zoo yields          a worker that yields a hundred thousand times before the process ends by exit
 *     zoo unseen          the same with one that waits in a system call that nobody sees
 *
 * Each worker is named after what it does. Those who yield are not executed any more.
 */
#include <windows.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 20000 };

static PUMS_COMPLETION_LIST list;
static HANDLE dawn, never, port;
static CRITICAL_SECTION section, other_section;
static SRWLOCK lock = SRWLOCK_INIT;
static HANDLE mutex;
static pthread_mutex_t posix_mutex = PTHREAD_MUTEX_INITIALIZER;
static int pipe_ends[2];
static volatile LONG address_word;
static const char *what;
static void *volatile nowhere;
static __thread volatile int own_number;
static volatile int looked;
static volatile int ready_said; /* everybody is where he should be */

void look_here(int number);

__attribute__((noinline)) void look_here(int number)
{
    looked = number;
    __asm__ volatile("" ::: "memory");
}

static void check(int good, const char *call)
{
    if (good)
        return;
    fprintf(stderr, "zoo: %s failed, last error %lu\n", call, (unsigned long)GetLastError());
    exit(1);
}

/* ---- Workers ------------------------------------------------------------------------------------- */

static void sleeper(void)
{
    Sleep(3600000);
}

static void event_waiter(void)
{
    WaitForSingleObject(dawn, INFINITE);
}

static void many_waiter(void)
{
    HANDLE both[2] = {dawn, mutex};
    WaitForMultipleObjects(2, both, TRUE, 3600000);
}

static void reader(void)
{
    char buffer[16];
    ssize_t n = read(pipe_ends[0], buffer, sizeof buffer);
    (void)n;
}

static void section_holder(void)
{
    EnterCriticalSection(&section);
    UmsThreadYield(NULL);
}

static void section_wanter(void)
{
    EnterCriticalSection(&section);
}

static void lock_holder(void)
{
    AcquireSRWLockExclusive(&lock);
    UmsThreadYield(NULL);
}

static void lock_wanter(void)
{
    AcquireSRWLockShared(&lock);
}

static void mutex_holder(void)
{
    WaitForSingleObject(mutex, INFINITE);
    UmsThreadYield(NULL);
}

static void mutex_wanter(void)
{
    WaitForSingleObject(mutex, INFINITE);
}

static void address_waiter(void)
{
    LONG zero = 0;
    WaitOnAddress(&address_word, &zero, sizeof zero, INFINITE);
}

static void packet_waiter(void)
{
    DWORD bytes;
    ULONG_PTR key;
    OVERLAPPED *overlapped;
    GetQueuedCompletionStatus(port, &bytes, &key, &overlapped, INFINITE);
}

static __attribute__((noinline)) int descend(volatile int depth)
{
    volatile char marker[16] = "at the bottom";
    volatile int twice = 2 * depth;
    if (depth == 3) {
        UmsThreadYield(NULL);
        return marker[0];
    }
    return descend(depth + 1) + twice;
}

static void yielder(void)
{
    own_number = 4711;
    descend(0);
}

static void ends(void)
{
}

/* The instruction itself: libc's syscall() would have the worker leave in user mode. */
static void bare_sleeper(void)
{
    struct timespec hour = {3600, 0};
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_nanosleep), "D"(&hour), "S"(NULL)
                     : "rcx", "r11", "memory");
    (void)result;
}

static void posix_holder(void)
{
    pthread_mutex_lock(&posix_mutex);
    UmsThreadYield(NULL);
}

static void posix_wanter(void)
{
    pthread_mutex_lock(&posix_mutex);
}

static void first_crossed(void)
{
    EnterCriticalSection(&section);
    UmsThreadYield(&section);
    EnterCriticalSection(&other_section);
}

static void second_crossed(void)
{
    EnterCriticalSection(&other_section);
    UmsThreadYield(&section);
    EnterCriticalSection(&section);
}

static void spinner(void)
{
    ready_said = 1;
    for (;;)
        looked++;
}

static void yields(void)
{
    for (int i = 0; i < 100000; i++)
        UmsThreadYield(&section);
    ready_said = 1;
    WaitForSingleObject(never, INFINITE);
}

/* To close a socket that lingers takes until the other end has read. */
static void unseen(void)
{
    static char data[65536];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    struct linger linger = {1, 20};
    int listener = socket(AF_INET, SOCK_STREAM, 0), end = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1) == 0 &&
              getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
              connect(end, (struct sockaddr *)&address, length) == 0 &&
              setsockopt(end, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0,
          "a connection");
    while (send(end, data, sizeof data, MSG_DONTWAIT) > 0)
        ;
    ready_said = 1;
    close(end);
}

/* The last to run. */
static void runner(void)
{
    look_here(42);
    if (strcmp(what, "crash") == 0)
        *(volatile int *)nowhere = 1;
    WaitForSingleObject(never, INFINITE);
}

struct role {
    const char *name;
    void (*run)(void);
};

static const struct role everybody[] = {
    {"sleeper", sleeper},
    {"event waiter", event_waiter},
    {"mutex holder", mutex_holder},
    {"many waiter", many_waiter},
    {"reader", reader},
    {"section holder", section_holder},
    {"section wanter", section_wanter},
    {"lock holder", lock_holder},
    {"lock wanter", lock_wanter},
    {"mutex wanter", mutex_wanter},
    {"address waiter", address_waiter},
    {"packet waiter", packet_waiter},
    {"yielder", yielder},
    {"ends", ends},
};
static const struct role kernel[] = {
    {"bare sleeper", bare_sleeper},
    {"posix holder", posix_holder},
    {"posix wanter", posix_wanter},
};
static const struct role deadlock[] = {
    {"first crossed", first_crossed},
    {"second crossed", second_crossed},
};
static const struct role spin[] = {{"yielder", yielder}, {"spinner", spinner}};
static const struct role yielding[] = {{"yields", yields}};
static const struct role asleep[] = {{"yielder", yielder}, {"unseen", unseen}};
static const struct role holder[] = {{"section holder", section_holder}};
static const struct role waiter = {"one of many", event_waiter};
static const struct role last = {"runner", runner};

static DWORD WINAPI worker_main(LPVOID param)
{
    const struct role *role = param;
    role->run();
    return 0;
}

/* ---- The scheduler --------------------------------------------------------------------------------- */

static PUMS_CONTEXT ready[MOST];
static int first_ready, end_ready;
static PUMS_CONTEXT last_context;
static int arrivals, workers;

/* The newest comes first on a list; here the oldest goes first. */
static void take_arrivals(PUMS_CONTEXT context)
{
    static PUMS_CONTEXT chain[MOST];
    int count = 0;
    for (; context; context = GetNextUmsListItem(context))
        chain[count++] = context;
    while (count) {
        BOOLEAN terminated = FALSE;
        context = chain[--count];
        QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof terminated,
                                  NULL);
        if (context != last_context && !terminated)
            ready[end_ready++ % MOST] = context;
        arrivals += !terminated;
    }
}

static VOID WINAPI scheduler(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PUMS_CONTEXT context;
    if (reason == UmsSchedulerThreadYield && param == &section)
        ready[end_ready++ % MOST] = (PUMS_CONTEXT)payload; /* this one goes on */
    for (;;) {
        bool settled =
            first_ready == end_ready && arrivals >= workers && strcmp(what, "yields") != 0;
        if (settled && last_context) {
            PUMS_CONTEXT run = last_context;
            last_context = NULL;
            ExecuteUmsThread(run);
        }
        if (settled && !ready_said) {
            ready_said = 1;
            if (strcmp(what, "scheduler") == 0)
                EnterCriticalSection(&section);
        }
        if (!DequeueUmsCompletionListItems(list, first_ready == end_ready ? INFINITE : 0, &context))
            return;
        take_arrivals(context);
        if (first_ready != end_ready)
            ExecuteUmsThread(ready[first_ready++ % MOST]);
    }
}

/* ---- The process ------------------------------------------------------------------------------------- */

static PUMS_CONTEXT create(const struct role *role)
{
    _Alignas(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof room;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {.UmsVersion = UMS_VERSION, .UmsCompletionList = list};
    PUMS_CONTEXT context;
    WCHAR name[32];
    size_t i = 0;
    check(CreateUmsThreadContext(&context), "CreateUmsThreadContext");
    ums.UmsContext = context;
    check(InitializeProcThreadAttributeList(attributes, 1, 0, &size) &&
              UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                        sizeof ums, NULL, NULL),
          "the attribute list");
    if (role == &last)
        last_context = context;
    HANDLE thread =
        CreateRemoteThreadEx(GetCurrentProcess(), NULL, 65536, worker_main, (void *)role,
                             STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, NULL);
    check(thread != NULL, "CreateRemoteThreadEx");
    for (; role->name[i]; i++)
        name[i] = (WCHAR)role->name[i];
    name[i] = 0;
    if (role != &waiter)
        SetThreadDescription(thread, name);
    CloseHandle(thread);
    workers++;
    return context;
}

static DWORD WINAPI scheduler_main(LPVOID param)
{
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, list, scheduler, param};
    static const WCHAR name[] = {'b', 'o', 's', 's', 0};
    SetThreadDescription(GetCurrentThread(), name);
    check(EnterUmsSchedulingMode(&info), "EnterUmsSchedulingMode");
    return 0;
}

#define CREATE_ALL(roles)                                                                          \
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)                                      \
    create(&roles[i])

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "stay";
    int more = argc > 2 ? atoi(argv[2]) : 0;
    bool with_last = false;
    InitializeCriticalSection(&section);
    InitializeCriticalSection(&other_section);
    dawn = CreateEventA(NULL, TRUE, FALSE, "dawn");
    never = CreateEventA(NULL, FALSE, FALSE, NULL);
    mutex = CreateMutexA(NULL, FALSE, "treasure");
    port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    check(dawn && never && mutex && port && pipe(pipe_ends) == 0, "making an object");
    check(CreateUmsCompletionList(&list), "CreateUmsCompletionList");
    if (strcmp(what, "kernel") == 0) {
        CREATE_ALL(kernel);
        with_last = true;
    } else if (strcmp(what, "deadlock") == 0) {
        CREATE_ALL(deadlock);
    } else if (strcmp(what, "scheduler") == 0) {
        CREATE_ALL(holder);
    } else if (strcmp(what, "spin") == 0) {
        CREATE_ALL(spin);
    } else if (strcmp(what, "yields") == 0) {
        CREATE_ALL(yielding);
    } else if (strcmp(what, "unseen") == 0) {
        CREATE_ALL(asleep);
    } else {
        CREATE_ALL(everybody);
        with_last = true;
    }
    for (int i = 0; i < more && i < MOST - 100; i++)
        create(&waiter);
    if (with_last)
        create(&last);
    check(CreateThread(NULL, 0, scheduler_main, NULL, 0, NULL) != NULL, "CreateThread");
    for (int waited = 0; !ready_said; waited++) {
        check(waited < 25000, "getting everybody to his place");
        usleep(1000);
    }
    if (strcmp(what, "stop") == 0)
        _exit(0);
    usleep(20000); /* the scheduler said so on its way to where it waits */
    printf("ready\n");
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) > 0)
        ;
    exit(0);
}
