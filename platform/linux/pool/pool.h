/* SPDX-License-Identifier: MIT
 *
 * pool.h - pools of plain threads that make callbacks: work, timers, waits, and groups of them.
 *
 * An item is something whose callback is asked for again and again: each `submit` is one callback,
 * made on some thread of the item's pool, several at once if there are several threads. Submitting
 * neither blocks nor allocates, so a scheduler, the timer thread or any thread that signals an
 * object may do it.
 *
 * Life: an item has a reference of its creator's, one for each callback asked for, and one while a
 * timer or an object may still ask. With the last one `destroy` is called, on a thread that may use
 * the heap.
 *
 * Threads are made on demand: at once as long as there are few (one for each processor, four at
 * least), beyond that when callbacks wait and none has begun for 10 ms, up to the pool's maximum.
 * Idle ones end after five seconds. They are the program's in every respect but one: they do not
 * keep the process from ending. A pool lives as long as its items.
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
    bool timed_out;   /* a wait's time came, not its object */
    bool runs_long;   /* does not count among the threads that share the processors */
    bool dissociated; /* nobody but the item's group waits for its end any more */
};

struct pool_item {
    struct pool *pool;
    void (*run)(struct pool_item *item, struct pool_call *call);
    void (*stop)(struct pool_item *item); /* of timers and waits: ends the asking; or NULL */
    void (*destroy)(struct pool_item *item);

    /* Under its pool's lock. */
    struct pool_item *next_queued, *previous_queued;
    bool queued, closed;
    bool cancelled;            /* its group is to tell that it was cancelled */
    uint32_t pending, running; /* callbacks; running: without those that are apart */
    uint32_t coming;           /* decided waits that are about to ask for one */
    uint32_t timeouts, waiters, refs;
    _Atomic uint32_t idles; /* how often it became idle: waited for */
    _Atomic uint32_t apart; /* callbacks that were dissociated and have not returned: waited for */
    bool grouped;           /* from its birth; its place in the group is under the groups' lock: */
    struct pool_group *group; /* NULL: it was closed, or there is none */
    struct pool_item *next_member, *previous_member;
    struct object *done; /* to be signalled when it is gone, with a reference */
};

/* ---- Pools (pool.c, pool_threads.c) ---- */

struct pool *pool_create(void); /* NULL: no memory */
void pool_close(struct pool *pool);
/* A maximum below the minimum lowers the minimum, and a minimum above the maximum raises the
 * maximum. A maximum of 0 counts as 1. */
void pool_set_maximum(struct pool *pool, uint32_t threads);
void pool_set_minimum(struct pool *pool, uint32_t threads);
/* Of threads that are made from now on. */
void pool_set_stack(struct pool *pool, size_t bytes);
size_t pool_stack(struct pool *pool);
/* In a callback: it may take long. False: the pool has no other thread that could make callbacks
 * meanwhile, and may not make one. */
bool pool_call_runs_long(struct pool_call *call);
/* In a callback: a thread that waits for the item's callbacks does not wait for this one. Its group
 * does. */
void pool_call_dissociate(struct pool_call *call);
void pools_forget(void);

/* ---- Items (pool_item.c) ---- */

/* The caller has set the item's functions and zeroed the rest. `pool` NULL: the process's pool.
 * Returns 0 or 8. */
int pool_item_init(struct pool_item *item, struct pool *pool, struct pool_group *group);
void pool_submit(struct pool_item *item);
/* One callback, and the creator's reference is dropped. */
void pool_submit_once(struct pool_item *item);
/* Takes back the callbacks that have not begun. Returns how many. */
uint32_t pool_cancel(struct pool_item *item);
/* Waits until no callback is asked for or made. A worker leaves its scheduler. */
void pool_wait_idle(struct pool_item *item);
/* Drops the creator's reference, once. Takes over a reference to `done` (or NULL), which is
 * signalled when the last callback is over. True: it is. */
bool pool_item_close(struct pool_item *item, struct object *done);

/* ---- Groups (pool_item.c): items that are closed together ---- */

struct pool_group {
    CHAIN_OF(struct pool_item) members; /* under the groups' lock */
};

enum {
    GROUP_CANCEL = 1, /* callbacks that have not begun are not made */
    GROUP_WAIT = 2,   /* for the others, and for dissociated ones */
};

/* Stops and closes all. Tells `cancelled` (or NULL) of each item that nobody had closed or that a
 * callback was taken from; with GROUP_WAIT when no callback of any member runs any more, so that
 * what they use can be freed there. True: no callback is asked for or made any more. */
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

/* The timer's stop function is set by this. 0 or 8. */
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
    PLAT_LOCK(POOL_WAIT) setting;       /* one at a time */
    bool ended;                         /* under it: pool_wait_again does nothing any more */
    struct pool_watch *current, *spent; /* under its pool's lock: undecided; decided, to be freed */
};

/* The wait's stop function is set by this. 0 or 8. */
int pool_wait_init(struct pool_wait *wait, struct pool *pool, struct pool_group *group);
/* One callback when the object (no mutex) is signalled or the time comes, instead of what was
 * waited for before; NULL: nothing. 0 or 8. *taken_back (or NULL): something was waited for before,
 * and asks for no callback any more. */
int pool_wait_set(struct pool_wait *wait, struct object *object, uint64_t deadline,
                  bool *taken_back);
/* In its callback: the same object again. */
void pool_wait_again(struct pool_wait *wait, uint64_t deadline);
/* Before the memory goes. */
void pool_wait_clear(struct pool_wait *wait);

#endif
