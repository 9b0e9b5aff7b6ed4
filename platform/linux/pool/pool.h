/* SPDX-License-Identifier: MIT
 *
 * pool.h - pools of plain threads that make callbacks: work, timers, waits, and groups of them.
 *
 * An item has a callback, which may be asked for again and again. Each `submit` asks for one
 * callback, which some thread of the item's pool makes; several threads may make several at once.
 * Submitting neither blocks nor allocates, so a scheduler, the timer thread or any thread that
 * signals an object may do it.
 *
 * Life: an item has a reference of its creator's, one for each callback asked for, and one while a
 * timer or an object may still ask. When the last one goes, a thread that may use the heap calls
 * `destroy`.
 *
 * A pool's threads are made on demand: at once as long as there are few (one for each processor,
 * four at least), beyond that when callbacks wait and none has begun for 10 ms, up to the pool's
 * maximum. Idle ones end after five seconds. They count as the program's threads, but do not keep
 * the process from ending. A pool lives as long as its items.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_POOL_POOL_H
#define UMSSHIM_PLATFORM_LINUX_POOL_POOL_H

#include "platform/chain.h"
#include "platform/linux/dispatch/object.h"

enum { POOL_THREADS_MAXIMUM = 500 };

struct pool;
struct pool_group;
struct pool_item;
struct pool_watch;

/* One callback that is being made; lies on its thread's stack. */
struct pool_call {
    struct pool_item *item;
    bool timed_out;   /* the wait's time came before its object's signal */
    bool runs_long;   /* its thread does not count among those that share the processors */
    bool dissociated; /* only the item's group still waits for its end */
};

struct pool_item {
    struct pool *pool;
    void (*run)(struct pool_item *item, struct pool_call *call);
    void (*stop)(struct pool_item *item); /* of timers and waits: asks for no more; or NULL */
    void (*destroy)(struct pool_item *item);

    /* Under its pool's lock. */
    struct pool_item *next_queued, *previous_queued;
    bool queued, closed;
    bool cancelled;            /* its group is to tell that it was cancelled */
    uint32_t pending, running; /* callbacks; running: without those that are apart */
    uint32_t coming;           /* decided waits that are about to ask for a callback */
    uint32_t timeouts, waiters, refs;
    _Atomic uint32_t idles;   /* how often it became idle; threads wait for a change */
    _Atomic uint32_t apart;   /* dissociated callbacks that run; threads wait for 0 */
    bool grouped;             /* from the start; the groups' lock is for the next three: */
    struct pool_group *group; /* NULL: the group was closed, or there is none */
    struct pool_item *next_member, *previous_member;
    struct object *done; /* signalled when the item is gone; with a reference */
};

/* ---- Pools (pool.c, pool_threads.c) ---- */

struct pool *pool_create(void); /* NULL: no memory */
void pool_close(struct pool *pool);
/* A maximum below the minimum lowers the minimum, and a minimum above the maximum raises the
 * maximum. A maximum of 0 counts as 1. */
void pool_set_maximum(struct pool *pool, uint32_t threads);
void pool_set_minimum(struct pool *pool, uint32_t threads);
/* For threads that are made from now on. */
void pool_set_stack(struct pool *pool, size_t bytes);
size_t pool_stack(struct pool *pool);
/* In a callback, which may take long. False: the pool has no other thread that could make callbacks
 * meanwhile, and may not make one. */
bool pool_call_runs_long(struct pool_call *call);
/* In a callback: a thread that waits for the item's callbacks does not wait for this one. Its group
 * does. */
void pool_call_dissociate(struct pool_call *call);
void pools_forget(void);

/* ---- Items (pool_item.c) ---- */

/* The caller has set the item's functions and zeroed the rest. `pool` NULL: the process's pool. 0,
 * or 8: no memory, or no threads. */
int pool_item_init(struct pool_item *item, struct pool *pool, struct pool_group *group);
void pool_submit(struct pool_item *item);
/* Asks for one callback, and drops the creator's reference. */
void pool_submit_once(struct pool_item *item);
/* Takes back the callbacks that have not begun. Returns how many. */
uint32_t pool_cancel(struct pool_item *item);
/* Waits until no callback is asked for or made. A worker that waits leaves its scheduler. */
void pool_wait_idle(struct pool_item *item);
/* Drops the creator's reference, once. Takes over a reference to `done` (or NULL), which is
 * signalled when the last callback is over. True: it is over already. */
bool pool_item_close(struct pool_item *item, struct object *done);

/* ---- Groups (pool_item.c): items that are closed together ---- */

struct pool_group {
    CHAIN_OF(struct pool_item) members; /* under the groups' lock */
};

enum {
    GROUP_CANCEL = 1, /* callbacks that have not begun are not made */
    GROUP_WAIT = 2,   /* waits for the others, and for dissociated ones */
};

/* Stops and closes all members. Calls `cancelled` (unless NULL) for each item that was not closed
 * before, or has lost a callback that had not begun. With GROUP_WAIT it does so when no callback of
 * any member runs any more, so that `cancelled` may free what they use. True: no callback is asked
 * for or made any more. */
bool pool_group_close(struct pool_group *group, int how,
                      void (*cancelled)(struct pool_item *item, void *arg), void *arg);

void pool_groups_forget(void); /* in a child after fork */

/* ---- Timers (pool_timer.c) ---- */

struct pool_timer {
    struct pool_item item;
    struct plat_timer timer;
    bool spent;           /* it was to fire once, and did */
    bool held;            /* the timer thread has it, or is about to fire it: it has a reference */
    uint64_t due, period; /* PLAT_FOREVER: not set; 0: once */
};

/* Sets the timer's stop function. 0 or 8. */
int pool_timer_init(struct pool_timer *timer, struct pool *pool, struct pool_group *group);
/* Asks for a callback at `due` and, with a period in nanoseconds, again after each period, whether
 * the last callback is over or not. True: the timer was set before, and asks for no callback at
 * that earlier time any more. */
bool pool_timer_set(struct pool_timer *timer, uint64_t due, uint64_t period);
/* The same, but leaves alone a timer that was to fire once, and did. */
void pool_timer_change(struct pool_timer *timer, uint64_t due, uint64_t period);

/* ---- Waits for objects (pool_wait.c) ---- */

struct pool_wait {
    struct pool_item item;
    PLAT_LOCK(POOL_WAIT) setting;       /* one thread at a time sets the wait */
    bool ended;                         /* under `setting`: pool_wait_again does nothing any more */
    struct pool_watch *current, *spent; /* under its pool's lock: undecided; decided, to be freed */
};

/* Sets the wait's stop function. 0 or 8. */
int pool_wait_init(struct pool_wait *wait, struct pool *pool, struct pool_group *group);
/* Asks for one callback when the object (no mutex) is signalled or the time comes. That replaces
 * what was waited for before. `object` NULL: waits for nothing. 0 or 8. *taken_back (unless NULL):
 * a wait was taken back before it asked for its callback. */
int pool_wait_set(struct pool_wait *wait, struct object *object, uint64_t deadline,
                  bool *taken_back);
/* In the wait's callback: waits for the same object again. */
void pool_wait_again(struct pool_wait *wait, uint64_t deadline);
/* Frees the wait's watches, before its memory goes. */
void pool_wait_clear(struct pool_wait *wait);

#endif
