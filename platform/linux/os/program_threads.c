/* SPDX-License-Identifier: MIT
 *
 * program_threads.c - see program_threads.h.
 *
 * There is a count for each processor, and the number of counts that are not 0. That number changes
 * seldom: a thread that a worker makes is counted at the scheduler's processor, and the scheduler
 * is counted there once more. So births and ends on two processors do not meet. A thread is counted
 * off where it was counted. A processor's count and its part in the number change under its lock.
 * The last thread takes the number to 0.
 */
#include "platform/linux/os/program_threads.h"

#include "platform/linux/os/births.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

static struct stripe {
    _Alignas(64) PLAT_LOCK(PROGRAM) lock;
    unsigned count;
} stripes[PROGRAM_THREAD_PLACES] = {{.count = 1}}; /* the thread that loads this library */

static _Atomic unsigned used_stripes = 1;

static void count_one(unsigned at)
{
    struct stripe *stripe = &stripes[at];
    plat_lock(&stripe->lock);
    if (!stripe->count++) {
        plat_written(&used_stripes);
        atomic_fetch_add_explicit(&used_stripes, 1, memory_order_relaxed);
    }
    plat_unlock(&stripe->lock);
}

static bool count_off(unsigned at)
{
    struct stripe *stripe = &stripes[at];
    bool last = false;
    plat_lock(&stripe->lock);
    if (!--stripe->count) {
        plat_written(&used_stripes);
        last = atomic_fetch_sub_explicit(&used_stripes, 1, memory_order_acq_rel) == 1;
    }
    plat_unlock(&stripe->lock);
    return last;
}

unsigned program_thread_began(void)
{
    unsigned at = plat_processor() % PROGRAM_THREAD_PLACES;
    count_one(at);
    return at;
}

void program_thread_failed(unsigned counted_at)
{
    count_off(counted_at);
}

bool program_thread_ended(unsigned counted_at)
{
    return count_off(counted_at);
}

void program_scheduler_entered(void)
{
    plat_tls.counting.too = (uint8_t)(program_thread_began() + 1);
}

void program_scheduler_left(void)
{
    if (plat_tls.counting.too) /* 0 in a child that was forked in between */
        count_off(plat_tls.counting.too - 1u);
    plat_tls.counting.too = 0;
}

bool program_has_threads(void)
{
    return atomic_load_explicit(&used_stripes, memory_order_acquire) != 0;
}

void program_threads_reset(void)
{
    for (unsigned i = 0; i < PROGRAM_THREAD_PLACES; i++)
        stripes[i] = (struct stripe){0};
    births_forget();
    stripes[0].count = 1;
    plat_tls.counting.at = plat_tls.counting.too = 0;
    atomic_store_explicit(&used_stripes, 1, memory_order_relaxed);
}
