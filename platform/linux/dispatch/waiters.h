/* SPDX-License-Identifier: MIT
 *
 * waiters.h - waits, and how they are decided. For the dispatcher's own files.
 *
 * A wait lies on the stack of whoever waits. It is decided once, under the lock; from then on it is
 * on no list, and whoever decided it lets the waiter go. After that nobody touches it.
 *
 * A worker that waits keeps the lock until its stack was left and it is marked blocked: the scheduler
 * releases it. So whoever decides the wait finds a worker that can be queued, and no second word has to
 * be agreed upon.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_WAITERS_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_WAITERS_H

#include "platform/linux/dispatch/thread_object.h"

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
    void *why;                  /* there: still() or queued(), which tell debuggers the call */
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
/* A wait for an address goes to the end of those there; its first one. */
void address_enqueue(struct wait *wait, const volatile void *address);
struct wait *address_first(const volatile void *address);

/* Releases the lock, lets the decided waits go, frees what nobody refers to any more. */
void dispatcher_unlock(struct wait *chain);
void waits_open(struct wait *chain);
void waiters_forget(void); /* in a child after fork */

void wait_init(struct wait *wait, struct wait_block *blocks, struct plat_thread *self);

#endif
