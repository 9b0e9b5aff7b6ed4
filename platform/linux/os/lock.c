/* SPDX-License-Identifier: MIT
 *
 * lock.c - the engine's locks where they are contended; plat_types.h has the rest.
 *
 * A lock is a word of two halves: whether it is held, and how many threads sleep. A thread that
 * finds it held tries again for a moment, then counts itself among the sleepers, and sleeps in a
 * futex until it has the lock. A thread that releases it and finds sleepers wakes one.
 *
 * The dispatcher's locks are released with a plain store (plat_unlock_lasting), which the processor
 * may still keep to itself when it reads the count of sleepers. So two threads could miss each
 * other: one reads "no sleepers", the other reads "held" and sleeps for ever. The thread that is
 * about to sleep prevents that by membarrier(2), between its announcement and its last look: every
 * thread of the process passes a full fence. The look sees a release from before that fence; a
 * release after it sees the announcement. Where the system refuses membarrier, each release has a
 * fence of its own.
 */
#include <linux/membarrier.h>
#include <sched.h>

#include "platform/linux/os/lock_ranks.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

_Atomic bool plat_locks_fenced;

enum { LOOKS = 40, MOST_SLEEPERS = UINT16_MAX };

/* Called when the library is loaded, and in a child after fork. Later, when other threads run, it
 * would take milliseconds. */
__attribute__((constructor)) void locks_prepare(void)
{
    long r = RAW3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    atomic_store_explicit(&plat_locks_fenced, r == 0, memory_order_relaxed);
}

static bool try_for(struct plat_lock *lock, uint32_t less)
{
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    return !(word & LOCK_HELD) &&
           atomic_compare_exchange_strong_explicit(&lock->word, &word, (word | LOCK_HELD) - less,
                                                   memory_order_acquire, memory_order_relaxed);
}

/* Counts the caller among the sleepers; false: the count is at its maximum. */
static bool announce(struct plat_lock *lock)
{
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    do
        if (word / LOCK_SLEEPER == MOST_SLEEPERS)
            return false;
    while (!atomic_compare_exchange_weak_explicit(&lock->word, &word, word + LOCK_SLEEPER,
                                                  memory_order_seq_cst, memory_order_relaxed));
    RAW3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    return true;
}

void plat_lock_contended(struct plat_lock *lock)
{
    for (int i = 0; i < LOOKS; i++) {
        __builtin_ia32_pause();
        if (try_for(lock, 0))
            return;
    }
    while (!announce(lock)) {
        RAW0(SYS_sched_yield);
        if (try_for(lock, 0))
            return;
    }
    while (!try_for(lock, LOCK_SLEEPER)) {
        uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
        if (word & LOCK_HELD)
            futex_wait(&lock->word, word);
    }
}

void plat_unlock_contended(struct plat_lock *lock)
{
    futex_wake(&lock->word, 1);
}
