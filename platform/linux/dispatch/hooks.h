/* SPDX-License-Identifier: MIT
 *
 * hooks.h - functions of the engine above the dispatcher, which the dispatcher calls.
 *
 * The dispatcher is at the bottom of the engine, but must tell the parts above it of some moments.
 * Start-up fills in the table when the library is loaded; no thread waits before that.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_HOOKS_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct plat_context;
struct plat_thread;
struct object;

struct dispatch_hooks {
    /* Starts the engine's threads if they do not run yet. 0 or 8. */
    int (*start)(void);
    /* In a child after fork, whose parent shared objects with other processes: joins these
     * processes. */
    void (*join)(void);
    /* A scheduler is about to sleep, with nothing held; it has slept. */
    void (*before_sleep)(struct plat_context *scheduler);
    void (*after_sleep)(struct plat_context *scheduler);
    /* Between the two: sleeps until the word (enum wait_go) is GO, or returns sooner. False: only
     * the futex is left to sleep in, and the word is GO_NOT or GO. */
    bool (*sleep)(struct plat_context *scheduler, _Atomic uint32_t *go, uint64_t deadline);
    /* A plain thread or scheduler has waited: it may have been suspended or ended meanwhile. */
    void (*after_wait)(struct plat_thread *self);
    /* A worker has waited, and a signal is due. */
    void (*signals_due)(struct plat_context *worker);
    /* The calling thread has found a port empty, or taken a few packets, or is to wait for a port
     * or file. Makes the calls that stand (port.h), which may bring packets. With nothing held.
     * `sleeps`: the thread will sleep if there are none. False: there were none. */
    bool (*port_empty)(bool sleeps);
    /* A thread of the port gave up its place, as it began to wait: calls port_settle. */
    void (*place_free)(struct object *port);
    /* The last destructor of a thread has run: the thread itself calls this as its end. */
    void (*thread_ended)(struct plat_thread *self);
};

extern struct dispatch_hooks dispatch_hooks;

#endif
