/* SPDX-License-Identifier: MIT
 *
 * ownership.c - mutexes and critical sections belong to the worker that took them, across yields,
 * moves and its end.
 *
 * The hazard: two workers of one scheduler share a kernel thread in place. If a mutex were taken as
 * that thread, the second worker would find itself its owner, and a third on another scheduler
 * nobody's.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all UMSSHIM_SWITCH=inplace
 */
#include "gtest_c.h"
#include "moving.h"

enum { ROUNDS = 20, LIMIT_MS = 5000 };

static HANDLE mutex;
static CRITICAL_SECTION section;
static int inside;
static int taken; /* set while the first worker owns it */
static int told;  /* workers that have tried meanwhile */

/* ---- One owner at a time ------------------------------------------------------------------- */

static void take_the_mutex_in_turn(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        ASSERT_EQ(WaitForSingleObject(mutex, LIMIT_MS), WAIT_OBJECT_0);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        step_aside(self, i);
        ASSERT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0); /* it is mine */
        step_aside(self, i + 1);
        EXPECT_OK(ReleaseMutex(mutex));
        step_aside(self, i + 2);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_OK(ReleaseMutex(mutex));
        EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
        step_aside(self, i);
    }
}

static void mutex_in_turn(int schedulers)
{
    mutex = CreateMutexA(NULL, FALSE, NULL);
    ASSERT_OK(mutex != NULL);
    inside = 0;
    EXPECT_OK(run_moving(schedulers, 4, take_the_mutex_in_turn, NULL, NULL));
    EXPECT_OK(CloseHandle(mutex));
}

TEST(Ownership, mutex_on_one_scheduler)
{
    mutex_in_turn(1);
}

TEST(Ownership, mutex_on_two_schedulers)
{
    mutex_in_turn(2);
}

static void take_the_section_in_turn(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        EnterCriticalSection(&section);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        EXPECT_EQ(section.OwningThread, (HANDLE)(ULONG_PTR)self->id);
        step_aside(self, i);
        EXPECT_OK(TryEnterCriticalSection(&section));
        EXPECT_EQ(section.RecursionCount, 2);
        step_aside(self, i + 1);
        EXPECT_EQ(section.OwningThread, (HANDLE)(ULONG_PTR)self->id);
        LeaveCriticalSection(&section);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        LeaveCriticalSection(&section);
        step_aside(self, i);
    }
}

TEST(Ownership, critical_section)
{
    InitializeCriticalSection(&section);
    inside = 0;
    EXPECT_OK(run_moving(2, 4, take_the_section_in_turn, NULL, NULL));
    DeleteCriticalSection(&section);
}

/* ---- What others may do meanwhile: nothing ------------------------------------------------- */

static void try_others_mutex(void)
{
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_TIMEOUT);
    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
    EXPECT_EQ(TryEnterCriticalSection(&section), FALSE);
}

static void own_or_try(struct worker *self)
{
    if (self->index == 0) {
        mutex = CreateMutexA(NULL, TRUE, NULL); /* owned from the beginning */
        EnterCriticalSection(&section);
        flag_set(&taken, 1);
        for (int i = 0; flag_get(&told) < 2 && !tc_failures(); i++)
            step_aside(self, i);
        LeaveCriticalSection(&section);
        EXPECT_OK(ReleaseMutex(mutex));
        flag_set(&told, 3);
        return;
    }
    ASSERT_OK(yield_until(&taken));
    for (int i = 0; i < ROUNDS; i++) {
        try_others_mutex();
        step_aside(self, i);
    }
    flag_add(&told, 1);
    while (flag_get(&told) < 3 && !tc_failures())
        step_aside(self, 0);
    /* Free again. */
    EXPECT_EQ(WaitForSingleObject(mutex, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(mutex));
}

static void schedulers_do_not_own_it(const struct activation *activation, void *arg)
{
    if (flag_get(&taken) && flag_get(&told) < 2)
        EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
}

static void nobody_elses(int schedulers)
{
    taken = told = 0;
    InitializeCriticalSection(&section);
    EXPECT_OK(run_moving(schedulers, 3, own_or_try, NULL, schedulers_do_not_own_it));
    EXPECT_OK(CloseHandle(mutex));
    DeleteCriticalSection(&section);
}

TEST(Ownership, nobody_elses_on_one_scheduler)
{
    nobody_elses(1);
}

TEST(Ownership, nobody_elses_on_two_schedulers)
{
    nobody_elses(2);
}

/* ---- Ends ---------------------------------------------------------------------------------- */

static void leave_it_behind(struct worker *self)
{
    if (self->index == 0) {
        EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0);
        flag_set(&taken, 1);
        move_on(self);
        return; /* ends as the owner */
    }
    ASSERT_OK(yield_until(&taken));
    EXPECT_EQ(WaitForSingleObject(mutex, LIMIT_MS), WAIT_ABANDONED);
    move_on(self);
    EXPECT_OK(ReleaseMutex(mutex));
}

TEST(Ownership, mutex_of_a_worker_that_ended)
{
    mutex = CreateMutexA(NULL, FALSE, NULL);
    ASSERT_OK(mutex != NULL);
    taken = 0;
    EXPECT_OK(run_moving(2, 2, leave_it_behind, NULL, NULL));
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0); /* and not abandoned again */
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_OK(CloseHandle(mutex));
}

/* A worker waits while it holds another: the owner keeps what it has through a block. */
static void hold_one_wait_for_another(struct worker *self)
{
    HANDLE *two = self->arg;

    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        ASSERT_EQ(WaitForSingleObject(two[0], LIMIT_MS), WAIT_OBJECT_0);
        ASSERT_EQ(WaitForMultipleObjects(2, two, TRUE, LIMIT_MS), WAIT_OBJECT_0);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        step_aside(self, i);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_OK(ReleaseMutex(two[1]));
        EXPECT_OK(ReleaseMutex(two[0]));
        EXPECT_OK(ReleaseMutex(two[0]));
        EXPECT_FAILS(ReleaseMutex(two[0]), ERROR_NOT_OWNER);
    }
}

TEST(Ownership, two_mutexes)
{
    HANDLE two[2] = {CreateMutexA(NULL, FALSE, NULL), CreateMutexA(NULL, FALSE, NULL)};

    ASSERT_OK(two[0] && two[1]);
    inside = 0;
    EXPECT_OK(run_moving(2, 4, hold_one_wait_for_another, two, NULL));
    EXPECT_OK(CloseHandle(two[0]));
    EXPECT_OK(CloseHandle(two[1]));
}
