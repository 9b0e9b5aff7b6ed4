/* SPDX-License-Identifier: MIT
 *
 * signal_in_lock.c - signals sent to a worker that waits for a lock, a word or a condition: the
 * worker handles them at once, and has the lock when its call returns.
 *
 * modes: ways
 */
#include "signal_in_wait.h"

/* The tester has it when the worker comes. */
static DWORD enter(struct waiting *self)
{
    EnterCriticalSection(&self->section);
    EXPECT_EQ(flag_get(&self->ready), 1);
    LeaveCriticalSection(&self->section);
    return 1;
}

static DWORD acquire(struct waiting *self)
{
    AcquireSRWLockExclusive(&self->lock);
    EXPECT_EQ(flag_get(&self->ready), 1);
    ReleaseSRWLockExclusive(&self->lock);
    return 1;
}

static DWORD acquire_shared(struct waiting *self)
{
    AcquireSRWLockShared(&self->lock);
    EXPECT_EQ(flag_get(&self->ready), 1);
    ReleaseSRWLockShared(&self->lock);
    return 1;
}

static DWORD sleep_on_condition(struct waiting *self)
{
    EnterCriticalSection(&self->section);
    while (!flag_get(&self->ready))
        EXPECT_OK(SleepConditionVariableCS(&self->condition, &self->section, INFINITE));
    LeaveCriticalSection(&self->section);
    return 1;
}

static DWORD wait_on_address(struct waiting *self)
{
    int undesired = 0;

    while (!flag_get(&self->ready))
        EXPECT_OK(WaitOnAddress(&self->ready, &undesired, sizeof undesired, INFINITE));
    return 1;
}

static void free_all(struct waiting *self)
{
    flag_set(&self->ready, 1);
    LeaveCriticalSection(&self->section);
    ReleaseSRWLockExclusive(&self->lock);
    WakeByAddressAll(&self->ready);
}

static void wake(struct waiting *self)
{
    EnterCriticalSection(&self->section);
    flag_set(&self->ready, 1);
    WakeConditionVariable(&self->condition);
    LeaveCriticalSection(&self->section);
}

static void run_locked(DWORD (*wait)(struct waiting *))
{
    install(SIGUSR1, on_signal);
    if (!begin(wait, free_all))
        return;
    EnterCriticalSection(&now.section);
    AcquireSRWLockExclusive(&now.lock);
    if (waits(loose_add(&rig, wait_here, &now, 0)))
        signal_it();
    now.end(&now);
    finish();
    EXPECT_EQ(now.result, 1);
    EXPECT_OK(TryEnterCriticalSection(&now.section));
    EXPECT_OK(TryAcquireSRWLockExclusive(&now.lock));
}

CALL_TEST(SignalInLock, for_a_critical_section, run_locked(enter))
CALL_TEST(SignalInLock, for_a_lock, run_locked(acquire))
CALL_TEST(SignalInLock, for_a_shared_lock, run_locked(acquire_shared))
CALL_TEST(SignalInLock, for_a_word, run_locked(wait_on_address))

TEST(SignalInLock, for_a_condition)
{
    run(sleep_on_condition, wake, 1);
}
