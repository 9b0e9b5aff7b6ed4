/* SPDX-License-Identifier: MIT
 *
 * baton.h - where one thread waits for what another does for it.
 *
 * SHUT -> WAITED by the scheduler, after the worker's stack was left; -> POSTED by the thread that
 * is done. The second to come sees the other: a worker that finds its baton open goes on, one that
 * has left is queued. Anybody else (a scheduler, a plain thread) waits in place, and its baton goes
 * from SHUT to POSTED.
 *
 * The baton lies on the stack of the waiter, and may be gone as soon as it is open.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_BATON_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_BATON_H

#include "platform/linux/current.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

/* On the scheduler. False: open already. */
static inline bool baton_left(void *arg)
{
    struct baton *baton = arg;
    uint32_t shut = BATON_SHUT;
    return atomic_compare_exchange_strong_explicit(&baton->word, &shut, BATON_WAITED,
                                                   memory_order_acq_rel, memory_order_acquire);
}

static inline void baton_wait(struct baton *baton)
{
    if (baton->worker) {
        if (atomic_load_explicit(&baton->word, memory_order_acquire) == BATON_SHUT)
            engine_core->worker_wait(baton->worker, baton_left, baton);
        return;
    }
    while (atomic_load_explicit(&baton->word, memory_order_acquire) == BATON_SHUT)
        futex_wait(&baton->word, BATON_SHUT);
}

static inline void baton_post(struct baton *baton)
{
    struct plat_context *worker = baton->worker;
    uint32_t was = atomic_exchange_explicit(&baton->word, BATON_POSTED, memory_order_acq_rel);
    if (was == BATON_WAITED)
        engine_core->worker_completed(worker);
    else if (!worker)
        futex_wake(&baton->word, 1); /* the baton may be gone: a wake-up that nobody gets */
}

#endif
