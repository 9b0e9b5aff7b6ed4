/* SPDX-License-Identifier: MIT
 *
 * pool_threads.c - pools and their threads: when one is made, what it does, when it ends.
 *
 * The service thread makes them, outside the filter, whoever asks. What waits beyond the few that
 * are made at once is looked at by a tick: if nothing began since the last, those that run are
 * blocked or take long, and half as many threads again are allowed. So short work does not make
 * hundreds of threads, and callbacks that wait for each other get them all.
 */
#include <stdlib.h>

#include "platform/linux/pool_parts.h"
#include "platform/linux/raw.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/dispatch/wait.h"

enum { STACK_BYTES = 1 << 20, AT_ONCE = 4 };
#define IDLE_NS 5000000000ull
#define TICK_NS 10000000u

static struct pool process_pool = {.refs = 1, .maximum = POOL_THREADS_MAXIMUM};
static struct pool *pools = &process_pool;
static struct plat_timer tick;
static bool ticking;
static unsigned process_generation; /* another one in each child */

/* ---- Under the lock -------------------------------------------------------------------------- */

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

static void unlink_pool(struct pool *pool)
{
    struct pool **link = &pools;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Under the lock, which it releases. The pool may be gone after. */
static void leave_pool(struct pool *pool)
{
    uint32_t few = made_at_once() + pool->longs, threads = pool->threads + pool->coming;
    bool gone = !pool->refs && !threads;
    pool->grown = threads > few ? threads - few : 0;
    if (gone)
        unlink_pool(pool);
    plat_unlock(&pool_lock);
    if (gone)
        free(pool);
}

/* The next callback to make; false: the thread is to end, and is not counted any more. */
static bool take(struct pool *pool, struct pool_call *call)
{
    bool bored = false;
    call->item = NULL;
    plat_lock(&pool_lock);
    while (!pool->first) {
        if (!pool->refs || pool->threads > pool->maximum ||
            (bored && pool->threads > pool->minimum)) {
            pool->threads--;
            leave_pool(pool);
            return false;
        }
        uint32_t seen = atomic_load_explicit(&pool->work, memory_order_relaxed);
        uint64_t until = plat_now() + IDLE_NS;
        pool->idle++;
        plat_unlock(&pool_lock);
        bored = !futex_wait_until(&pool->work, seen, until);
        plat_lock(&pool_lock);
        pool->idle--;
    }
    struct pool_item *item = pool->first;
    *call = (struct pool_call){.item = item};
    pool->first = item->next_queued;
    pool->queued--;
    item->queued = false;
    if (item->pending) { /* else it is to be destroyed */
        call->timed_out = item->timeouts == item->pending;
        item->timeouts -= call->timed_out;
        item->pending--;
        item->running++;
        pool->begun++;
        if (item->pending)
            pool_enqueue(item);
    }
    plat_unlock(&pool_lock);
    return true;
}

/* The callback has returned, or ended its thread. */
static void finish(struct pool *pool, struct pool_call *call)
{
    struct pool_item *item = call->item;
    plat_lock(&pool_lock);
    pool->longs -= call->runs_long;
    bool wake = false;
    if (!call->dissociated) {
        item->running--;
        wake = pool_item_idle(item);
    }
    bool back = call->dissociated &&
                atomic_fetch_sub_explicit(&item->apart, 1, memory_order_release) == 1;
    bool last = pool_item_unref(item);
    plat_unlock(&pool_lock);
    if (wake)
        pool_wake_waiters(item);
    if (back)
        address_wake(&item->apart, UINT32_MAX, NULL, NULL); /* an address: it may be gone */
    if (last)
        pool_item_end(item);
}

static void make_callback(struct pool *pool, struct pool_call *call)
{
    bool only_end = !call->item->refs;
    if (only_end) {
        pool_item_end(call->item);
        return;
    }
    call->item->run(call->item, call);
    finish(pool, call);
}

static void *pool_main(void *arg)
{
    struct pool *pool = arg;
    struct pool_call call;
    const unsigned mine = process_generation;
    affinity_reset();
    plat_tls.auxiliary = true;
    plat_lock(&pool_lock);
    pool->coming--;
    pool->threads++;
    plat_unlock(&pool_lock);
    if (__builtin_setjmp(plat_tls.exit_frame) == 0) {
        plat_tls.has_exit_frame = true;
        while (take(pool, &call)) {
            make_callback(pool, &call);
            if (mine != process_generation)
                return NULL; /* the callback forked, and this is the child */
        }
        return NULL;
    }
    /* The callback has ended the thread, or somebody else did. Its pool lives as long as the item. */
    plat_lock(&pool_lock);
    pool->threads--;
    plat_unlock(&pool_lock);
    if (call.item)
        finish(pool, &call);
    return NULL;
}

/* Under the lock: the next pool that wants a thread, which is counted as coming. */
static struct pool *claim_thread(void)
{
    for (struct pool *pool = pools; pool; pool = pool->next) {
        if (wants_thread(pool)) {
            pool->coming++;
            return pool;
        }
    }
    return NULL;
}

/* On the service thread. False: not all that are needed, try again later. */
static bool create_threads(void)
{
    for (;;) {
        plat_lock(&pool_lock);
        struct pool *pool = claim_thread();
        plat_unlock(&pool_lock);
        if (!pool)
            return true;
        pthread_t thread;
        int error = kthread_create(&thread, STACK_BYTES, pool_main, pool);
        if (!error)
            continue;
        static bool said;
        if (!said)
            plat_log("no kernel thread for the thread pool, whose callbacks wait until there is "
                     "one: %s", kthread_failure(error));
        said = true;
        plat_lock(&pool_lock);
        pool->coming--;
        leave_pool(pool);
        return false;
    }
}

/* On the timer thread, while any pool is short of threads. */
static void on_tick(struct plat_timer *timer)
{
    bool again = false;
    plat_lock(&pool_lock);
    for (struct pool *pool = pools; pool; pool = pool->next) {
        if (!short_of_threads(pool))
            continue;
        if (pool->begun == pool->begun_at_tick && allowed(pool) < pool->maximum)
            pool->grown += pool->threads / 2 + 1;
        pool->begun_at_tick = pool->begun;
        again = true;
    }
    ticking = again;
    if (again) {
        timer->deadline = plat_now() + TICK_NS;
        timer_add(timer);
    }
    plat_unlock(&pool_lock);
    if (again)
        service_poke(POKE_POOL, create_threads);
}

void pool_unlock_attend(struct pool *pool)
{
    bool grow = wants_thread(pool);
    if (short_of_threads(pool) && !ticking && pool->threads + pool->coming < pool->maximum) {
        ticking = true;
        pool->begun_at_tick = pool->begun;
        tick.fire = on_tick;
        tick.deadline = plat_now() + TICK_NS;
        timer_add(&tick);
    }
    bool wake = pool->idle;
    _Atomic uint32_t *work = &pool->work;
    atomic_fetch_add_explicit(work, 1, memory_order_release);
    plat_unlock(&pool_lock);
    if (wake)
        futex_wake(work, 1); /* the pool may be gone: nobody is there to wake */
    if (grow)
        service_poke(POKE_POOL, create_threads);
}

bool pool_call_runs_long(struct pool_call *call)
{
    struct pool *pool = call->item->pool;
    plat_lock(&pool_lock);
    pool->longs += !call->runs_long;
    call->runs_long = true;
    bool others = pool->idle > pool->queued || pool->threads + pool->coming < pool->maximum;
    pool_unlock_attend(pool);
    return others;
}

void pool_call_dissociate(struct pool_call *call)
{
    plat_lock(&pool_lock);
    bool wake = false;
    if (!call->dissociated) {
        call->dissociated = true;
        atomic_fetch_add_explicit(&call->item->apart, 1, memory_order_relaxed);
        call->item->running--;
        wake = pool_item_idle(call->item);
    }
    plat_unlock(&pool_lock);
    if (wake)
        pool_wake_waiters(call->item);
}

/* ---- Pools ----------------------------------------------------------------------------------- */

struct pool *pool_hold(struct pool *pool)
{
    if (engine_start())
        return NULL;
    pool = pool ? pool : &process_pool;
    plat_lock(&pool_lock);
    pool->refs++;
    plat_unlock(&pool_lock);
    return pool;
}

void pool_release(struct pool *pool)
{
    plat_lock(&pool_lock);
    bool last = --pool->refs == 0;
    _Atomic uint32_t *work = &pool->work;
    if (!last) {
        plat_unlock(&pool_lock);
        return;
    }
    atomic_fetch_add_explicit(work, 1, memory_order_release);
    leave_pool(pool);
    futex_wake(work, INT32_MAX); /* as above */
}

struct pool *pool_create(void)
{
    struct pool *pool = engine_start() ? NULL : calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->refs = 1;
    pool->maximum = POOL_THREADS_MAXIMUM;
    plat_lock(&pool_lock);
    pool->next = pools;
    pools = pool;
    plat_unlock(&pool_lock);
    return pool;
}

void pool_close(struct pool *pool)
{
    pool_release(pool);
}

void pool_set_maximum(struct pool *pool, uint32_t threads)
{
    plat_lock(&pool_lock);
    pool->maximum = threads ? threads : 1;
    if (pool->minimum > pool->maximum)
        pool->minimum = pool->maximum;
    pool_unlock_attend(pool);
}

void pool_set_minimum(struct pool *pool, uint32_t threads)
{
    plat_lock(&pool_lock);
    pool->minimum = threads;
    if (pool->maximum < threads)
        pool->maximum = threads;
    pool_unlock_attend(pool);
}

/* In a child after fork: the threads are not there any more, and what they were asked for is the
 * parent's. */
void pools_forget(void)
{
    pool_lock = (struct plat_lock){0};
    ticking = false;
    process_generation++;
    for (struct pool *pool = pools; pool; pool = pool->next) {
        for (struct pool_item *item = pool->first; item; item = item->next_queued) {
            item->queued = false;
            item->pending = item->timeouts = 0;
        }
        pool->first = pool->last = NULL;
        pool->queued = pool->threads = pool->coming = pool->idle = pool->longs = 0;
    }
}
