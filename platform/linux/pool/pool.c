/* SPDX-License-Identifier: MIT
 *
 * pool.c - pools: how many threads each may have, when another one is wanted, when a pool is gone.
 *
 * A pool makes a few threads at once. Where callbacks wait for more threads, a tick looks. If no
 * callback began since the last tick, those that run are blocked or take long: the pool may have
 * half as many threads again. So short work does not make hundreds of threads, and callbacks that
 * wait for each other get all the threads that they need.
 */
#include <stdlib.h>

#include "platform/container_of.h"
#include "platform/linux/calls/broker.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/pool/pool_parts.h"
#include "platform/linux/os/raw.h"

enum { AT_ONCE = 4 };
#define TICK_NS 10000000u

bool (*pool_make_threads)(void);
unsigned pool_generation;

static struct pool process_pool = {.refs = 1, .maximum = POOL_THREADS_MAXIMUM};
static PLAT_LOCK(POOLS) list_lock; /* of the list of pools; taken before a pool's lock */
static struct pool *pools = &process_pool;

/* ---- Under the pool's lock ------------------------------------------------------------------- */

static uint32_t made_at_once(void)
{
    uint32_t processors = processors_at_start();
    return processors > AT_ONCE ? processors : AT_ONCE;
}

static uint32_t allowed(const struct pool *pool)
{
    uint32_t threads = made_at_once() + pool->longs + pool->grown;
    return threads < pool->maximum ? threads : pool->maximum;
}

static bool short_of_threads(const struct pool *pool)
{
    return pool->queued > pool->idle + pool->coming;
}

static bool wants_thread(const struct pool *pool)
{
    uint32_t threads = pool->threads + pool->coming;
    return (pool->refs && threads < pool->minimum) ||
           (short_of_threads(pool) && threads < allowed(pool));
}

/* Releases the lock, and frees the pool if nothing uses it any more. */
static void unlock(struct pool *pool)
{
    bool gone = !pool->refs && !pool->threads && !pool->coming && !pool->ticking;
    plat_unlock(&pool->lock);
    if (!gone)
        return;
    plat_lock(&list_lock);
    struct pool **link = &pools;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    plat_unlock(&list_lock);
    free(pool);
}

void pool_leave(struct pool *pool)
{
    uint32_t few = made_at_once() + pool->longs, threads = pool->threads + pool->coming;
    pool->grown = threads > few ? threads - few : 0;
    unlock(pool);
}

/* On the timer thread, while the pool is short of threads. */
static void on_tick(struct plat_timer *timer)
{
    struct pool *pool = CONTAINER_OF(timer, struct pool, tick);
    plat_lock(&pool->lock);
    bool again = pool->ticking = short_of_threads(pool);
    if (again) {
        if (pool->begun == pool->begun_at_tick && allowed(pool) < pool->maximum)
            pool->grown += pool->threads / 2 + 1;
        pool->begun_at_tick = pool->begun;
        timer->deadline = plat_now() + TICK_NS;
        timer_add(timer);
    }
    unlock(pool);
    if (again)
        broker_post(POST_POOL, pool_make_threads);
}

void pool_unlock_attend(struct pool *pool)
{
    bool grow = wants_thread(pool);
    if (short_of_threads(pool) && !pool->ticking && pool->threads + pool->coming < pool->maximum) {
        pool->ticking = true;
        pool->begun_at_tick = pool->begun;
        pool->tick.fire = on_tick;
        pool->tick.deadline = plat_now() + TICK_NS;
        timer_add(&pool->tick);
    }
    bool wake = pool->idle;
    _Atomic uint32_t *work = &pool->work;
    atomic_fetch_add_explicit(work, 1, memory_order_release);
    plat_unlock(&pool->lock);
    if (wake)
        futex_wake(work, 1); /* the pool may be gone: no thread waits then */
    if (grow)
        broker_post(POST_POOL, pool_make_threads);
}

struct pool *pool_claim_thread(void)
{
    struct pool *found = NULL;
    plat_lock(&list_lock);
    for (struct pool *pool = pools; pool && !found; pool = pool->next) {
        plat_lock(&pool->lock);
        if (wants_thread(pool)) {
            pool->coming++;
            found = pool;
        }
        plat_unlock(&pool->lock);
    }
    plat_unlock(&list_lock);
    return found;
}

bool pool_call_runs_long(struct pool_call *call)
{
    struct pool *pool = call->item->pool;
    plat_lock(&pool->lock);
    pool->longs += !call->runs_long;
    call->runs_long = true;
    bool others = pool->idle > pool->queued || pool->threads + pool->coming < pool->maximum;
    pool_unlock_attend(pool);
    return others;
}

/* ---- Pools ----------------------------------------------------------------------------------- */

struct pool *pool_hold(struct pool *pool)
{
    if (dispatch_hooks.start())
        return NULL;
    pool = pool ? pool : &process_pool;
    plat_lock(&pool->lock);
    pool->refs++;
    plat_unlock(&pool->lock);
    return pool;
}

void pool_release(struct pool *pool)
{
    plat_lock(&pool->lock);
    bool last = --pool->refs == 0;
    _Atomic uint32_t *work = &pool->work;
    if (!last) {
        plat_unlock(&pool->lock);
        return;
    }
    atomic_fetch_add_explicit(work, 1, memory_order_release);
    pool_leave(pool);
    futex_wake(work, INT32_MAX); /* the pool may be gone: no thread waits then */
}

struct pool *pool_create(void)
{
    struct pool *pool = dispatch_hooks.start() ? NULL : calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->refs = 1;
    pool->maximum = POOL_THREADS_MAXIMUM;
    plat_lock(&list_lock);
    pool->next = pools;
    pools = pool;
    plat_unlock(&list_lock);
    return pool;
}

void pool_close(struct pool *pool)
{
    pool_release(pool);
}

void pool_set_maximum(struct pool *pool, uint32_t threads)
{
    plat_lock(&pool->lock);
    pool->maximum = threads ? threads : 1;
    if (pool->minimum > pool->maximum)
        pool->minimum = pool->maximum;
    pool_unlock_attend(pool);
}

void pool_set_minimum(struct pool *pool, uint32_t threads)
{
    plat_lock(&pool->lock);
    pool->minimum = threads;
    if (pool->maximum < threads)
        pool->maximum = threads;
    pool_unlock_attend(pool);
}

/* In a child after fork: the pools' threads are not there any more, and the callbacks that they
 * were asked for are the parent's. */
void pools_forget(void)
{
    plat_lock_forget(&list_lock);
    pool_generation++;
    for (struct pool *pool = pools; pool; pool = pool->next) {
        plat_lock_forget(&pool->lock);
        pool->ticking = false;
        for (struct pool_item *item = pool->items.first; item; item = item->next_queued) {
            item->queued = false;
            item->pending = item->timeouts = 0;
        }
        pool->items.first = pool->items.last = NULL;
        pool->queued = pool->threads = pool->coming = pool->idle = pool->longs = 0;
    }
}
