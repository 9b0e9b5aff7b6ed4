/* SPDX-License-Identifier: MIT
 *
 * fairness.c - who gets a lock that is released: the fair mutex's heir, or whoever runs first.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

/* Each hand-over may have to wait for a processor; on a busy machine ENOUGH_MS end it instead of ROUNDS. */
enum { LIMIT_MS = 15000, ENOUGH_MS = 500, TASKS = 12, ROUNDS = 80, SCHEDULERS = 3 };

typedef struct LOCK_KIND {
    VOID (*acquire)(VOID);
    VOID (*release)(VOID);
} LOCK_KIND;

static SOS_FAIR_MUTEX s_fair;
static SOS_UNFAIR_MUTEX_PAIR s_pair;

static VOID fair_acquire(VOID)
{
    SosFairAcquire(&s_fair);
}

static VOID fair_release(VOID)
{
    SosFairRelease(&s_fair);
}

static VOID pair_acquire(VOID)
{
    SosPairAcquire(&s_pair, SOS_PAIR_BOTH);
}

static VOID pair_release(VOID)
{
    SosPairRelease(&s_pair, SOS_PAIR_BOTH);
}

static const LOCK_KIND s_fairKind = {fair_acquire, fair_release};
static const LOCK_KIND s_pairKind = {pair_acquire, pair_release};

static void finish(SOS_TASK *task)
{
    ASSERT_OK(task);
    EXPECT_EQ(SosTaskWait(task, LIMIT_MS, NULL), SOS_OK);
    SosTaskRelease(task);
}

/* Without leaving the scheduler: nobody else may run on it. */
static void hold_until(const volatile LONG *value, LONG wanted)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS / 2;

    while (*value < wanted && GetTickCount64() < limit)
        YieldProcessor();
    EXPECT_GE(*value, wanted);
}

/* ---- One release, one that sleeps, one that runs --------------------------------------------- */

enum { NEWS_HELD = 1, NEWS_SLEEPS, NEWS_RELEASED };

static volatile LONG s_news, s_order;

static DWORD holder(PVOID kind)
{
    const LOCK_KIND *lock = (const LOCK_KIND *)kind;

    lock->acquire();
    s_news = NEWS_HELD;
    hold_until(&s_news, NEWS_SLEEPS);
    lock->release();
    s_news = NEWS_RELEASED;
    return 0;
}

static DWORD sleeper(PVOID kind)
{
    const LOCK_KIND *lock = (const LOCK_KIND *)kind;

    hold_until(&s_news, NEWS_HELD);
    lock->acquire(); /* leaves the scheduler to the one that comes late */
    s_order = s_order * 10 + 1;
    lock->release();
    return 0;
}

static DWORD latecomer(PVOID kind)
{
    const LOCK_KIND *lock = (const LOCK_KIND *)kind;

    s_news = NEWS_SLEEPS; /* for this one runs on the same scheduler */
    hold_until(&s_news, NEWS_RELEASED);
    lock->acquire();
    s_order = s_order * 10 + 2;
    lock->release();
    return 0;
}

static LONG order_of(const LOCK_KIND *lock)
{
    SOS_CONFIG config = {.schedulers = 2};
    SOS_TASK *tasks[3];

    SosFairInit(&s_fair);
    SosPairInit(&s_pair);
    s_news = s_order = 0;
    EXPECT_OK(SosStart(&config));
    tasks[0] = SosSubmit(1, sleeper, (PVOID)lock);
    tasks[1] = SosSubmit(1, latecomer, (PVOID)lock);
    tasks[2] = SosSubmit(0, holder, (PVOID)lock);
    for (int i = 0; i < 3; i++)
        finish(tasks[i]);
    EXPECT_OK(SosStop(LIMIT_MS));
    return s_order;
}

TEST(SqlosFairness, the_fair_mutex_goes_to_the_one_that_sleeps_the_pair_to_the_one_that_runs)
{
    EXPECT_EQ(order_of(&s_fairKind), 12);
    EXPECT_EQ(s_fair.sleeps, 2); /* the latecomer had to wait, too, for one that did not run yet */
    EXPECT_EQ(order_of(&s_pairKind), 21);
}

/* ---- A line ---------------------------------------------------------------------------------- */

static volatile LONG s_waiting, s_served;

static DWORD stand_in_line(PVOID number)
{
    InterlockedIncrement(&s_waiting);
    SosFairAcquire(&s_fair);
    EXPECT_EQ(s_fair.owner, SosCurrentTask());
    EXPECT_EQ(s_served, (LONG)(ULONG_PTR)number);
    s_served++;
    if (s_served % 3 == 0)
        SosYield(); /* an owner that is switched away is passed by nobody, either */
    SosFairRelease(&s_fair);
    return 0;
}

static DWORD open_the_door(PVOID tasks)
{
    LONGLONG limit = Now() + 8 * g_sos.ticksPerSecond;

    SosFairAcquire(&s_fair);
    for (LONG i = 0; i < TASKS; i++) { /* one after the other, so the order of the line is known */
        ((SOS_TASK **)tasks)[i] =
            SosSubmit((int)i % SCHEDULERS, stand_in_line, (PVOID)(ULONG_PTR)i);
        while (s_fair.collisions <= i && Now() < limit)
            SosYield();
        EXPECT_EQ(s_fair.collisions, i + 1);
    }
    SosFairRelease(&s_fair);
    return 0;
}

TEST(SqlosFairness, the_line_is_served_in_the_order_in_which_it_formed)
{
    SOS_CONFIG config = {.schedulers = SCHEDULERS};
    SOS_TASK *tasks[TASKS] = {NULL};

    SosFairInit(&s_fair);
    s_waiting = s_served = 0;
    ASSERT_OK(SosStart(&config));
    finish(SosSubmit(0, open_the_door, tasks));
    for (int i = 0; i < TASKS; i++)
        finish(tasks[i]);
    EXPECT_EQ(s_served, TASKS);
    EXPECT_EQ(s_fair.acquisitions, TASKS + 1);
    EXPECT_OK(!s_fair.owner && ListEmpty(&s_fair.resource.waiters));
    EXPECT_OK(SosStop(LIMIT_MS));
}

/* ---- Stress ---------------------------------------------------------------------------------- */

static volatile LONG s_inside, s_broken, s_rounds;
static ULONGLONG s_enough;
static LONGLONG s_counted; /* plain: the mutex is its guard */

static DWORD contend(PVOID argument)
{
    DWORD random = (DWORD)(ULONG_PTR)argument;
    LONG rounds;

    for (rounds = 0; rounds < ROUNDS && GetTickCount64() < s_enough; rounds++) {
        random = random * 1664525u + 1013904223u;
        SosFairAcquire(&s_fair);
        if (InterlockedIncrement(&s_inside) != 1 || s_fair.owner != SosCurrentTask())
            InterlockedIncrement(&s_broken);
        s_counted++;
        if (random >> 16 & 1)
            for (int k = 0; k < 200; k++)
                YieldProcessor();
        if ((random >> 20) % 64 == 0)
            SosYield();
        InterlockedDecrement(&s_inside);
        SosFairRelease(&s_fair);
        if ((random >> 24) % 8 == 0)
            SosYieldCheck();
    }
    InterlockedExchangeAdd(&s_rounds, rounds);
    return 0;
}

TEST(SqlosFairness, the_fair_mutex_has_one_owner_at_a_time_and_leaves_nobody_behind)
{
    SOS_CONFIG config = {.schedulers = SCHEDULERS};
    SOS_TASK *tasks[TASKS];
    SOS_WAIT_STATS waits;

    SosFairInit(&s_fair);
    s_counted = 0;
    ASSERT_OK(SosStart(&config));
    s_enough = GetTickCount64() + ENOUGH_MS;
    for (int i = 0; i < TASKS; i++)
        tasks[i] =
            SosSubmit(i % SCHEDULERS, contend, (PVOID)(ULONG_PTR)(tc_seed() + 7919u * (unsigned)i));
    for (int i = 0; i < TASKS; i++)
        finish(tasks[i]);
    EXPECT_EQ(s_broken, 0);
    EXPECT_GT(s_rounds, 0);
    EXPECT_EQ(s_counted, s_rounds);
    EXPECT_EQ(s_fair.acquisitions, s_rounds);
    EXPECT_OK(!s_fair.owner && ListEmpty(&s_fair.resource.waiters));
    SosWaitStats(SOS_WAIT_MUTEX, &waits);
    EXPECT_EQ(waits.waits, s_fair.sleeps);
    EXPECT_OK(SosStop(LIMIT_MS));
}
