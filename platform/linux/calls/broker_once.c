/* SPDX-License-Identifier: MIT
 *
 * broker_once.c - see broker_once.h.
 */
#include "platform/linux/calls/broker_once.h"

#include "platform/linux/calls/broker.h"
#include "platform/linux/os/raw.h"

struct making {
    struct broker_once *once;
    bool (*make)(void);
};

/* On a broker thread. If the making has begun already, it runs on another lane's broker thread, and
 * this one waits for its end. */
static void make_or_wait(void *arg)
{
    struct making *making = arg;
    _Atomic uint32_t *state = &making->once->state;
    uint32_t seen = ONCE_NOT;
    if (atomic_compare_exchange_strong_explicit(state, &seen, ONCE_BEGUN, memory_order_acquire,
                                                memory_order_acquire)) {
        uint32_t now = making->make() ? ONCE_DONE : ONCE_NOT;
        atomic_store_explicit(state, now, memory_order_release);
        futex_wake(state, INT32_MAX);
        return;
    }
    while (atomic_load_explicit(state, memory_order_acquire) == ONCE_BEGUN)
        futex_wait(state, ONCE_BEGUN);
}

bool broker_once(struct broker_once *once, bool (*make)(void))
{
    struct making making = {once, make};
    if (!broker_once_done(once))
        broker_run(make_or_wait, &making);
    return broker_once_done(once);
}
