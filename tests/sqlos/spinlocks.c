/* SPDX-License-Identifier: MIT
 *
 * spinlocks.c - spinlocks: what their classes count, when spinners back off, and exclusion.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

enum { LIMIT_MS = 15000, TASKS = 9, THREADS = 2, ROUNDS = 3000, SCHEDULERS = 3 };

static SOS_SPINLOCK_CLASS s_class = {.name = "TEST"};
static SOS_SPINLOCK s_lock;

static void start(int schedulers)
{
    SOS_CONFIG config = {.schedulers = schedulers};
    const SOS_SPINLOCK_CLASS *known = SosSpinlockClasses();

    while (known && known != &s_class)
        known = known->next;
    if (!known)
        SosSpinlockClassInit(&s_class);
    s_class.collisions = s_class.spins = s_class.backoffs = s_class.sleeps = 0;
    SosSpinlockInit(&s_lock, &s_class);
    EXPECT_OK(SosStart(&config));
}

static void finish(SOS_TASK *task)
{
    ASSERT_OK(task);
    EXPECT_EQ(SosTaskWait(task, LIMIT_MS, NULL), SOS_OK);
    SosTaskRelease(task);
}

static volatile LONG s_comes;

static DWORD take_it(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    s_comes = TRUE; /* and keeps the scheduler until it backs off */
    SosSpinlockAcquire(&s_lock);
    SosSpinlockRelease(&s_lock);
    return 0;
}

static DWORD hold_until_one_comes(PVOID argument)
{
    LONGLONG limit = Now() + 8 * g_sos.ticksPerSecond;

    UNREFERENCED_PARAMETER(argument);
    SosSpinlockAcquire(&s_lock);
    EXPECT_OK(!SosSpinlockTryAcquire(&s_lock));
    while (!s_comes && Now() < limit)
        SosYield();
    SosSpinlockRelease(&s_lock);
    return 0;
}

TEST(SqlosSpinlocks, a_neighbour_looks_once_and_yields_so_that_the_holder_runs)
{
    SOS_TASK *tasks[2];

    start(1);
    finish(SosSubmit(0, take_it, NULL));
    EXPECT_EQ(s_class.collisions, 0);
    s_comes = FALSE;
    tasks[0] = SosSubmit(0, hold_until_one_comes, NULL);
    tasks[1] = SosSubmit(0, take_it, NULL);
    finish(tasks[0]);
    finish(tasks[1]);
    EXPECT_OK(!s_lock.owner);
    EXPECT_EQ(s_class.collisions, 1);
    EXPECT_EQ(s_class.spins, 2);
    EXPECT_EQ(s_class.backoffs, 1);
    EXPECT_EQ(s_class.sleeps, 0);
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD hold_until_one_sleeps(PVOID argument)
{
    SOS_SCHEDULER *self = CurrentWorker()->scheduler;
    LONGLONG limit = Now() + 8 * g_sos.ticksPerSecond;

    UNREFERENCED_PARAMETER(argument);
    SosSpinlockAcquire(&s_lock);
    while (self->timerCount < 1 && Now() < limit)
        SosYield();
    EXPECT_EQ(self->timerCount, 1);
    SosSpinlockRelease(&s_lock);
    return 0;
}

TEST(SqlosSpinlocks, one_that_backs_off_again_and_again_sleeps)
{
    SOS_TASK *tasks[2];
    SOS_WAIT_STATS waits;

    start(1);
    tasks[0] = SosSubmit(0, hold_until_one_sleeps, NULL);
    tasks[1] = SosSubmit(0, take_it, NULL);
    finish(tasks[0]);
    finish(tasks[1]);
    EXPECT_EQ(s_class.collisions, 1);
    EXPECT_GE(s_class.backoffs, 5); /* four yields first */
    EXPECT_EQ(s_class.sleeps, s_class.backoffs - 4);
    EXPECT_EQ(s_class.spins, s_class.backoffs + 1);
    SosWaitStats(SOS_WAIT_SPINLOCK, &waits);
    EXPECT_EQ(waits.waits, s_class.sleeps);
    EXPECT_OK(SosStop(LIMIT_MS));
}

/* ---- Exclusion ------------------------------------------------------------------------------- */

static volatile LONG s_inside, s_broken;
static LONGLONG s_counted; /* plain: the lock is its guard */

static VOID contend(VOID)
{
    for (int i = 0; i < ROUNDS; i++) {
        SosSpinlockAcquire(&s_lock);
        if (InterlockedIncrement(&s_inside) != 1)
            InterlockedIncrement(&s_broken);
        s_counted++;
        InterlockedDecrement(&s_inside);
        SosSpinlockRelease(&s_lock);
    }
}

static DWORD contend_inside(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    contend();
    return 0;
}

static DWORD contend_outside(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    SosLeaveScheduler();
    contend();
    SosReturnToScheduler();
    return 0;
}

static DWORD WINAPI contend_as_thread(LPVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    contend();
    return 0;
}

TEST(SqlosSpinlocks, tasks_inside_and_outside_and_threads_exclude_each_other)
{
    SOS_TASK *tasks[TASKS];
    HANDLE threads[THREADS];

    start(SCHEDULERS);
    s_counted = 0;
    for (int i = 0; i < TASKS; i++)
        tasks[i] =
            SosSubmit(i % SCHEDULERS, i < SCHEDULERS ? contend_outside : contend_inside, NULL);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = CreateThread(NULL, 0, contend_as_thread, NULL, 0, NULL);
        ASSERT_OK(threads[i]);
    }
    for (int i = 0; i < TASKS; i++)
        finish(tasks[i]);
    for (int i = 0; i < THREADS; i++) {
        EXPECT_EQ(WaitForSingleObject(threads[i], LIMIT_MS), WAIT_OBJECT_0);
        CloseHandle(threads[i]);
    }
    EXPECT_EQ(s_broken, 0);
    EXPECT_EQ(s_counted, (TASKS + THREADS) * ROUNDS);
    EXPECT_OK(!s_lock.owner);
    EXPECT_OK(s_class.spins >= s_class.collisions && s_class.sleeps <= s_class.backoffs);
    EXPECT_OK(SosStop(LIMIT_MS));
}
