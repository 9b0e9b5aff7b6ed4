/* SPDX-License-Identifier: MIT
 *
 * pool_parts.h - what the pool's own files share: a pool's lock and fields, counting.
 *
 * Each pool has a lock, for itself and its items. A thread holds it for a few list operations,
 * never across a callback. It may call timer_add and timer_cancel with it: their lock comes below.
 * The lock of a wait (`setting`), of the list of pools (pool.c) and of the groups (pool_item.c)
 * come above.
 *
 * A pool is freed when it has no reference and no thread, and its tick is not set. The thread that
 * sees that takes it out of the list of pools and frees it. The pool wants no thread by then, so
 * another thread that walks through the list leaves it alone.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_POOL_POOL_PARTS_H
#define UMSSHIM_PLATFORM_LINUX_POOL_POOL_PARTS_H

#include "platform/linux/pool/pool.h"

/* Makes the threads that are wanted, on the broker thread. False: not all of them, try again later.
 * pool_threads.c sets it when the library is loaded. */
extern bool (*pool_make_threads)(void);
extern unsigned pool_generation; /* another number in each child */

struct pool {
    PLAT_LOCK(POOL) lock;             /* the fields below */
    struct pool *next;                /* of all pools, under their list's lock */
    CHAIN_OF(struct pool_item) items; /* with callbacks to make, or to be destroyed */
    uint32_t queued;                  /* callbacks asked for and not begun */
    uint32_t threads, coming, idle;   /* coming: being created */
    uint32_t minimum, maximum;
    uint32_t longs;                /* threads in callbacks that may take long */
    uint32_t grown;                /* more threads allowed, as no callback began for 10 ms */
    uint32_t begun, begun_at_tick; /* callbacks */
    uint32_t refs;                 /* its owner's and its items' */
    struct plat_timer tick;        /* while it is short of threads */
    bool ticking;
    _Atomic uint32_t work;      /* futex: changes when there is something to do */
    _Atomic size_t stack_bytes; /* of its threads; 0: as usual */
};

/* This pool, or for NULL the process's, with one more reference. NULL: no threads are to be had. */
struct pool *pool_hold(struct pool *pool);
void pool_release(struct pool *pool);

/* All with the lock of the pool, or of the item's pool. */

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
/* Counts in `idles`, if the item is not busy any more. True: the caller is to call
 * pool_wake_waiters. */
bool pool_item_idle(struct pool_item *item);

/* A thread of the pool's has ended, or could not be made. Releases the lock; the pool may be gone
 * afterwards. */
void pool_leave(struct pool *pool);
/* Releases the lock, and has the pool's threads do what there is to do. */
void pool_unlock_attend(struct pool *pool);

/* Without a lock. */

/* The next pool that wants a thread, which it counts as coming. NULL: no pool wants one. */
struct pool *pool_claim_thread(void);
void pool_item_end(struct pool_item *item);
/* Wakes the threads that wait for the item to be idle. They may free it at once. */
void pool_wake_waiters(struct pool_item *item);

#endif
