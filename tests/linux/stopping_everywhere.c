/* SPDX-License-Identifier: MIT
 *
 * stopping_everywhere.c - SuspendThread and TerminateThread of every kind of thread, in every kind
 * of call: calls that wait for ever, calls that wait shortly and often, and calls of threads that
 * are hardly ever outside the library.
 *
 * modes: default, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "hosted_worker.h"
#include "ums_kit.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 8000, CHILD_LIMIT_MS = 25000, CODE = 7 };

static int rounds;
static int silent[2]; /* a pipe into which nobody writes */
static HANDLE never;
static sem_t no_sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static PUMS_COMPLETION_LIST list;

/* ---- The calls ---- */

static void compute(void)
{
    for (volatile int i = 0; i < 1000; i++) {
    }
}

static void short_sleep(void)
{
    struct timespec time = {0, 50000};

    nanosleep(&time, NULL);
}

static void long_sleep(void)
{
    struct timespec time = {3600, 0};

    nanosleep(&time, NULL);
}

static void read_for_ever(void)
{
    char byte;

    EXPECT_NE(read(silent[0], &byte, 1), 1);
}

static void bare_read_for_ever(void)
{
    char byte;

    EXPECT_NE(syscall(SYS_read, silent[0], &byte, 1), 1);
}

static void poll_not_at_all(void)
{
    struct pollfd file = {.fd = silent[0], .events = POLLIN};

    poll(&file, 1, 0);
}

static void poll_for_ever(void)
{
    struct pollfd file = {.fd = silent[0], .events = POLLIN};

    poll(&file, 1, -1);
}

static void yield(void)
{
    sched_yield();
}

static void switch_thread(void)
{
    SwitchToThread();
}

static void sleep_win32(void)
{
    Sleep(1);
}

static void sleep_for_ever(void)
{
    Sleep(INFINITE);
}

static void wait_for_ever(void)
{
    WaitForSingleObject(never, INFINITE);
}

static void look_at_event(void)
{
    WaitForSingleObject(never, 0);
}

static void wait_for_sem(void)
{
    sem_wait(&no_sem);
}

static void wait_for_condition(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void use_heap(void)
{
    free(malloc(100));
}

static void look_at_list(void)
{
    PUMS_CONTEXT first;

    DequeueUmsCompletionListItems(list, 0, &first);
}

static const struct call {
    const char *name;
    void (*make)(void);
    bool unseen; /* without detection a worker is ended when that is over: differences.md */
} calls[] = {{"computing", compute, false},
             {"short sleeps", short_sleep, false},
             {"a long sleep", long_sleep, false},
             {"read", read_for_ever, false},
             {"syscall(SYS_read)", bare_read_for_ever, false},
             {"polls that do not wait", poll_not_at_all, false},
             {"poll", poll_for_ever, false},
             {"sched_yield", yield, false},
             {"SwitchToThread", switch_thread, false},
             {"Sleep(1)", sleep_win32, false},
             {"Sleep(INFINITE)", sleep_for_ever, false},
             {"WaitForSingleObject", wait_for_ever, false},
             {"WaitForSingleObject(0)", look_at_event, false},
             {"sem_wait", wait_for_sem, true},
             {"pthread_cond_wait", wait_for_condition, true},
             {"malloc", use_heap, false},
             {"DequeueUmsCompletionListItems(0)", look_at_list, false}};
enum { CALLS = sizeof calls / sizeof *calls };

static void make_for_ever(const struct call *call)
{
    for (;;) {
        flag_add(&rounds, 1);
        call->make();
    }
}

/* ---- The kinds of threads ---- */

static DWORD WINAPI plain_thread(LPVOID call)
{
    make_for_ever(call);
    return 0;
}

static void CALLBACK entry(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID call)
{
    make_for_ever(call);
}

static DWORD WINAPI scheduler_thread(LPVOID call)
{
    EXPECT_OK(ums_enter(list, entry, call));
    return 0;
}

/* ---- What is tried ---- */

static bool stands_still(void)
{
    struct timespec some = {0, 4000000};
    int before = flag_get(&rounds);

    nanosleep(&some, NULL);
    return flag_get(&rounds) == before;
}

static void try_thread(HANDLE thread, const char *kind, const struct call *call)
{
    long long started = now_ms();
    DWORD code = 0;

    while (!flag_get(&rounds) && elapsed_ms(started) < LIMIT_MS)
        sched_yield();
    EXPECT_GT(flag_get(&rounds), 0);
    started = now_ms();
    EXPECT_EQ(SuspendThread(thread), 0);
    while (!stands_still())
        if (elapsed_ms(started) > LIMIT_MS) {
            FAIL("a %s in %s is not suspended", kind, call->name);
            break;
        }
    EXPECT_EQ(ResumeThread(thread), 1);
    EXPECT_OK(TerminateThread(thread, CODE));
    if (WaitForSingleObject(thread, LIMIT_MS) != WAIT_OBJECT_0)
        FAIL("a %s in %s does not end", kind, call->name);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, CODE);
}

static void prepare(void)
{
    make_pipe(silent);
    never = CreateEventA(NULL, TRUE, FALSE, NULL);
    ASSERT_NE(never, NULL);
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_EQ(sem_init(&no_sem, 0, 0), 0);
}

/* What the ended threads held is lost: each kind has a process of its own. */
static void with_each_call(const char *kind, LPTHREAD_START_ROUTINE start)
{
    prepare();
    for (int i = 0; i < CALLS; i++) {
        pthread_mutex_init(&mutex, NULL);
        flag_set(&rounds, 0);
        HANDLE thread = CreateThread(NULL, 0, start, (void *)&calls[i], 0, NULL);
        ASSERT_NE(thread, NULL);
        try_thread(thread, kind, &calls[i]);
        CloseHandle(thread);
    }
}

static int plain_threads(void *unused)
{
    with_each_call("plain thread", plain_thread);
    return 0;
}

static int schedulers(void *unused)
{
    with_each_call("scheduler", scheduler_thread);
    return 0;
}

/* A worker that makes this call, and the thread that executes it. */
static void start_worker(const struct call *call, HANDLE *thread, HANDLE *scheduler)
{
    PUMS_CONTEXT context;

    *thread = *scheduler = NULL;
    ASSERT_OK(CreateUmsThreadContext(&context));
    pthread_mutex_init(&mutex, NULL);
    flag_set(&rounds, 0);
    *thread = ums_thread(&(UMS_CREATE_THREAD_ATTRIBUTES){UMS_VERSION, context, list}, plain_thread,
                         (void *)call, 0, NULL);
    ASSERT_NE(*thread, NULL);
    *scheduler = CreateThread(NULL, 0, host_thread, list, 0, NULL);
    ASSERT_NE(*scheduler, NULL);
}

static void join(HANDLE thread, HANDLE scheduler)
{
    EXPECT_EQ(WaitForSingleObject(scheduler, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(scheduler);
    CloseHandle(thread);
}

static void try_worker(const struct call *call)
{
    HANDLE scheduler, thread;

    start_worker(call, &thread, &scheduler);
    try_thread(thread, "worker", call);
    join(thread, scheduler);
}

/* Stops a worker that calls again and again. It begins no call any more but one that was about to
 * begin. */
static void stop_at_once(const struct call *call, bool by_end)
{
    enum { LIMIT_BEGUN = 2 };
    HANDLE scheduler, thread;
    int before;

    start_worker(call, &thread, &scheduler);
    while (flag_get(&rounds) < 2)
        sched_yield();
    if (by_end)
        EXPECT_OK(TerminateThread(thread, CODE));
    else
        EXPECT_EQ(SuspendThread(thread), 0);
    before = flag_get(&rounds);
    if (by_end)
        EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    for (long long started = now_ms(); !by_end && !stands_still();)
        ASSERT_LT(elapsed_ms(started), LIMIT_MS);
    EXPECT_LE(flag_get(&rounds), before + LIMIT_BEGUN);
    if (!by_end)
        EXPECT_OK(TerminateThread(thread, CODE));
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    join(thread, scheduler);
}

static int at_once(void *unused)
{
    static const struct call giving_way = {"SwitchToThread", switch_thread, false};

    (void)unused;
    prepare();
    for (int i = 0; i < 20 && !tc_failures(); i++)
        stop_at_once(&giving_way, i % 2);
    return 0;
}

static int workers(void *unused)
{
    const char *detect = getenv("UMSSHIM_DETECT");
    bool blind = detect && strcmp(detect, "0") == 0;

    prepare();
    for (int i = 0; i < CALLS; i++)
        if (!blind || !calls[i].unseen)
            try_worker(&calls[i]);
    return 0;
}

CALL_TEST(StoppingEverywhere, plain_threads, EXPECT_IN_CHILD(plain_threads, NULL, CHILD_LIMIT_MS))
CALL_TEST(StoppingEverywhere, schedulers, EXPECT_IN_CHILD(schedulers, NULL, CHILD_LIMIT_MS))
CALL_TEST(StoppingEverywhere, workers, EXPECT_IN_CHILD(workers, NULL, CHILD_LIMIT_MS))
CALL_TEST(StoppingEverywhere, worker_that_gives_way_at_once,
          EXPECT_IN_CHILD(at_once, NULL, CHILD_LIMIT_MS))
