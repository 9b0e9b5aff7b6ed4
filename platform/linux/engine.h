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
 *   ums:ready     one: makes receives of servers while no thread of theirs does (async/ready_set.h)
 *   ums:disk      up to four, where it has no ring: make calls for disks
 *   ums:watch     one: waits for descriptors that outlast their callers, as ended children do
 *   ums:bell      one: lets go of waits for objects that another process has signalled
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

#endif
