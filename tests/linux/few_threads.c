/* SPDX-License-Identifier: MIT
 *
 * few_threads.c - a limit on kernel threads, at every number at which something of ours is the first that
 * cannot be had: a call fails with ERROR_NOT_ENOUGH_MEMORY, or everything that was created runs to its end.
 * Never a hang.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include <windows.h>

#include "bare.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, SCHEDULERS = 2, TURNS = 3, CANNOT = 77, LIMIT_MS = 20000 };

struct crew {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT contexts[WORKERS];
    HANDLE threads[WORKERS];
    PUMS_CONTEXT ready[WORKERS];
    int created, ready_count, ended, turns;
    HANDLE thread; /* the scheduler's, but for the first crew's */
    bool entered;
};

static struct crew crews[SCHEDULERS];
static __thread struct crew *my_crew;

/* The kernel counts the threads of a user, and does not limit root: so root becomes a user that nobody else
 * is, and a user gets a namespace with a count of its own. */
static bool limit_threads(rlim_t most)
{
    struct rlimit limit = {most, most};

    if (geteuid() != 0 ? unshare(CLONE_NEWUSER) : setuid((uid_t)(0x50000000 + getpid())))
        return false;
    return setrlimit(RLIMIT_NPROC, &limit) == 0;
}

/* Waits that the filter sees, that libc's function sees, and that nobody has to see. */
static DWORD WINAPI work(LPVOID arg)
{
    struct crew *crew = arg;
    struct timespec moment = {0, 200000};

    for (int i = 0; i < TURNS; i++) {
        UmsThreadYield(NULL);
        syscall(SYS_nanosleep, &moment, NULL);
        nanosleep(&moment, NULL);
        Sleep(1);
        flag_add(&crew->turns, 1);
    }
    return 0;
}

static void execute_one(struct crew *crew)
{
    PUMS_CONTEXT context = crew->ready[0];

    crew->ready_count--;
    for (int i = 0; i < crew->ready_count; i++)
        crew->ready[i] = crew->ready[i + 1];
    /* A suspended worker arrives as ever, and is executed when it was resumed. */
    for (int i = 0; i < LIMIT_MS / 2; i++) {
        ExecuteUmsThread(context);
        Sleep(1);
    }
    FAIL("a worker is not executed: last error %lu", (unsigned long)GetLastError());
}

static VOID WINAPI schedule(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct crew *crew = reason == UmsSchedulerStartup ? param : my_crew;

    my_crew = crew;
    if (reason == UmsSchedulerThreadYield)
        crew->ready[crew->ready_count++] = (PUMS_CONTEXT)payload;
    for (;;) {
        PUMS_CONTEXT context = NULL;

        if (!DequeueUmsCompletionListItems(crew->list, crew->ready_count ? 0 : INFINITE, &context))
            return;
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);

            if (is_terminated(context))
                crew->ended++;
            else
                crew->ready[crew->ready_count++] = context;
            context = next;
        }
        if (crew->ended == crew->created)
            return;
        if (crew->ready_count)
            execute_one(crew);
    }
}

/* The last error of a call that failed here is no other. */
static bool ran_short(void)
{
    EXPECT_EQ(GetLastError(), ERROR_NOT_ENOUGH_MEMORY);
    return true;
}

static void enter(struct crew *crew)
{
    crew->entered = bare_enter(crew->list, schedule, crew);
    if (!crew->entered)
        ran_short();
}

static DWORD WINAPI enter_on_thread(LPVOID arg)
{
    enter(arg);
    return 0;
}

static void create_crew(struct crew *crew)
{
    EXPECT_OK(CreateUmsCompletionList(&crew->list));
    for (int i = 0; i < WORKERS; i++) {
        UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, crew->list};

        EXPECT_OK(CreateUmsThreadContext(&crew->contexts[i]));
        ums.UmsContext = crew->contexts[i];
        SetLastError(0);
        crew->threads[i] = ums_thread(&ums, work, crew, 0, NULL);
        if (!crew->threads[i] && ran_short())
            break;
        crew->created++;
    }
}

static void check(const struct crew *crew)
{
    if (crew->entered) {
        EXPECT_EQ(crew->ended, crew->created);
        EXPECT_EQ(crew->turns, crew->created * TURNS);
    }
}

struct plan {
    rlim_t threads;
    bool late; /* the limit comes when the engine is up: workers find no carrier */
    int schedulers;
};

static int run_limited(void *arg)
{
    const struct plan *plan = arg;

    if (!plan->late && !limit_threads(plan->threads))
        return CANNOT;
    for (int i = 0; i < plan->schedulers; i++)
        create_crew(&crews[i]);
    if (plan->late && !limit_threads(plan->threads))
        return CANNOT;
    for (int i = 1; i < plan->schedulers; i++) {
        SetLastError(0);
        crews[i].thread = CreateThread(NULL, 0, enter_on_thread, &crews[i], 0, NULL);
        if (!crews[i].thread)
            ran_short();
    }
    enter(&crews[0]);
    for (int i = 0; i < plan->schedulers; i++) {
        if (crews[i].thread)
            EXPECT_EQ(WaitForSingleObject(crews[i].thread, LIMIT_MS / 2), WAIT_OBJECT_0);
        check(&crews[i]);
    }
    return tc_failures();
}

static void sweep(rlim_t first, rlim_t last, bool late, int schedulers)
{
    for (rlim_t threads = first; threads <= last && !tc_failures(); threads++) {
        struct plan plan = {threads, late, schedulers};
        struct child_result result = child_run(run_limited, &plan, LIMIT_MS);

        if (result.exited && result.code == CANNOT)
            SKIP("threads cannot be limited here: neither root nor user namespaces");
        EXPECT_THAT(result.exited && result.code == 0, "with %lu threads:", (unsigned long)threads);
        EXPECT_CHILD_OK(result);
    }
}

/* ---- A worker that is suspended while it waits, and whose scheduler finds no carrier ----------------------- */

enum { NAPS = 10, NAP_MS = 10, WITHIN_MS = 5000 };

static int naps, resumed;

/* Bare calls, which the filter sees. Without a carrier for the scheduler the block is taken back. */
static DWORD WINAPI nap_on(LPVOID arg)
{
    struct timespec nap = {0, NAP_MS * 1000000};

    (void)arg;
    for (int i = 0; i < WITHIN_MS / NAP_MS && !flag_get(&resumed); i++) {
        flag_add(&naps, 1);
        syscall(SYS_nanosleep, &nap, NULL);
    }
    return 0;
}

/* The suspension may take effect a nap late: a running worker has to be met at a place where it can be stopped. */
static void *suspend_and_resume(void *arg)
{
    struct crew *crew = arg;
    struct timespec pause = {0, NAP_MS * 1000000 / 2}, long_pause = {0, NAPS * NAP_MS * 1000000};

    for (int i = 0; i < WITHIN_MS / NAP_MS && flag_get(&naps) < 2; i++)
        nanosleep(&pause, NULL);
    EXPECT_EQ(SuspendThread(crew->threads[0]), 0);
    int before = flag_get(&naps);
    nanosleep(&long_pause, NULL);
    int after = flag_get(&naps);
    EXPECT_THAT(after <= before + 1, "naps begun before %d, while suspended %d", before,
                after - before);
    flag_set(&resumed, 1);
    EXPECT_EQ(ResumeThread(crew->threads[0]), 1);
    return NULL;
}

static int suspend_limited(void *arg)
{
    struct crew *crew = &crews[0];
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    pthread_t suspender;

    setenv("UMSSHIM_FRONT", "0", 1);
    EXPECT_OK(CreateUmsCompletionList(&crew->list));
    EXPECT_OK(CreateUmsThreadContext(&crew->contexts[0]));
    ums.UmsContext = crew->contexts[0];
    ums.UmsCompletionList = crew->list;
    crew->threads[0] = ums_thread(&ums, nap_on, crew, 0, NULL);
    EXPECT_OK(crew->threads[0] != NULL);
    crew->created = 1;
    EXPECT_EQ(pthread_create(&suspender, NULL, suspend_and_resume, crew), 0);
    if (!limit_threads(*(rlim_t *)arg))
        _exit(CANNOT);
    enter(crew);
    if (!crew->entered)
        _exit(0); /* too few threads for a scheduler: said in its error */
    EXPECT_EQ(crew->ended, 1);
    pthread_join(suspender, NULL);
    EXPECT_EQ(flag_get(&resumed), 1);
    return tc_failures();
}

TEST(FewThreads, suspended_worker_stays_where_a_block_is_taken_back)
{
    for (rlim_t threads = 9; threads <= 15 && !tc_failures(); threads++) {
        struct child_result result = child_run(suspend_limited, &threads, LIMIT_MS);

        if (result.exited && result.code == CANNOT)
            SKIP("threads cannot be limited here: neither root nor user namespaces");
        EXPECT_THAT(result.exited && result.code == 0, "with %lu threads:", (unsigned long)threads);
        EXPECT_CHILD_OK(result);
    }
}

TEST(FewThreads, one_scheduler)
{
    sweep(1, 20, false, 1);
}

TEST(FewThreads, two_schedulers)
{
    sweep(1, 30, false, 2);
}

TEST(FewThreads, when_workers_are_there)
{
    sweep(WORKERS + 1, WORKERS + 15, true, 1);
}

TEST(FewThreads, when_workers_of_two_are_there)
{
    sweep(2 * WORKERS + 1, 2 * WORKERS + 22, true, 2);
}
