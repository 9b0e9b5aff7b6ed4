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
 *     zoo fresh           as stay; a worker computes, two others were dequeued and never executed
 *     zoo starve          as stay; a worker yields for ever and is executed, another one is not
 *     zoo fault           as stay, with a worker in a page fault, which UMSSHIM_FAULTS=1 lets the library see; ends
 *                         with status 77 and says why where there is no such page to be had
 *     zoo yields          a worker that yields a hundred thousand times before the process ends by exit
 *     zoo yields N        the same with N yields, and says how long one took; N is more than 1,000
 *     zoo yields leave    the same, and it ends by _exit
 *     zoo yields fork     the same, and before its end it forks a child that uses UMS, and ends first
 *     zoo unseen          the same with one that waits in a system call that nobody sees
 *
 * Each worker is named after what it does. Those who yield are not executed any more.
 */
#include <windows.h>

#include "own_name.h"
#include "roles.h"
#include "slow_page.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 20000 };

static PUMS_COMPLETION_LIST list;
static const char *what;

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
        if (strcmp(what, "fresh") == 0 && arrivals < workers)
            continue; /* all are ready before the first runs */
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

static void create_all(const struct role *roles)
{
    for (; roles->name; roles++)
        create(roles);
}

static void fork_child(void)
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        check(CreateUmsCompletionList(&list), "CreateUmsCompletionList");
        create(&waiter);
        exit(0);
    }
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child");
}

static volatile long turns;
static volatile int over;

static DWORD WINAPI turn(LPVOID unused)
{
    while (!over)
        turns++;
    return 0;
}

/* A running thread is suspended and resumed. */
static int suspends(void)
{
    HANDLE thread = CreateThread(NULL, 0, turn, NULL, 0, NULL);
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};

    for (int i = 0; i < 3; i++) {
        while (!turns)
            Sleep(1);
        check(SuspendThread(thread) == 0, "SuspendThread");
        check(GetThreadContext(thread, &context), "GetThreadContext"); /* it stands still */
        turns = 0;
        Sleep(20);
        check(turns == 0, "it stands still");
        check(ResumeThread(thread) == 1, "ResumeThread");
    }
    over = 1;
    check(WaitForSingleObject(thread, 10000) == WAIT_OBJECT_0, "its end");
    printf("suspended and resumed\n");
    return 0;
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "stay";
    int more = argc > 2 ? atoi(argv[2]) : 0;
    bool with_last = false;
    if (strcmp(what, "suspends") == 0)
        return suspends();
    if (strcmp(what, "yields") == 0 && more > 1000) {
        yields_wanted = more;
        more = 0;
    }
    crashes = strcmp(what, "crash") == 0;
    const char *refusal = strcmp(what, "fault") == 0 ? slow_page_make() : NULL;
    if (refusal) {
        printf("%s\n", refusal);
        return 77;
    }
    /* The engine's threads are there before the program uses UMS: watch and trace begin later. */
    check(!CancelSynchronousIo(GetCurrentThread()), "nothing to cancel");
    InitializeCriticalSection(&section);
    InitializeCriticalSection(&other_section);
    const bool named = strcmp(what, "yields") != 0; /* that may have a limit for files */
    dawn = CreateEventA(NULL, TRUE, FALSE, named ? OWN_NAME("dawn") : NULL);
    never = CreateEventA(NULL, FALSE, FALSE, NULL);
    mutex = CreateMutexA(NULL, FALSE, named ? OWN_NAME("treasure") : NULL);
    port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    check(dawn && never && mutex && port && pipe(pipe_ends) == 0, "making an object");
    check(CreateUmsCompletionList(&list), "CreateUmsCompletionList");
    if (strcmp(what, "kernel") == 0) {
        create_all(kernel);
        with_last = true;
    } else if (strcmp(what, "deadlock") == 0) {
        create_all(deadlock);
    } else if (strcmp(what, "scheduler") == 0) {
        create_all(holder);
    } else if (strcmp(what, "spin") == 0) {
        create_all(spin);
    } else if (strcmp(what, "fresh") == 0) {
        create_all(fresh);
    } else if (strcmp(what, "starve") == 0) {
        create_all(starve);
    } else if (strcmp(what, "yields") == 0) {
        create_all(yielding);
    } else if (strcmp(what, "fault") == 0) {
        create_all(fault);
        with_last = true;
    } else if (strcmp(what, "unseen") == 0) {
        create_all(asleep);
    } else {
        create_all(everybody);
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
    if (yields_wanted != YIELDS)
        printf("%.2f\n", (double)yields_took / (double)yields_wanted);
    usleep(20000); /* the scheduler said so on its way to where it waits */
    printf("ready\n");
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) > 0)
        ;
    if (argc > 2 && strcmp(argv[2], "leave") == 0)
        _exit(0);
    if (argc > 2 && strcmp(argv[2], "fork") == 0)
        fork_child();
    exit(0);
}
