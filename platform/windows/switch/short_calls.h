/* SPDX-License-Identifier: MIT
 *
 * short_calls.h - a worker's call that is expected to be short. The worker's own thread makes it
 * while its scheduler waits for it. It is a block only if it takes longer than the scheduler's
 * patience.
 *
 * The worker's `call` counts its calls, and says in the lower two bits how the last one stands:
 *
 *   NONE   no call, or one of another kind              the worker -> MADE
 *   MADE   under way; the worker is RUNNING             its scheduler -> TOLD, the worker -> NONE,
 *                                                       a thread that stops its thread -> HELD
 *   HELD   its thread was stopped in it (stop.c)        the thread that resumes it -> MADE
 *   TOLD   BLOCKED, its scheduler goes on with Blocked  the worker -> NONE, and it completes itself
 *
 * The worker enters MADE without a lock, for no other thread changes NONE. All other changes happen
 * under call_lock. So it is decided once whether a call was a block: by the worker whose call is
 * over, or by the scheduler whose patience is, whichever takes the lock first. The scheduler that
 * waits for the worker decides for TOLD. Its own word is empty then, so no other thread has given
 * it anything to do. From the unlock on the worker is its own thread's, as after call_leave. The
 * worker is BLOCKED before the lock is released: a thread that finds TOLD finds it BLOCKED.
 *
 * A worker in a call that is MADE may be suspended and ended as in any system call that nobody
 * hooks.
 *
 * A scheduler that waits for its worker says until when in `watches_until` (0: it sleeps until it
 * is woken). The worker writes `call` and then reads `watches_until`. The scheduler writes
 * `watches_until` and then reads `call`. So one of them sees the other, and no call goes unwatched:
 * the worker wakes a scheduler that would come too late. It does not wake one that already watches.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_SHORT_CALLS_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_SHORT_CALLS_H

#include "platform/windows/engine.h"

enum { SHORT_CALL_STATES = 3 };

/* Whether the worker is in such a call. Code that runs on its thread meanwhile is an APC, and may
 * not leave. */
static inline bool short_call_is_made(const struct plat_context *self)
{
    return atomic_load_explicit(&self->call, memory_order_relaxed) & SHORT_CALL_STATES;
}

/* The calling worker, hosted or at home, is about to make a call, on its own thread. */
void short_call_begin(struct plat_context *self, uint64_t patience_ns);
/* The same worker, at home, has made it. True: the call took long and its scheduler went on, so the
 * worker comes back as after call_leave. */
bool short_call_end(struct plat_context *self);

/* The scheduler waits for a worker that runs on its own thread. True: it goes on with Blocked, for
 * the worker's call takes long. False: the scheduler's word was filled. */
bool short_call_await(struct plat_context *scheduler, struct plat_context *worker);

/* The caller has stopped the worker's thread, and has found the worker RUNNING (or, if `blocked`,
 * BLOCKED). Keeps it in that state. False: its scheduler has been told meanwhile. */
bool short_call_hold(struct plat_context *worker, bool blocked);
/* The worker's thread is about to go on. */
void short_call_release(struct plat_context *worker);

#endif
