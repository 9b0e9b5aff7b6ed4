/* SPDX-License-Identifier: MIT
 *
 * state.h - the life of a context: its states, its owner in each, and the only ways to change it.
 *
 * Owning a context means: may touch its stack pointer, its list link, its call record. Ownership
 * moves with the state word, by a release store or a compare-exchange that the next owner acquires.
 *
 *   state         owner                                   leaves it
 *   FREE          the arena                               CreateUmsThreadContext -> EMPTY
 *   EMPTY         the application; no thread              creation -> STARTING, delete -> FREE
 *   STARTING      the thread that creates it, then home;  home parked -> QUEUED, failure -> EMPTY
 *                 created suspended: its resumer          (killed -> EXITING)
 *   QUEUED        its completion list                     dequeue -> READY
 *   READY         the application                         execute (one winner) -> RUNNING
 *   RUNNING       the scheduler that executed it          yield -> READY, block -> BLOCKED,
 *                                                         suspended -> STOPPED, end -> EXITING
 *   BLOCKED       the thread that will complete it: a     complete -> QUEUED, or back to RUNNING
 *                 reactor, a timer, one that signals      when it need not wait after all;
 *                                                         terminating: -> EXITING
 *   STOPPED       the thread that resumes it last         resume -> QUEUED, killed -> EXITING
 *   EXITING       its home thread                         home gone -> TERM_QUEUED; killed while
 *                                                         parked -> TERMINATED
 *   TERM_QUEUED   its completion list                     dequeue -> TERMINATED, delete -> ZOMBIE
 *   TERMINATED    the application                         delete -> FREE, new thread -> STARTING
 *   ZOMBIE        its completion list; deleted already    dequeue -> FREE
 *   SCHEDULER     the implicit context of a scheduler     leave -> FREE
 *
 * RUNNING -> READY and RUNNING -> BLOCKED happen only after the worker's stack was left: by code on
 * the scheduler's stack, or by the reactor while the worker's carrier stands still in the kernel.
 * So a thread that finds READY or QUEUED finds a context that is saved completely.
 */
#ifndef UMSSHIM_STATE_H
#define UMSSHIM_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/check.h"

enum ums_state {
    UMS_FREE,
    UMS_EMPTY,
    UMS_STARTING,
    UMS_QUEUED,
    UMS_READY,
    UMS_RUNNING,
    UMS_BLOCKED,
    UMS_STOPPED,
    UMS_EXITING,
    UMS_TERM_QUEUED,
    UMS_TERMINATED,
    UMS_ZOMBIE,
    UMS_SCHEDULER,
    UMS_STATES
};

#ifdef UMSSHIM_CHECKS
static inline bool ums__legal(uint32_t from, uint32_t to)
{
#define TO(s) (1u << (UMS_##s))
    static const uint16_t legal[UMS_STATES] = {
        [UMS_FREE] = TO(EMPTY) | TO(SCHEDULER),
        [UMS_EMPTY] = TO(STARTING) | TO(FREE),
        [UMS_STARTING] = TO(QUEUED) | TO(EMPTY) | TO(EXITING),
        [UMS_QUEUED] = TO(READY),
        [UMS_READY] = TO(RUNNING) | TO(EXITING),
        [UMS_RUNNING] = TO(READY) | TO(BLOCKED) | TO(STOPPED) | TO(QUEUED) | TO(EXITING),
        [UMS_BLOCKED] = TO(QUEUED) | TO(RUNNING) | TO(EXITING),
        [UMS_STOPPED] = TO(QUEUED) | TO(EXITING),
        [UMS_EXITING] = TO(TERM_QUEUED) | TO(TERMINATED),
        [UMS_TERM_QUEUED] = TO(TERMINATED) | TO(ZOMBIE),
        [UMS_TERMINATED] = TO(FREE) | TO(STARTING),
        [UMS_ZOMBIE] = TO(FREE),
        [UMS_SCHEDULER] = TO(FREE),
    };
#undef TO
    return from < UMS_STATES && to < UMS_STATES && (legal[from] >> to & 1);
}
#endif

/* The owner gives its context to the next owner. Release: the next owner sees what it wrote
 * before. */
static inline void ums__state_set(_Atomic uint32_t *state, uint32_t from, uint32_t to)
{
#ifdef UMSSHIM_CHECKS
    uint32_t was = atomic_load_explicit(state, memory_order_relaxed);
    if (was != from || !ums__legal(from, to))
        UMS_FATAL("illegal change of state", was, to);
#else
    (void)from;
#endif
    atomic_store_explicit(state, to, memory_order_release);
}

/* One of several contenders takes a context: true for the winner, which acquires what the last
 * owner released. */
static inline bool ums__state_claim(_Atomic uint32_t *state, uint32_t from, uint32_t to)
{
#ifdef UMSSHIM_CHECKS
    if (!ums__legal(from, to))
        UMS_FATAL("illegal change of state", from, to);
#endif
    return atomic_compare_exchange_strong_explicit(state, &from, to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

#endif
