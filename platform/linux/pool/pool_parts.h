/* SPDX-License-Identifier: MIT
 *
 * pool_parts.h - what the pool's own files share: a pool's lock and fields, counting.
 *
 * Each pool has a lock, for itself and its items, held for a few list operations and never across a
 * callback. It may be held around timer_add and timer_cancel, whose lock is below it, and is taken
 * below pool_wait's. Above all pools' locks are the list of pools' (pool.c) and the groups'
 * (pool_item.c).
 *
 * A pool is freed when nobody refers to it, it has no thread and its tick is not set: by whoever
 * sees that last, once it is out of the list of pools. Nobody finds work in it by then, so a walk
 * through the list leaves it alone.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_POOL_POOL_PARTS_H
#define UMSSHIM_PLATFORM_LINUX_POOL_POOL_PARTS_H

#include "platform/linux/pool/pool.h"

/* Makes the threads that are wanted, on the broker thread; false: not all of them, try again later.
 * Set by pool_threads.c when the library is loaded. */
extern bool (*pool_make_threads)(void);
extern unsigned pool_generation; /* another one in each child */

struct pool {
    PLAT_LOCK(POOL) lock;             /* the fields below */
    struct pool *next;                /* of all pools, under their list's lock */
    CHAIN_OF(struct pool_item) items; /* with callbacks to make, or to be destroyed */
    uint32_t queued;                  /* callbacks asked for and not begun */
    uint32_t threads, coming, idle;   /* coming: being created */
    uint32_t minimum, maximum;
    uint32_t longs;                /* threads in callbacks that may take long */
    uint32_t grown;                /* threads allowed beyond that, as no callback began for 10 ms */
    uint32_t begun, begun_at_tick; /* callbacks */
    uint32_t refs;                 /* its owner's and its items' */
    struct plat_timer tick;        /* while it is short of threads */
    bool ticking;
    _Atomic uint32_t work;      /* futex: bumped when there is something to do */
    _Atomic size_t stack_bytes; /* of its threads; 0: as usual */
};

/* The process's pool, or this one, with a reference more. NULL: no threads are to be had. */
struct pool *pool_hold(struct pool *pool);
void pool_release(struct pool *pool);

/* All under the pool's lock, which an item's pool is. */

void pool_enqueue(struct pool_item *item);
void pool_dequeue(struct pool_item *item);
/* Asks for one callback. */
void pool_submit_locked(struct pool_item *item, bool timed_out);
/* True: that was the last reference. The caller releases the lock and calls pool_item_end, or has
 * it done by pool_end_later. */
bool pool_item_unref(struct pool_item *item);
/* Leaves an item without references to a thread of its pool. */
void pool_end_later(struct pool_item *item);
static inline bool pool_item_busy(const struct pool_item *item)
{
    return item->pending || item->running || item->coming;
}
/* Counts the item's rest, if it is not busy any more. True: the caller wakes those who wait for
 * it. */
bool pool_item_idle(struct pool_item *item);

/* A thread of the pool's has ended, or could not be made. Releases the lock; the pool may be gone
 * after. */
void pool_leave(struct pool *pool);
/* Releases the lock, and has the pool's threads do what there is to do. */
void pool_unlock_attend(struct pool *pool);

/* Without a lock. */

/* The next pool that wants a thread, which it counts as coming. NULL: no pool wants one. */
struct pool *pool_claim_thread(void);
void pool_item_end(struct pool_item *item);
/* Lets go the threads that wait for the item to be idle. They may free it at once. */
void pool_wake_waiters(struct pool_item *item);

#endif
