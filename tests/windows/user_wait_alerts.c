/* SPDX-License-Identifier: MIT
 *
 * user_wait_alerts.c - what waits for a thread's alert (WaitOnAddress, SRW locks, condition
 * variables, critical sections), among workers of two schedulers and plain threads: nobody sleeps
 * through his wake-up, and locks exclude.
 *
 * modes: default
 * libraries: synchronization
 */
#include "fleet.h"
#include "gtest_c.h"
#include "waiters.h"

enum { LIMIT_MS = 10000, WORKERS = 6, THREADS = 2, ALL = WORKERS + THREADS, TIMES = 2000 };

static long counter;
static int inside;

static void run_all(worker_body body, LPTHREAD_START_ROUTINE routine)
{
    struct fleet *fleet = fleet_create(2, WORKERS, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    counter = inside = 0;
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, body, NULL);
    fleet_run_beside(fleet, THREADS, routine, NULL);
}

#define BY_BOTH(name)                                                                              \
    static void worker_##name(struct worker *self)                                                 \
    {                                                                                              \
        (void)self;                                                                                \
        name();                                                                                    \
    }                                                                                              \
    static DWORD WINAPI thread_##name(LPVOID param)                                                \
    {                                                                                              \
        (void)param;                                                                               \
        name();                                                                                    \
        return 0;                                                                                  \
    }

/* A while in the section, so that others come and have to wait. */
static void count_one(int i)
{
    EXPECT_EQ(flag_add(&inside, 1), 1);
    counter++;
    if (i % 16 == 0)
        SwitchToThread();
    EXPECT_EQ(flag_add(&inside, -1), 0);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static SRWLOCK slim = SRWLOCK_INIT;
static CRITICAL_SECTION section;

static void lock_slim(void)
{
    for (int i = 0; i < TIMES; i++) {
        AcquireSRWLockExclusive(&slim);
        count_one(i);
        ReleaseSRWLockExclusive(&slim);
    }
}
BY_BOTH(lock_slim)

TEST(UserWaitAlerts, srw_lock)
{
    run_all(worker_lock_slim, thread_lock_slim);
    EXPECT_EQ(counter, ALL * TIMES);
}

static void enter_section(void)
{
    for (int i = 0; i < TIMES; i++) {
        EnterCriticalSection(&section);
        count_one(i);
        LeaveCriticalSection(&section);
    }
}
BY_BOTH(enter_section)

TEST(UserWaitAlerts, critical_section)
{
    InitializeCriticalSection(&section);
    run_all(worker_enter_section, thread_enter_section);
    EXPECT_EQ(counter, ALL * TIMES);
    DeleteCriticalSection(&section);
}

/* ---- Condition variable: what was put in is what was taken out ------------------------------- */

static CONDITION_VARIABLE not_empty = CONDITION_VARIABLE_INIT, not_full = CONDITION_VARIABLE_INIT;
static int filled, role;

static void put_or_get(void)
{
    bool puts = flag_add(&role, 1) % 2;

    for (int i = 0; i < TIMES; i++) {
        AcquireSRWLockExclusive(&slim);
        while (puts ? filled == 3 : filled == 0) {
            if (!EXPECT_OK(
                    SleepConditionVariableSRW(puts ? &not_full : &not_empty, &slim, LIMIT_MS, 0))) {
                ReleaseSRWLockExclusive(&slim);
                return;
            }
        }
        filled += puts ? 1 : -1;
        ReleaseSRWLockExclusive(&slim);
        WakeConditionVariable(puts ? &not_empty : &not_full);
    }
}
BY_BOTH(put_or_get)

TEST(UserWaitAlerts, condition_variable)
{
    filled = role = 0;
    run_all(worker_put_or_get, thread_put_or_get);
    EXPECT_EQ(role, ALL);
    EXPECT_EQ(filled, 0);
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static volatile LONG turn;
static LONG seat;

/* Each waits for his turn: one wake-up that is lost, and all stand still. */
static void take_turns(void)
{
    LONG mine = InterlockedIncrement(&seat) - 1;

    for (int i = 0; i < 200; i++) {
        LONG seen;

        while ((seen = turn) % ALL != mine)
            if (!EXPECT_OK(WaitOnAddress(&turn, &seen, sizeof seen, LIMIT_MS)))
                return;
        InterlockedIncrement(&turn);
        WakeByAddressAll((void *)&turn);
    }
}
BY_BOTH(take_turns)

TEST(UserWaitAlerts, address)
{
    seat = turn = 0;
    run_all(worker_take_turns, thread_take_turns);
    EXPECT_EQ(turn, ALL * 200);
}

static void wait_in_vain(struct worker *self)
{
    static const DWORD times[] = {0, 1, 15, 100};
    LONG word = 0, zero = 0;

    for (int i = 0; i < 4; i++) {
        double start = now_ms();

        EXPECT_FAILS(WaitOnAddress(&word, &zero, sizeof zero, times[i]), ERROR_TIMEOUT);
        EXPECT_THAT(now_ms() - start >= times[i] - (in_place() ? 0.0 : 1.0), "%.3f ms of %u",
                    now_ms() - start, (unsigned)times[i]);
    }
}

TEST(UserWaitAlerts, address_in_vain)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, wait_in_vain, NULL);
    fleet_add(fleet, wait_in_vain, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_GE(fleet_worker(fleet, 0)->blocked, 4);
    fleet_destroy(fleet);
}

/* Time-outs and wake-ups that meet: the lock is free after all, and every wait came to an end. */
static void wait_shortly(void)
{
    for (int i = 0; i < 300; i++) {
        LONG seen = turn;

        WaitOnAddress(&turn, &seen, sizeof seen, 1 + (DWORD)i % 2);
        InterlockedIncrement(&turn);
        WakeByAddressSingle((void *)&turn);
        AcquireSRWLockExclusive(&slim);
        count_one(i);
        ReleaseSRWLockExclusive(&slim);
    }
}
BY_BOTH(wait_shortly)

TEST(UserWaitAlerts, address_with_short_times)
{
    turn = 0;
    run_all(worker_wait_shortly, thread_wait_shortly);
    EXPECT_EQ(turn, ALL * 300);
    EXPECT_EQ(counter, ALL * 300);
}
