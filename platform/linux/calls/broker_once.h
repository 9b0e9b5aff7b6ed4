/* SPDX-License-Identifier: MIT
 *
 * broker_once.h - a thread or process of the library's that the first who needs it makes, on a
 * broker thread.
 *
 * A broker thread runs one request after the other. So nobody says that the making has begun before
 * it runs on a broker thread: else a second caller's request might wait there for one that is
 * queued behind it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_BROKER_ONCE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_BROKER_ONCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { ONCE_NOT, ONCE_BEGUN, ONCE_DONE };

struct broker_once {
    _Atomic uint32_t state; /* futex */
};

static inline bool broker_once_done(struct broker_once *once)
{
    return atomic_load_explicit(&once->state, memory_order_acquire) == ONCE_DONE;
}
/* Waits until it is made. False: it could not be, and the next call tries again. With nothing held;
 * the broker threads are there. */
bool broker_once(struct broker_once *once, bool (*make)(void));
/* In a child after fork: it is not made yet. */
static inline void broker_once_forget(struct broker_once *once)
{
    atomic_store_explicit(&once->state, ONCE_NOT, memory_order_relaxed);
}

#endif
