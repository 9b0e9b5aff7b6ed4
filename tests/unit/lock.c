/* SPDX-License-Identifier: MIT
 *
 * Locks that are contended (platform/linux/os/lock.c): who sleeps has said so, has had all others fenced, and has looked
 * once more; who releases a lock wakes one that sleeps. The kernel's calls are where other threads take their turn.
 */
#define plat_lock_contended contended_lock /* the doubles have their own, which end a unit */
#define plat_unlock_contended contended_unlock
#define plat_locks_fenced locks_fenced
#include "platform/linux/os/lock.c"

#include "doubles.h"
#include "gtest_c.h"
#include "platform/check.h"

static PLAT_LOCK(OBJECT) lock;
static struct calls {
    unsigned fences, sleeps, wakes, yields, others;
} calls;
static long fence_result;
static enum moment { NEVER, AT_FENCE, AT_SLEEP, AT_YIELD } released_at;

static const uint32_t full = (uint32_t)MOST_SLEEPERS * LOCK_SLEEPER;

/* As the thread that has it does, but that its own count of locks is not the caller's. */
static void release_elsewhere(void)
{
    plat_unlock_lasting(&lock);
    plat_tls.locks++;
}

static uint32_t sleepers(void)
{
    return atomic_load(&lock.lock.word) / LOCK_SLEEPER;
}

static long other_threads(long nr, const long args[6])
{
    enum moment now = NEVER;

    if (nr == SYS_membarrier) {
        calls.fences++;
        if (args[0] == MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
            return fence_result;
        EXPECT_EQ(args[0], MEMBARRIER_CMD_PRIVATE_EXPEDITED);
        EXPECT_GE(sleepers(), 1u); /* announced before */
        now = AT_FENCE;
    } else if (nr == SYS_futex && (args[1] & FUTEX_CMD_MASK) == FUTEX_WAKE) {
        EXPECT_EQ(args[0], (long)(uintptr_t)&lock.lock.word);
        EXPECT_EQ(args[2], 1);
        calls.wakes++;
    } else if (nr == SYS_futex) {
        EXPECT_EQ(args[0], (long)(uintptr_t)&lock.lock.word);
        EXPECT_EQ((uint32_t)args[2], atomic_load(&lock.lock.word));
        EXPECT_GE(calls.fences, 1u);
        if (calls.sleeps++ == 3)
            UMS_FATAL("it sleeps again and again", &lock, sleepers());
        now = AT_SLEEP;
    } else if (nr == SYS_sched_yield) {
        if (calls.yields++ == 3)
            UMS_FATAL("it gives way again and again", &lock, sleepers());
        now = AT_YIELD;
    } else {
        calls.others++;
    }
    if (now && now == released_at) {
        released_at = NEVER;
        release_elsewhere();
    }
    return 0;
}

static void start(uint32_t word, enum moment moment)
{
    calls = (struct calls){0};
    released_at = moment;
    double_syscall = other_threads;
    plat_tls.locks = 0;
    atomic_store(&locks_fenced, true);
    atomic_store(&lock.lock.word, word);
}

static void expect_calls(unsigned fences, unsigned sleeps, unsigned wakes, unsigned yields)
{
    EXPECT_EQ(calls.fences, fences);
    EXPECT_EQ(calls.sleeps, sleeps);
    EXPECT_EQ(calls.wakes, wakes);
    EXPECT_EQ(calls.yields, yields);
    EXPECT_EQ(calls.others, 0u);
}

TEST(Lock, a_free_one_takes_no_call)
{
    start(0, NEVER);
    plat_lock(&lock);
    EXPECT_EQ(atomic_load(&lock.lock.word), (uint32_t)LOCK_HELD);
    plat_unlock(&lock);
    plat_lock(&lock);
    plat_unlock_lasting(&lock);
    EXPECT_EQ(atomic_load(&lock.lock.word), 0u);
    expect_calls(0, 0, 0, 0);
}

TEST(Lock, who_sleeps_counts_until_it_has_the_lock)
{
    start(LOCK_HELD, AT_SLEEP);
    plat_lock(&lock);
    EXPECT_EQ(atomic_load(&lock.lock.word), (uint32_t)LOCK_HELD);
    expect_calls(1, 1, 1, 0); /* the wake-up is by who had it */
}

/* It reads "no sleepers" before the announcement; the look behind the fence sees that it is free. */
TEST(Lock, released_before_the_last_look_it_is_not_slept_on)
{
    start(LOCK_HELD, AT_FENCE);
    plat_lock(&lock);
    EXPECT_EQ(atomic_load(&lock.lock.word), (uint32_t)LOCK_HELD);
    expect_calls(1, 0, 1, 0);
}

TEST(Lock, others_that_sleep_stay_counted)
{
    start(LOCK_HELD + 5 * LOCK_SLEEPER, AT_SLEEP);
    plat_lock(&lock);
    EXPECT_EQ(atomic_load(&lock.lock.word), (uint32_t)LOCK_HELD + 5 * LOCK_SLEEPER);
}

TEST(Lock, one_is_woken_by_either_kind_of_release)
{
    start(LOCK_HELD + 2 * LOCK_SLEEPER, NEVER);
    plat_unlock(&lock);
    EXPECT_EQ(atomic_load(&lock.lock.word), 2u * LOCK_SLEEPER);
    expect_calls(0, 0, 1, 0);
    start(LOCK_HELD + 2 * LOCK_SLEEPER, NEVER);
    plat_unlock_lasting(&lock);
    EXPECT_EQ(atomic_load(&lock.lock.word), 2u * LOCK_SLEEPER);
    expect_calls(0, 0, 1, 0);
}

/* One more would be the lock of nobody. */
TEST(Lock, more_than_can_be_counted_do_not_sleep)
{
    start(full + LOCK_HELD, AT_YIELD);
    plat_lock(&lock);
    EXPECT_EQ(atomic_load(&lock.lock.word), full + LOCK_HELD);
    expect_calls(0, 0, 1, 1);
}

/* Without the kernel's fence each release has one of its own. */
TEST(Lock, a_system_without_membarrier_is_noted)
{
    start(0, NEVER);
    fence_result = -38; /* ENOSYS */
    locks_prepare();
    EXPECT_EQ(atomic_load(&locks_fenced), false);
    fence_result = 0;
    locks_prepare();
    EXPECT_EQ(atomic_load(&locks_fenced), true);
}
