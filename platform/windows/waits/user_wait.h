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
 *   DIRECT    for a private object, at its handle (direct_waiters.h)   a signalling thread, service
 *                                                                      thread, cancel; taken back,
 *                                                                      left(): -> ENTERING
 *   QUEUED    for the service thread to arm the pool                   service thread, cancel
 *   ARMED     for the pool's callback (pool_wait.c)                    callback, cancel
 *   ALERT     for its alert: the word `alert` decides (alert.c)        the thread that changes USER
 *   TAKEN     decided: the thread that took it completes it, once      the worker: -> NONE
 *
 * The block is complete before left() is called: the worker has left its stack and is BLOCKED for
 * the core. If the object has changed since the worker looked, left() takes the block back
 * (`again`). Once left() has registered the worker under the lock, other threads may complete, run
 * and end it. So a completion is never early, never lost and never made twice.
 * core->worker_completed publishes `status`.
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

/* Guards the fields of all waits but alert words and direct waiters. A thread that holds it makes
 * no system call that may wait, and does not call core->worker_completed. */
extern struct plat_lock wait_lock;

/* A context becomes a worker's. Called before any thread can find it. */
void user_wait_begin(struct plat_context *worker);

/* Returned by value, in a register. A handler with a variable for the status on its stack could not
 * end in a jump for a thread that is no worker (hooks.h). */
struct wait_result {
    bool done; /* false: nothing has happened */
    NTSTATUS status;
};

/* The calling worker waits. `how` is ENTERING until left(worker) changes it. False: the worker may
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
/* Whether the deadline has come. If it is a time of the system's clock this may move it on
 * instead. */
bool user_wait_expired(struct user_wait *wait, uint64_t now);
/* The rest of the time in the system's form, for a call or the pool. NULL: forever. */
LARGE_INTEGER *user_wait_rest(const struct user_wait *wait, LARGE_INTEGER *rest);

/* With the lock held: from now on only the caller completes the worker. */
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
