/* SPDX-License-Identifier: MIT
 *
 * baton.h - how one thread waits until another has done something for it.
 *
 * A worker's scheduler changes SHUT to WAITED, after the worker's stack was left. The other thread
 * changes the word to POSTED when it is done. The second of the two sees the first: a worker that
 * finds its baton POSTED goes on, one that has left is queued. A scheduler or a plain thread waits
 * in place, and its baton goes from SHUT to POSTED.
 *
 * The baton lies on the stack of the waiter, and may be gone as soon as it is POSTED.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_BATON_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_BATON_H

#include "platform/linux/current.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

/* The scheduler notes that the worker waits for the baton. False: the baton is POSTED already. */
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
