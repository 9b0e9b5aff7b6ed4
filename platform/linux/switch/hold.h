/* SPDX-License-Identifier: MIT
 *
 * hold.h - a scheduler that is held: one of its signal handlers has not returned, so its entry
 * point may not run.
 *
 * The handler runs on the scheduler's home (interrupt/home_signals.h), which uses the scheduler's
 * thread pointer and, where a worker is loaded, the stack on which the entry point would run. So no
 * other thread uses these meanwhile:
 *
 *     the scheduler executes a worker  the worker goes on. When it leaves, its carrier waits on the
 *                                      stack and with the thread pointer of its idle loop until the
 *                                      scheduler is let go. A worker that has to wait may be the
 *                                      one whose work ends the hold: so the carrier goes on with it
 *                                      as soon as its wait is over (core->held.keep). One that
 *                                      yields waits before it leaves, and answers signals
 *     it runs its entry point          its carrier stands still where the entry point waits, or in
 *                                      the handler of the stop signal or at a stop point when
 *                                      stops have met it HOLD_PATIENCE times: it may have dequeued
 *                                      the worker that is to let it go in the end. Meanwhile it
 *                                      uses no thread-local data. Mostly it executes a worker first
 *
 * `runs.hold` has HOLD_ON while the scheduler is held; signals_lock covers that bit. When the home
 * clears it, it sets HOLD_ENDS for as long as it uses the thread pointer still, to give the lock
 * back. So a carrier goes on when both are clear, and a hold may begin anew before that. The rest
 * of the word counts what a waiting carrier is told. The kernel thread that carries the scheduler
 * begins a hold, so it cannot be on its way from the worker to the scheduler. It has `loaded` set
 * to NULL, by which each leave from there on comes here (plat_leave_slowly), and puts it back when
 * it has found the scheduler let go.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_HOLD_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_HOLD_H

#include "platform/linux/plat_types.h"

enum { HOLD_ON = 1, HOLD_ENDS = 2, HOLD_NEWS = 4 };
enum { HOLD_PATIENCE = 50 }; /* stops, one a millisecond */

static inline bool hold_is_on(const struct plat_context *scheduler)
{
    return atomic_load_explicit(&scheduler->runs.hold, memory_order_acquire) & HOLD_ON;
}

static inline bool hold_lasts(uint32_t word)
{
    return word & (HOLD_ON | HOLD_ENDS);
}

/* The carrier's thread, with the worker on it: its next leave comes to
 * plat_leave_slowly. */
void hold_carried(struct plat_context *scheduler);
extern void (*hold_handlers)(struct plat_context *worker); /* start.c sets it */
/* Waits until the scheduler is let go. Uses no thread-local data. */
void hold_await(struct plat_context *scheduler);
/* Wakes the carrier that waits. */
void hold_tell(struct plat_context *scheduler);

#endif
