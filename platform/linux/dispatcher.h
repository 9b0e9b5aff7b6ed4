/* SPDX-License-Identifier: MIT
 *
 * dispatcher.h - what the dispatcher's own files share: its lock, waits, and how they are decided.
 *
 * object.c changes states, wait.c waits, address.c waits for addresses, handle.c and name.c keep
 * the tables. All that is shared between them is under one lock, held for a few list operations and
 * never across a callback or a system call. The lock may be held around timer_add and
 * timer_cancel, whose lock is below it.
 *
 * A wait lies on the stack of whoever waits. It is decided once, under the lock; from then on it is
 * on no list, and whoever decided it lets the waiter go. After that nobody touches it.
 *
 * A worker that waits keeps the lock until its stack was left and it is marked blocked: the scheduler
 * releases it. So whoever decides the wait finds a worker that can be queued, and no second word has to
 * be agreed upon.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCHER_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCHER_H

#include "platform/linux/object.h"
#include "platform/linux/thread.h"
#include "platform/linux/wait.h"

extern struct plat_lock dispatcher_lock;

struct wait_block {
    struct object *object;
    struct wait *wait;
    struct wait_block *next, *previous;
};

struct wait {
    struct plat_context *worker; /* who waits, if a worker */
    _Atomic uint32_t go;         /* futex: 1 when a thread that waits is let go */
    struct wait_block *blocks;
    struct plat_thread *thread; /* who waits, for mutexes; NULL: nobody in particular */
    struct wait *to_open;       /* satisfied by the same signal */
    const volatile void *address; /* waited for instead of objects */
    struct wait *next_at, *previous_at; /* waits for addresses in the same bucket */
    /* A wait of nobody's: called instead of letting anybody go, on any thread, with no lock. */
    void (*notify)(struct wait *);
    uint32_t result;
    uint8_t count;
    bool all, alertable, decided;
    bool packets;                /* it is for a port's packets: port.c */
    bool timed;                  /* the timer was set */
    struct plat_timer timer;
    _Atomic uint32_t timer_done; /* futex: the timer came too late and is through with us */
};

/* All under the lock. */

/* Satisfies the wait if its objects allow it: consumes their signals and sets the result. */
bool wait_satisfy(struct wait *wait);
/* Puts it on the lists of its objects. */
void wait_enqueue(struct wait *wait);
/* Takes it off its lists and gives it this result; adds it to the chain. */
void wait_decide(struct wait *wait, uint32_t result, struct wait **chain);
/* Takes off everyone whom the object's signal lets go. */
void object_release_waiters(struct object *object, struct wait **chain);
void address_remove(struct wait *wait);
/* One reference less; the last one leaves the object to dispatcher_unlock. */
void object_unref(struct object *object);
/* As handle_act, on an object. */
int object_act(struct object *object, enum object_action action, int32_t count,
               struct wait **chain);
void mutex_take(struct mutex *mutex, struct plat_thread *owner);

/* Releases the lock, lets the decided waits go, frees what nobody refers to any more. */
void dispatcher_unlock(struct wait *chain);
void waits_open(struct wait *chain);

void wait_init(struct wait *wait, struct wait_block *blocks, struct plat_thread *self);
/* What to do as soon as a wait is in place and the lock released: let go the chain, then call fn(arg)
 * (if not NULL), which may run on a scheduler, so uses no heap and does not block. */
struct wait_then {
    struct wait *chain;
    void (*fn)(void *arg);
    void *arg;
};
/* Waits until the wait, which the caller has enqueued, is decided. Called with the lock; releases it. */
uint32_t wait_unlocked(struct wait *wait, uint64_t deadline, const struct wait_then *then);
/* Sets a timer that decides the wait. */
void wait_arm(struct wait *wait, uint64_t deadline);
/* After it was decided: no timer looks at it any more when this returns. */
void wait_disarm_timer(struct wait *wait);

/* Under the lock: the object of a handle, without a reference; NULL: not a handle. */
struct object *handle_find(void *handle, struct plat_thread *self);
int handle_insert(struct object *object, void **handle);

/* apc.c. A call that is a member of an object is queued once at a time, and holds the object then. */
struct apc {
    struct apc *next;
    struct plat_thread *thread; /* in whose queue it is; NULL: in none */
    void (*fn)(uintptr_t, uintptr_t, uintptr_t);
    uintptr_t a, b, c;
    struct object *source; /* whose member it is; NULL: it was allocated for itself */
};

/* Both under the lock. False: the thread has ended. */
bool apc_queue_locked(struct apc *apc, struct plat_thread *thread, struct wait **chain);
/* Takes it out of the queue it is in, if it is in one. */
void apc_withdraw(struct apc *apc);

void name_remove(struct object *object); /* under the lock */
void handles_forget(void);
void addresses_forget(void);

#endif
