/* SPDX-License-Identifier: MIT
 *
 * few_threads.c - a limit on kernel threads, at every number at which a thread of the library's is
 * the first that fails. A call fails with ERROR_NOT_ENOUGH_MEMORY, or everything that was created
 * runs to its end. Never a hang.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include <windows.h>

#include "bare.h"
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "thread_limit.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, SCHEDULERS = 2, TURNS = 3, CANNOT = 77, LIMIT_MS = 20000 };

struct team {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT contexts[WORKERS];
    HANDLE threads[WORKERS];
    PUMS_CONTEXT ready[WORKERS];
    int created, ready_count, ended, turns;
    HANDLE thread; /* the scheduler's, but for the first team's */
    bool entered;
};

static struct team teams[SCHEDULERS];
static __thread struct team *my_team;

/* A worker's turns: a wait that the filter sees, one that a front sees, and one of the library's
 * own. */
static DWORD WINAPI work(LPVOID arg)
{
    struct team *team = arg;
    struct timespec moment = {0, 200000};

    for (int i = 0; i < TURNS; i++) {
        UmsThreadYield(NULL);
        syscall(SYS_nanosleep, &moment, NULL);
        nanosleep(&moment, NULL);
        Sleep(1);
        flag_add(&team->turns, 1);
    }
    return 0;
}

static void execute_one(struct team *team)
{
    PUMS_CONTEXT context = team->ready[0];

    team->ready_count--;
    for (int i = 0; i < team->ready_count; i++)
        team->ready[i] = team->ready[i + 1];
    /* A suspended worker arrives as ever, and is executed when it was resumed. */
    for (int i = 0; i < LIMIT_MS / 2; i++) {
        ExecuteUmsThread(context);
        Sleep(1);
    }
    FAIL("a worker is not executed: last error %lu", (unsigned long)GetLastError());
}

static VOID WINAPI schedule(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct team *team = reason == UmsSchedulerStartup ? param : my_team;

    my_team = team;
    if (reason == UmsSchedulerThreadYield)
        team->ready[team->ready_count++] = (PUMS_CONTEXT)payload;
    for (;;) {
        PUMS_CONTEXT context = NULL;

        if (!DequeueUmsCompletionListItems(team->list, team->ready_count ? 0 : INFINITE, &context))
            return;
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);

            if (is_terminated(context))
                team->ended++;
            else
                team->ready[team->ready_count++] = context;
            context = next;
        }
        if (team->ended == team->created)
            return;
        if (team->ready_count)
            execute_one(team);
    }
}

/* The last error of a call that failed here is no other. */
static bool ran_short(void)
{
    EXPECT_EQ(GetLastError(), ERROR_NOT_ENOUGH_MEMORY);
    return true;
}

static void enter(struct team *team)
{
    team->entered = ums_enter(team->list, schedule, team);
    if (!team->entered)
        ran_short();
}

static DWORD WINAPI enter_on_thread(LPVOID arg)
{
    enter(arg);
    return 0;
}

static void create_team(struct team *team)
{
    EXPECT_OK(CreateUmsCompletionList(&team->list));
    for (int i = 0; i < WORKERS; i++) {
        UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, team->list};

        EXPECT_OK(CreateUmsThreadContext(&team->contexts[i]));
        ums.UmsContext = team->contexts[i];
        SetLastError(0);
        team->threads[i] = ums_thread(&ums, work, team, 0, NULL);
        if (!team->threads[i] && ran_short())
            break;
        team->created++;
    }
}

static void check(const struct team *team)
{
    if (team->entered) {
        EXPECT_EQ(team->ended, team->created);
        EXPECT_EQ(team->turns, team->created * TURNS);
    }
}

struct plan {
    rlim_t threads;
    bool late;    /* the limit comes when the engine is up: workers find no carrier */
    bool noticed; /* libc's call sites have been noticed and rewritten by then, one by one */
    int schedulers;
};

static void call_often(struct block_case *c)
{
    struct timespec none = {0, 0};

    for (int i = 0; i < 32; i++) {
        EXPECT_EQ(nanosleep(&none, NULL), 0);
        EXPECT_EQ(syscall(SYS_nanosleep, &none, NULL), 0);
    }
}

static int run_limited(void *arg)
{
    const struct plan *plan = arg;
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    if (plan->noticed)
        run_in_worker(call_often, &c);
    if (!plan->late && !(count_threads_alone() && limit_threads(plan->threads)))
        return CANNOT;
    for (int i = 0; i < plan->schedulers; i++)
        create_team(&teams[i]);
    if (plan->late && !(count_threads_alone() && limit_threads(plan->threads)))
        return CANNOT;
    for (int i = 1; i < plan->schedulers; i++) {
        SetLastError(0);
        teams[i].thread = CreateThread(NULL, 0, enter_on_thread, &teams[i], 0, NULL);
        if (!teams[i].thread)
            ran_short();
    }
    enter(&teams[0]);
    for (int i = 0; i < plan->schedulers; i++) {
        if (teams[i].thread)
            EXPECT_EQ(WaitForSingleObject(teams[i].thread, LIMIT_MS / 2), WAIT_OBJECT_0);
        check(&teams[i]);
    }
    return tc_failures();
}

static void sweep(rlim_t first, rlim_t last, bool late, int schedulers, bool noticed)
{
    for (rlim_t threads = first; threads <= last && !tc_failures(); threads++) {
        struct plan plan = {threads, late, noticed, schedulers};
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

    for (int i = 0; i < WITHIN_MS / NAP_MS && !flag_get(&resumed); i++) {
        flag_add(&naps, 1);
        syscall(SYS_nanosleep, &nap, NULL);
    }
    return 0;
}

/* The suspension may take effect a nap late: a running worker has to be met at a place where it can be stopped. */
static void *suspend_and_resume(void *arg)
{
    struct team *team = arg;
    struct timespec pause = {0, NAP_MS * 1000000 / 2}, long_pause = {0, NAPS * NAP_MS * 1000000};

    for (int i = 0; i < WITHIN_MS / NAP_MS && flag_get(&naps) < 2; i++)
        nanosleep(&pause, NULL);
    EXPECT_EQ(SuspendThread(team->threads[0]), 0);
    int before = flag_get(&naps);
    nanosleep(&long_pause, NULL);
    int after = flag_get(&naps);
    EXPECT_THAT(after <= before + 1, "naps begun before %d, while suspended %d", before,
                after - before);
    flag_set(&resumed, 1);
    EXPECT_EQ(ResumeThread(team->threads[0]), 1);
    return NULL;
}

static int suspend_limited(void *arg)
{
    struct team *team = &teams[0];
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    pthread_t suspender;

    setenv("UMSSHIM_FRONT", "0", 1);
    EXPECT_OK(CreateUmsCompletionList(&team->list));
    EXPECT_OK(CreateUmsThreadContext(&team->contexts[0]));
    ums.UmsContext = team->contexts[0];
    ums.UmsCompletionList = team->list;
    team->threads[0] = ums_thread(&ums, nap_on, team, 0, NULL);
    EXPECT_OK(team->threads[0] != NULL);
    team->created = 1;
    EXPECT_EQ(pthread_create(&suspender, NULL, suspend_and_resume, team), 0);
    if (!count_threads_alone() || !limit_threads(*(rlim_t *)arg))
        _exit(CANNOT);
    enter(team);
    if (!team->entered)
        _exit(0); /* too few threads for a scheduler: said in its error */
    EXPECT_EQ(team->ended, 1);
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

CALL_TEST(FewThreads, one_scheduler, sweep(1, 20, false, 1, false))
CALL_TEST(FewThreads, two_schedulers, sweep(1, 30, false, 2, false))
CALL_TEST(FewThreads, when_workers_are_there, sweep(WORKERS + 1, WORKERS + 15, true, 1, false))
CALL_TEST(FewThreads, when_workers_of_two_are_there,
          sweep(2 * WORKERS + 1, 2 * WORKERS + 22, true, 2, false))
/* The scheduler without a carrier has all of libc rewritten, but for these. */
CALL_TEST(FewThreads, when_calls_of_libc_are_led,
          sweep(2 * WORKERS + 1, 2 * WORKERS + 22, true, 2, true))
