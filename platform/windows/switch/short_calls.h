/* SPDX-License-Identifier: MIT
 *
 * short_calls.h - a worker's call that is expected to be short: made on its own thread, while its
 * scheduler waits for it. Only if it takes longer than the scheduler has patience for is it a
 * block.
 *
 * The worker's `call` counts its calls, and says in the lower two bits how the last one stands:
 *
 *   NONE   no call, or one of another kind              the worker -> MADE
 *   MADE   under way; the worker is RUNNING             its scheduler -> TOLD, the worker -> NONE,
 *                                                       who stops the worker's thread -> HELD
 *   HELD   its thread was stopped in it (stop.c)        who lets the thread go on -> MADE
 *   TOLD   BLOCKED, its scheduler goes on with Blocked  the worker -> NONE, and it completes itself
 *
 * MADE is entered without a lock, for then nobody else may change the word; everything else happens
 * under call_lock. So whether a call was a block is decided once: whoever has the lock first, the
 * worker whose call is over or the scheduler whose patience is. TOLD is decided on the scheduler,
 * by the thread that waits for the worker: its own word is empty then, so no one else has given it
 * anything to do, and from the unlock on the worker is its own thread's, as after call_leave. The
 * worker is BLOCKED before the lock is released: a thread that finds TOLD finds it BLOCKED.
 *
 * A worker in a call that is MADE may be suspended and ended as in any system call that nobody
 * hooks.
 *
 * A scheduler that waits for its worker says until when (`watches_until`, 0: it sleeps until it is
 * woken). The worker writes its word first and looks at that after it; the scheduler writes that
 * first and looks at the word after it. So one of them sees the other, and a call is never made
 * unwatched: the worker wakes a scheduler that would come too late. One that waits already for a
 * call is not woken again for the next.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_SHORT_CALLS_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_SHORT_CALLS_H

#include "platform/windows/engine.h"

enum { SHORT_CALL_STATES = 3 };

/* The worker is in one: what runs on its thread meanwhile is an APC, which may not leave. */
static inline bool short_call_is_made(const struct plat_context *self)
{
    return atomic_load_explicit(&self->call, memory_order_relaxed) & SHORT_CALL_STATES;
}

/* The calling worker, hosted or at home, is about to make a call, on its own thread. */
void short_call_begin(struct plat_context *self, uint64_t patience_ns);
/* The same worker, at home, has made it. True: the call took long, and its scheduler went on: the
 * worker comes back as after call_leave. */
bool short_call_end(struct plat_context *self);

/* The scheduler waits for a worker that runs on its own thread. True: it goes on with Blocked, for
 * the worker's call takes long. False: its word was filled. */
bool short_call_await(struct plat_context *scheduler, struct plat_context *worker);

/* The worker's thread stands still, and it was found to run (or, if it is to be cancelled,
 * blocked): it stays so. False: its scheduler has been told meanwhile. */
bool short_call_hold(struct plat_context *worker, bool blocked);
/* Its thread is about to go on. */
void short_call_release(struct plat_context *worker);

#endif
