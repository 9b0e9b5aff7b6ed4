/* SPDX-License-Identifier: MIT
 *
 * user_wait.h - a worker's wait in user mode: none of its kernel threads waits, and none is woken.
 *
 * `how` says who may end the wait. It changes under wait_lock, but for its first and last value,
 * and for DIRECT, which comes and goes under the lock of the object's record:
 *
 *   NONE      the worker runs                                          the worker: -> ENTERING
 *   ENTERING  it is leaving its stack                                  left(), on the scheduler
 *   DELAY     for its deadline                                         service thread, cancel
 *   DIRECT    for a private object, at its handle (direct_waiters.h)   who signals it, the service
 *                                                                      thread, cancel; taken back,
 *                                                                      left(): -> ENTERING
 *   QUEUED    for the service thread to arm the pool                   service thread, cancel
 *   ARMED     for the pool's callback (pool_wait.c)                    callback, cancel
 *   ALERT     for its alert: the word `alert` decides (alert.c)        who changes USER there
 *   TAKEN     decided: whoever took it completes it, once              the worker: -> NONE
 *
 * The block is complete before left() is called: the worker's stack was left and it is BLOCKED for
 * the core. A change since the worker looked makes left() take the block back (`again`); once it
 * has registered the worker under the lock, the worker may be completed, run and be gone. So a
 * completion is never early, never lost and never made twice. core->worker_completed publishes
 * `status`.
 *
 * Deadlines and the arming of the pool are the service thread's: agenda.h, wait_service.h.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_USER_WAIT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_USER_WAIT_H

#include "platform/windows/engine.h"
#include "platform/windows/os/originals.h"

enum wait_how {
    WAIT_NONE,
    WAIT_ENTERING,
    WAIT_DELAY,
    WAIT_DIRECT,
    WAIT_QUEUED,
    WAIT_ARMED,
    WAIT_ALERT,
    WAIT_TAKEN
};

#define WAIT_STATUS_SUCCESS ((NTSTATUS)0)
#define WAIT_STATUS_ALERTED ((NTSTATUS)0x101)
#define WAIT_STATUS_NO_MEMORY ((NTSTATUS)0xC0000017)

/* Guards all waits' fields but alert words and direct waiters. No system call is made under it that
 * may wait, and core->worker_completed is called without it. */
extern struct plat_lock wait_lock;

/* A context becomes a worker's, before its thread can be found. */
void user_wait_begin(struct plat_context *worker);

/* By value, in a register: with a variable of its own for the status a handler could not end in a
 * jump for a thread that is no worker (hooks.h). */
struct wait_result {
    bool done; /* else nothing has happened */
    NTSTATUS status;
};

/* The calling worker waits: `how` is ENTERING, and left(worker) is to change that. False: it may
 * not wait here. After true, wait.again says whether the block was taken back. */
bool user_wait(struct plat_context *self, bool (*left)(void *worker));

void user_wait_set_time(struct user_wait *wait, const LARGE_INTEGER *timeout);
/* Sets the deadline from a time-out of the system's kind; NULL: none. */
static inline void user_wait_set_deadline(struct user_wait *wait, const LARGE_INTEGER *timeout)
{
    wait->absolute = false;
    wait->deadline = PLAT_FOREVER;
    if (timeout)
        user_wait_set_time(wait, timeout);
}
/* The deadline has come: for one in the system's clock it may be moved on instead. */
bool user_wait_expired(struct user_wait *wait, uint64_t now);
/* The rest, as the system has it, for a call or the pool. NULL: forever. */
LARGE_INTEGER *user_wait_rest(const struct user_wait *wait, LARGE_INTEGER *rest);

/* With the lock held: nobody else will complete it. */
static inline void user_wait_take(struct plat_context *worker, NTSTATUS status)
{
    worker->wait.status = status;
    atomic_store_explicit(&worker->wait.how, WAIT_TAKEN, memory_order_relaxed);
}

/* Completes a chain of waits that were taken. Without the lock. A worker that takes waits must not
 * be stopped before it has completed them: it calls user_wait_hold before both, and
 * user_wait_release after. */
void user_wait_complete(struct plat_context *chain);

static inline struct plat_context *user_wait_hold(void)
{
    struct plat_context *self = plat_current();
    if (self)
        self->locks++;
    return self;
}

static inline void user_wait_release(struct plat_context *self)
{
    if (self)
        self->locks--;
}

#endif
