/* SPDX-License-Identifier: MIT
 *
 * main_as_worker.c - any program's main as the routine of a UMS worker.
 *
 * Two ways to get in front of main: linked with -Wl,--wrap=main (the program is compiled as it is and
 * linked with the library), or preloaded (a program that exists already; libumsshim.so is preloaded
 * as well). UMSSHIM_MAIN_AS says what main runs in:
 *
 *   main     the main thread, as if this file were not there
 *   thread   a thread made by pthread_create
 *   worker   a worker; the main thread is its scheduler. The default
 *   busy     a worker, beside two more that yield all the time
 *
 * The thread that waits for a plain thread holds all signals back; a scheduler does so only with
 * UMSSHIM_MAIN_HOLDS set: then a signal of the process can go to nobody but its workers.
 *
 * The process ends with main's result. If main ends its thread by pthread_exit the main thread does
 * the same, so the process lives until its last thread is gone. A thread or worker that cannot be
 * had is exit status 97, with a line on stderr that says why.
 */
#include <windows.h>

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NO_THREAD = 97, BESIDE = 2, WORKERS = 1 + BESIDE };

typedef int main_function(int, char **, char **);

static struct {
    main_function *fn;
    int argc;
    char **argv;
    char **envp;
    int result;
    atomic_bool returned; /* by return, not by pthread_exit */
} program;

static _Noreturn void give_up(const char *what, const char *why)
{
    fprintf(stderr, "main_as_worker: %s: %s\n", what, why);
    _exit(NO_THREAD);
}

static _Noreturn void give_up_win32(const char *what)
{
    char why[32];
    snprintf(why, sizeof why, "error %lu", (unsigned long)GetLastError());
    give_up(what, why);
}

static void run_main(void)
{
    program.result = program.fn(program.argc, program.argv, program.envp);
    atomic_store(&program.returned, true);
}

/* A thread of a size that programs written for the main thread are content with. */
static SIZE_T stack_size(void)
{
    struct rlimit limit;
    SIZE_T bytes = 8u << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    return bytes;
}

static sigset_t mains_mask;

/* Signals of the process are main's, wherever it runs: no other thread has them open. */
static void hold_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mains_mask);
}

/* ---- A plain thread ------------------------------------------------------------------------------ */

static sem_t thread_over; /* not a join: main may have itself joined, or detach itself */

static void tell_over(void *unused)
{
    sem_post(&thread_over);
}

static void *thread_main(void *unused)
{
    pthread_sigmask(SIG_SETMASK, &mains_mask, NULL);
    pthread_cleanup_push(tell_over, NULL);
    run_main();
    pthread_cleanup_pop(1);
    return unused;
}

static void run_in_thread(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    sem_init(&thread_over, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, stack_size());
    hold_signals(); /* before main runs, and sends some */
    int error = pthread_create(&thread, &attr, thread_main, NULL);
    if (error)
        give_up("pthread_create", strerror(error));
    while (sem_wait(&thread_over))
        ;
}

/* ---- A worker -------------------------------------------------------------------------------------- */

static PUMS_COMPLETION_LIST list;
static PUMS_CONTEXT contexts[WORKERS];
static PUMS_CONTEXT ready[WORKERS]; /* first in, first out; the scheduler's alone */
static unsigned first_ready, end_ready;
static int workers, ended;
static atomic_bool main_gone;

static DWORD WINAPI worker_main(LPVOID unused)
{
    run_main();
    return 0;
}

/* With every signal blocked, as a program's helper threads are: what main blocks is to stay pending. */
static DWORD WINAPI yields(LPVOID unused)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!atomic_load(&main_gone))
        UmsThreadYield(NULL);
    return 0;
}

static VOID WINAPI scheduler(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadYield)
        ready[end_ready++ % WORKERS] = (PUMS_CONTEXT)payload;
    for (;;) {
        PUMS_CONTEXT context;
        if (!DequeueUmsCompletionListItems(list, first_ready == end_ready ? INFINITE : 0, &context))
            give_up_win32("DequeueUmsCompletionListItems");
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);
            BOOLEAN terminated = FALSE;
            if (!QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated,
                                           sizeof terminated, NULL))
                give_up_win32("QueryUmsThreadInformation");
            if (!terminated) {
                ready[end_ready++ % WORKERS] = context;
            } else {
                ended++;
                if (context == contexts[0])
                    atomic_store(&main_gone, true);
            }
            context = next;
        }
        if (ended == workers)
            return;
        while (first_ready != end_ready) {
            context = ready[first_ready++ % WORKERS];
            ExecuteUmsThread(context);
            if (GetLastError() != ERROR_RETRY)
                give_up_win32("ExecuteUmsThread");
            ready[end_ready++ % WORKERS] = context;
        }
    }
}

static void create_worker(LPTHREAD_START_ROUTINE routine, SIZE_T stack)
{
    _Alignas(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof room;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {.UmsVersion = UMS_VERSION, .UmsCompletionList = list};
    if (!CreateUmsThreadContext(&contexts[workers]))
        give_up_win32("CreateUmsThreadContext");
    ums.UmsContext = contexts[workers];
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof ums, NULL, NULL))
        give_up_win32("UpdateProcThreadAttribute");
    HANDLE thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, stack, routine, NULL,
                                         STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, NULL);
    if (!thread)
        give_up_win32("CreateRemoteThreadEx");
    DeleteProcThreadAttributeList(attributes);
    CloseHandle(thread);
    workers++;
}

static void run_in_worker(int beside)
{
    UMS_SCHEDULER_STARTUP_INFO info = {.UmsVersion = UMS_VERSION, .SchedulerProc = scheduler};
    if (!CreateUmsCompletionList(&list))
        give_up_win32("CreateUmsCompletionList");
    create_worker(worker_main, stack_size());
    for (int i = 0; i < beside; i++)
        create_worker(yields, 0);
    if (getenv("UMSSHIM_MAIN_HOLDS"))
        hold_signals();
    info.CompletionList = list;
    if (!EnterUmsSchedulingMode(&info))
        give_up_win32("EnterUmsSchedulingMode");
}

/* ---- In front of main -------------------------------------------------------------------------------- */

static int instead_of_main(int argc, char **argv, char **envp)
{
    const char *as = getenv("UMSSHIM_MAIN_AS");
    program.argc = argc;
    program.argv = argv;
    program.envp = envp;
    if (as && !strcmp(as, "main"))
        return program.fn(argc, argv, envp);
    if (as && !strcmp(as, "thread"))
        run_in_thread();
    else if (!as || !strcmp(as, "worker"))
        run_in_worker(0);
    else if (!strcmp(as, "busy"))
        run_in_worker(BESIDE);
    else
        give_up("UMSSHIM_MAIN_AS is none of main, thread, worker, busy", as);
    if (!atomic_load(&program.returned))
        pthread_exit(NULL);
    return program.result;
}

#ifdef PRELOADED

typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

start_function __libc_start_main;

__attribute__((visibility("default"))) int
__libc_start_main(main_function *fn, int argc, char **argv, void (*init)(void), void (*fini)(void),
                  void (*rtld_fini)(void), void *stack_end)
{
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    if (!start)
        give_up("__libc_start_main", dlerror());
    program.fn = fn;
    unsetenv("LD_PRELOAD"); /* this program is meant, not what it starts */
    return start(instead_of_main, argc, argv, init, fini, rtld_fini, stack_end);
}

#else

main_function __real_main, __wrap_main;

int __wrap_main(int argc, char **argv, char **envp)
{
    program.fn = __real_main;
    return instead_of_main(argc, argv, envp);
}

#endif
