/* SPDX-License-Identifier: MIT
 *
 * wait.h - waiting for objects and for time.
 *
 * A worker waits by leaving its scheduler, any other thread in a futex. Deadlines are absolute
 * nanoseconds of plat_now(); 0 means not to wait, PLAT_FOREVER for ever.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_WAIT_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;
struct plat_context;
struct plat_thread;
struct wait;

enum {
    WAIT_MAX = 64,
    /* Results, with Windows' values: 0 to 63 is the index of the object that satisfied the wait. */
    WAITED_ABANDONED = 0x80, /* added to the index: a mutex whose owner ended */
    WAITED_APC = 0xc0,       /* procedures were called */
    WAITED_TIMEOUT = 258,
    WAITED_CANCELLED = 0x1000, /* never seen by the waiter: it ends */
    WAITED_BAD_HANDLE,
    WAITED_NOT_OWNER,  /* the object to signal first is a mutex of another thread */
    WAITED_OVER_LIMIT, /* that object is a full semaphore */
    WAITED_SAME_TWICE, /* waiting for all, one object is named twice */
    WAITED_NO_MEMORY,
    WAITED_SIGNAL, /* a worker's handlers have run: the wait begins again */
    /* Added to an index: the object is of a kind that no thread may wait for. */
    WAITED_DENIED = 0x2000,
};

struct wait_request {
    void *const *handles;
    unsigned count; /* 1 to WAIT_MAX */
    bool all, alertable;
    bool no_pseudo;     /* pseudo-handles are bad handles */
    void *signal_first; /* a handle to signal in the same step; NULL: none */
    uint64_t deadline;
};

uint32_t wait_for_handles(const struct wait_request *request);
/* The same for a count of 1. It does not reserve room for 64 handles: a worker's first page of
 * stack has little. */
uint32_t wait_for_handle(const struct wait_request *request);

/* The same for one object that the caller keeps alive, not alertable. */
uint32_t wait_for_object(struct object *object, uint64_t deadline);

/* Blocks the calling thread until the deadline: WAITED_TIMEOUT, or WAITED_APC if alertable. */
uint32_t wait_for_time(uint64_t deadline, bool alertable);

/* Ends the wait of a thread or worker that is about to be ended itself; false: it does not wait. */
bool wait_cancel(struct plat_thread *thread);
/* Ends the thread's alertable wait, if procedures are queued for it. */
void wait_alert(struct plat_thread *thread);
/* Ends the wait of a worker that has a signal to handle; false: it does not wait. The worker runs
 * its handlers, and waits again for what is left of its time. */
bool wait_interrupt(struct plat_thread *thread);
/* Makes sure that no timer and no object's list knows of the wait of a worker that will not run
 * again. */
void wait_disarm(struct plat_thread *thread);

/* ---- For the dispatcher's own files ---- */

/* What to do once a wait is in place: release the lock, wake the chain, then call fn(arg) (unless
 * fn is NULL). fn may run on a scheduler, so it uses no heap and does not block. */
struct wait_then {
    struct plat_lock *lock;
    struct wait *chain;
    void (*fn)(void *arg);
    void *arg;
    struct object *left_port; /* set by wait_unlocked: the waiter had a place there */
};
/* Waits until the wait, which the caller has enqueued, is decided. Called with the wait's lock,
 * which is then->lock; releases it. After WAITED_SIGNAL the caller has a reference to the object of
 * a wait for one: its handles may be closed by now. */
uint32_t wait_unlocked(struct wait *wait, uint64_t deadline, const struct wait_then *then);
/* After an alertable wait was enqueued, with its lock: whether there are procedures to call
 * instead. */
bool wait_alerted(const struct wait *wait);
/* Sets a timer that decides the wait. */
void wait_arm(struct wait *wait, uint64_t deadline);
/* Writes into the trace what a worker that leaves its processor waits for. */
void wait_trace(struct plat_context *worker);
/* After the wait was decided. When this returns, no timer reads the wait any more. */
void wait_disarm_timer(struct wait *wait);

#endif
