/* SPDX-License-Identifier: MIT
 *
 * broker_once.h - makes a thread or process of the library's once, on a broker thread, when the
 * first caller needs it.
 *
 * A broker thread runs one request after the other. So the state becomes ONCE_BEGUN on a broker
 * thread, never in the caller: else the request of a second caller might wait there for one that is
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
/* Waits until `make` has succeeded, for this caller or another. False: it failed, and the next call
 * tries again. The caller holds no lock; the program's broker is there. */
bool broker_once(struct broker_once *once, bool (*make)(void));
/* In a child after fork, which does not have the thread or process. */
static inline void broker_once_forget(struct broker_once *once)
{
    atomic_store_explicit(&once->state, ONCE_NOT, memory_order_relaxed);
}

#endif
