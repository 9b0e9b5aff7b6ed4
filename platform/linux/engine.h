/* SPDX-License-Identifier: MIT
 *
 * engine.h - the Linux engine as a whole: its threads, owners, the lock order.
 *
 * Kernel threads
 *   home        one per worker: owns its stack, TCB and thread id; parked while the worker lives
 *   carrier     filtered; lends its processor to whatever context is loaded on it
 *   spawner     filtered; clones carriers, one per lane
 *   reactor     one per lane: receives the notifications, starts the calls, owns the ring
 *   timer       one per lane and one more: fires what is due
 *   fault watch, and one for each lane that runs when its processor is idle: with UMSSHIM_FAULTS=1
 *   broker (thread creation), signal thread, handler thread, helpers: one of each, as many as are needed
 * A lane is a processor's set of them. Everything but homes and carriers is born and stays outside
 * the filter; everything has asynchronous signals blocked.
 *
 * From a block to the entry point (blocked worker W, scheduler S, carriers A and C, reactor R)
 *   1. A makes the call with W loaded; the filter turns it into a notification; A stands still.
 *   2. R receives it and tries the call. Done at once: R answers, A goes on, nobody noticed.
 *   3. Else R marks W blocked (core->worker_blocked), leaves the call with the ring, a timer or a
 *      helper, and hands S to an idle carrier C: writes C->assigned, then C->word (release), wakes.
 *   4. C loads S's stack and thread pointer: core->activate(S, PLAT_ENTRY_CALL).
 *   5. The call completes: its result is stored, core->worker_completed(W) queues W (release).
 *   6. plat_execute(S', W) by any scheduler S' on carrier D: A->scheduler = S', S'->carrier = A;
 *      D goes to its own stack, answers the notification, is idle. A wakes up as S''s carrier.
 *   A is W's from 1 to 6; nobody else may touch A->context, A->scheduler meanwhile.
 *
 * Lock order: a lane's three locks, carrier->lock, the dispatcher's (an order of their own: waiters.h),
 * timers, helpers, broker are leaves: none is taken with another held, except signals_lock around timers
 * and the dispatcher's; carrier->lock around the answering ioctl; the dispatcher's and the pool's around
 * timers; a pool_wait's own around the dispatcher's and the pool's; a thread's binding around all of these.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_ENGINE_H
#define UMSSHIM_PLATFORM_LINUX_ENGINE_H

#include <stdatomic.h>
#include <stddef.h>

#include "platform/check.h"
#include "platform/platform.h"

extern const struct plat_core *engine_core;
extern _Atomic bool engine_threads;
/* The engine has threads, or had when the last of them was asked for. */
static inline bool engine_runs(void)
{
    return atomic_load_explicit(&engine_threads, memory_order_acquire);
}

/* Where this library's code lies: the linker's names. */
extern const char library_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char library_end[] __asm__("etext") __attribute__((visibility("hidden")));
static inline bool library_holds(const void *code)
{
    return (const char *)code >= library_start && (const char *)code < library_end;
}

static inline uintptr_t thread_pointer(void)
{
    return (uintptr_t)__builtin_thread_pointer();
}

/* Another thread's thread-local block of ours: at the same distance from every control block. */
static inline struct plat_tls *tls_at(uintptr_t control_block)
{
    return (struct plat_tls *)(control_block + ((uintptr_t)&plat_tls - thread_pointer()));
}

static inline struct plat_context *call_worker(struct call *call)
{
    return (struct plat_context *)((char *)call - offsetof(struct plat_context, call));
}

/* Whether the caller is a scheduler on a carrier, or a worker that has not ended. */
static inline bool carried(void)
{
    struct plat_context *self = plat_tls.current;
    return __builtin_expect(self != NULL, 0) &&
           (self->is_scheduler ? self->carrier != NULL : self->scheduler != NULL);
}

#include "platform/linux/os/affinity.h"
#include "platform/linux/switch/answer.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/traps/call_identity.h"
#include "platform/linux/calls/cancel.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/threads/credentials.h"
#include "platform/linux/traps/filter.h"
#include "platform/linux/traps/guardian.h"
#include "platform/linux/interrupt/handler_thread.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/lanes.h"
#include "platform/linux/os/notify.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/traps/reactor.h"
#include "platform/linux/calls/broker.h"
#include "platform/linux/start.h"
#include "platform/linux/os/static_tls.h"
#include "platform/linux/switch/switch.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/os/timer.h"

#endif
