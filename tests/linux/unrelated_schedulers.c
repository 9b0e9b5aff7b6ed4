/* SPDX-License-Identifier: MIT
 *
 * Hazard: schedulers whose workers have nothing to do with each other write one cache line, and so
 * hold each other up, the more the more processors there are. The checked build notes who writes what
 * (platform/lines): pairs of workers on eight schedulers, each with objects of its own, write none
 * in common; with one object in common they do. By lanes (UMSSHIM_LOG=lanes), of which there is one for each processor, they
 * also make and close objects, with and without names, let waits time out, create workers and threads, and have work done by
 * thread pools of their own.
 *
 * modes: UMSSHIM_LOG=lines, UMSSHIM_LOG=lanes
 * where: UMSSHIM_CHECKS
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { SCHEDULERS = 8, ROUNDS = 1500, EVENTS = 4 };

static struct pair {
    struct fleet *fleet;
    HANDLE events[2][EVENTS], semaphores[2], mutex;
    _Alignas(64) CRITICAL_SECTION section;
    _Alignas(64) SRWLOCK lock;
    _Alignas(64) volatile LONG turn;
    TP_CALLBACK_ENVIRON environment; /* of the pool */
    PTP_WORK work;
    HANDLE worked;
    HANDLE common;
} __attribute__((aligned(4096))) pairs[SCHEDULERS];

static void hand_over(struct pair *pair, int self, int round)
{
    LONG other = 1 - self;

    EXPECT_EQ(WaitForSingleObject(pair->events[self][0], INFINITE), WAIT_OBJECT_0);
    EXPECT_OK(SetEvent(pair->events[1 - self][0]));
    EXPECT_EQ(WaitForSingleObject(pair->semaphores[self], INFINITE), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseSemaphore(pair->semaphores[1 - self], 1, NULL));
    EXPECT_LT(WaitForMultipleObjects(EVENTS - 1, pair->events[self] + 1, FALSE, INFINITE), EVENTS);
    EXPECT_OK(SetEvent(pair->events[1 - self][1 + round % (EVENTS - 1)]));
    while (pair->turn == other)
        EXPECT_OK(WaitOnAddress(&pair->turn, &other, sizeof other, INFINITE));
    pair->turn = other;
    WakeByAddressSingle((PVOID)&pair->turn);
}

static bool by_lane(void)
{
    return is_set("UMSSHIM_LOG", "lanes");
}

/* Makes and opens an event by a name that no other scheduler uses. */
static void use_name(struct pair *pair, int round)
{
    char name[32];
    HANDLE made, opened;

    snprintf(name, sizeof name, "pair %d", (int)(pair - pairs) + round % 2 * SCHEDULERS);
    made = CreateEventA(NULL, FALSE, FALSE, name);
    opened = OpenEventA(EVENT_ALL_ACCESS, FALSE, name);
    EXPECT_OK(made && opened);
    EXPECT_OK(CloseHandle(made));
    EXPECT_OK(CloseHandle(opened));
}

static DWORD WINAPI do_nothing(LPVOID unused)
{
    return 0;
}

static void be_born(struct worker *self)
{
}

/* Creates a worker and waits for its end. If `self` is 0 it creates a thread, too. */
static void give_birth(struct pair *pair, int self)
{
    struct worker *worker = fleet_add(pair->fleet, be_born, NULL);

    ASSERT_NE(worker, NULL);
    EXPECT_EQ(WaitForSingleObject(worker->thread, 10000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(worker->thread));
    worker->thread = NULL; /* or the fleet keeps all of them to its end */
    if (self == 0) {
        HANDLE thread = CreateThread(NULL, 65536, do_nothing, NULL, 0, NULL);

        EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(thread));
    }
}

static void CALLBACK work(PTP_CALLBACK_INSTANCE instance, PVOID arg, PTP_WORK itself)
{
    struct pair *pair = arg;

    SetEvent(pair->worked);
}

static void make_pool(struct pair *pair)
{
    PTP_POOL pool = CreateThreadpool(NULL);

    SetThreadpoolThreadMaximum(pool, 1);
    InitializeThreadpoolEnvironment(&pair->environment);
    SetThreadpoolCallbackPool(&pair->environment, pool);
    pair->worked = CreateEventA(NULL, FALSE, FALSE, NULL);
    pair->work = CreateThreadpoolWork(work, pair, &pair->environment);
    EXPECT_OK(pair->work != NULL);
}

static void use_pool(struct pair *pair)
{
    SubmitThreadpoolWork(pair->work);
    EXPECT_EQ(WaitForSingleObject(pair->worked, 10000), WAIT_OBJECT_0);
}

/* Uses what the schedulers of one processor share: waits, timers, names, the pool, births. */
static void use_lane(struct pair *pair, int self, int round)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE semaphore = CreateSemaphoreA(NULL, 1, 1, NULL);

    EXPECT_EQ(WaitForSingleObject(semaphore, INFINITE), WAIT_OBJECT_0);
    if (round % 4 == 0)
        EXPECT_EQ(WaitForSingleObject(event, 1), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(semaphore));
    use_name(pair, round);
    if (self == 0 && round % 3 == 0)
        use_pool(pair);
    if (round % 6 == 0)
        give_birth(pair, self);
}

static void share(struct pair *pair, int round)
{
    EnterCriticalSection(&pair->section);
    AcquireSRWLockExclusive(&pair->lock);
    EXPECT_EQ(WaitForSingleObject(pair->mutex, INFINITE), WAIT_OBJECT_0);
    if (round % 4 == 0)
        UmsThreadYield(NULL);
    EXPECT_OK(ReleaseMutex(pair->mutex));
    ReleaseSRWLockExclusive(&pair->lock);
    LeaveCriticalSection(&pair->section);
    if (pair->common)
        EXPECT_OK(SetEvent(pair->common));
}

static void play(struct worker *self)
{
    struct pair *pair = self->arg;
    int who = self->index % 2;

    for (int round = 0; round < ROUNDS && !tc_failures(); round++) {
        hand_over(pair, who, round);
        share(pair, round);
        if (by_lane())
            use_lane(pair, who, round);
    }
}

static DWORD WINAPI run_pair(LPVOID arg)
{
    struct fleet *fleet = fleet_create(1, 2 + 2 * (ROUNDS / 6 + 1), 0);
    struct pair *pair = arg;

    pair->fleet = fleet;
    for (int who = 0; who < 2; who++) {
        for (int i = 0; i < EVENTS; i++)
            pair->events[who][i] = CreateEventA(NULL, FALSE, who == 0 && i < 2, NULL);
        pair->semaphores[who] = CreateSemaphoreA(NULL, who == 0, 1, NULL);
        fleet_add(fleet, play, pair);
    }
    pair->mutex = CreateMutexA(NULL, FALSE, NULL);
    InitializeCriticalSection(&pair->section);
    make_pool(pair);
    return fleet_run(fleet) ? 0 : 1;
}

/* All processes' names meet in their folder. A process that may not write files has its own. */
static void have_own_names(void)
{
    struct rlimit limit = {0};

    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 4096; /* room for what is said */
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int run_all(void *with_common)
{
    HANDLE common = with_common ? CreateEventA(NULL, TRUE, FALSE, NULL) : NULL;
    HANDLE threads[SCHEDULERS];

    have_own_names();
    for (int i = 0; i < SCHEDULERS; i++) {
        pairs[i].common = common;
        threads[i] = CreateThread(NULL, 0, run_pair, &pairs[i], 0, NULL);
    }
    EXPECT_EQ(WaitForMultipleObjects(SCHEDULERS, threads, TRUE, 25000), WAIT_OBJECT_0);
    exit(tc_failures() ? CHILD_CHECKS_FAILED : 0); /* with the library's last words */
}

/* How many lines the library says that several schedulers have written; -1: it has not said. */
static int lines_shared(const struct child_result *result, int *all)
{
    const char *text = strstr(result->output, "lines written often: ");
    int shared = -1;

    if (!text ||
        sscanf(text, "lines written often: %d, by more than one %*[a-z]: %d", all, &shared) != 2)
        FAIL("the library does not say which lines were written: %s", result->output);
    return shared;
}

TEST(UnrelatedSchedulers, write_no_line_in_common)
{
    struct child_result result = child_run(run_all, NULL, 25000);
    int all = 0;

    EXPECT_CHILD_OK(result);
    EXPECT_THAT(lines_shared(&result, &all) == 0, "%s", result.output);
    EXPECT_GT(all, SCHEDULERS * 4); /* their objects, at least */
}

TEST(UnrelatedSchedulers, with_one_event_in_common_do)
{
    struct child_result result = child_run(run_all, &result, 25000);
    int all = 0;

    if (by_lane() && GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) < 2)
        return; /* there is one lane */

    EXPECT_CHILD_OK(result);
    EXPECT_GT(lines_shared(&result, &all), 0);
}
