/* SPDX-License-Identifier: MIT
 *
 * engine.h - the Linux engine as a whole: its threads, owners, the lock order.
 *
 * Kernel threads, by the names that ps and debuggers show. tools.engine holds the list against the
 * sources.
 *   a home keeps its program's name: one per worker; owns its stack, TCB and thread id; parked
 *   while the worker lives
 *   ums:carrier   filtered; lends its processor to whatever context is loaded on it
 *   ums:spawner   filtered; clones carriers, one per lane
 *   ums:reactor   one per lane: receives the notifications, owns the ring
 *   ums:poller    one per lane: waits for the readiness of files that calls wait for
 *   ums:timer     one per lane and one more: fires what is due
 *   ums:broker    one, and one for each lane whose workers make threads: makes threads and homes
 *   ums:helper    as many as are wanted: makes a call for real that can wait in no other way
 *   ums:signals   takes the signals that are sent to the process for workers
 *   ums:handlers  runs the program's handlers of signals that no worker can take now
 *   ums:faults    with UMSSHIM_FAULTS=1: looks for carriers that sleep unseen by the filter
 *   ums:idle      the same, one per lane, whenever the lane's processor is idle
 *   ums:async     one: sees calls through that nobody waits for (async/async.h)
 *   ums:disk      up to four, where it has no ring: make calls for disks
 *   ums:watch     one: waits for descriptors that outlast their callers, as ended children do
 *   ums:pool      run the callbacks of thread pools
 *   ums:trace     writes the trace
 *   ums:trial     for a moment at the start: how libc cancels is tried on it
 * A lane is a processor's set of them. Only spawners and carriers are inside the filter; all have
 * asynchronous signals blocked.
 *
 * From a block to the entry point (worker W, scheduler S, carrier A)
 *   1. W makes the call on A. The filter stops it, and A finds itself in the handler of SIGSYS, by
 *      a trap or by the reactor's message (traps/messenger.c); or the call's site leads to the
 *      library. The call is not made.
 *   2. W tries it, on its own stack. Done at once: W goes on, nobody noticed.
 *   3. Else W leaves the call with the poller, the table of futexes, the ring, a timer or a helper
 *      (user_call.c), and its stack for S's, on A: core->activate(S, PLAT_ENTRY_CALL).
 *   4. The call completes: its result is stored, core->worker_completed(W) queues W (release).
 *   5. plat_execute(S', W) by any scheduler S', on its carrier: W returns behind the call, with the
 *      result.
 *   No carrier stands in the kernel for a call that waits. One that sleeps in a page fault or a
 *   lent call is W's alone meanwhile, and S is given to another (interrupt/fault.h).
 *
 * Lock order: os/lock_ranks.h.
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
           (self->is_scheduler ? self->runs.carrier != NULL : self->scheduler != NULL);
}

#include "platform/linux/os/affinity.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/traps/call_identity.h"
#include "platform/linux/calls/cancel.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/threads/credentials.h"
#include "platform/linux/traps/filter.h"
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
