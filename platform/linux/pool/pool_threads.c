/* SPDX-License-Identifier: MIT
 *
 * pool_threads.c - the threads of pools: what each does, and how it ends.
 *
 * The broker thread makes them, outside the filter, whichever thread asks.
 */
#include "platform/linux/dispatch/address.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/pool/pool_parts.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/raw.h"

enum { STACK_BYTES = 1 << 20 };

void pool_set_stack(struct pool *pool, size_t bytes)
{
    atomic_store_explicit(&pool->stack_bytes, bytes, memory_order_relaxed);
}

size_t pool_stack(struct pool *pool)
{
    size_t bytes = atomic_load_explicit(&pool->stack_bytes, memory_order_relaxed);
    return bytes ? bytes : STACK_BYTES;
}
#define IDLE_NS 5000000000ull

/* The next callback to make; false: the thread is to end, and is not counted any more. */
static bool take(struct pool *pool, struct pool_call *call)
{
    bool bored = false;
    call->item = NULL;
    plat_lock(&pool->lock);
    while (!pool->items.first) {
        if (!pool->refs || pool->threads > pool->maximum ||
            (bored && pool->threads > pool->minimum)) {
            pool->threads--;
            pool_leave(pool);
            return false;
        }
        uint32_t seen = atomic_load_explicit(&pool->work, memory_order_relaxed);
        uint64_t until = plat_now() + IDLE_NS;
        pool->idle++;
        plat_unlock(&pool->lock);
        bored = !futex_wait_until(&pool->work, seen, until);
        plat_lock(&pool->lock);
        pool->idle--;
    }
    struct pool_item *item = pool->items.first;
    *call = (struct pool_call){.item = item};
    pool_dequeue(item);
    pool->queued--;
    if (item->pending) { /* else the item is to be destroyed */
        call->timed_out = item->timeouts == item->pending;
        item->timeouts -= call->timed_out;
        item->pending--;
        item->running++;
        pool->begun++;
        if (item->pending)
            pool_enqueue(item);
    }
    plat_unlock(&pool->lock);
    return true;
}

/* The callback has returned, or ended its thread. */
static void finish(struct pool *pool, struct pool_call *call)
{
    struct pool_item *item = call->item;
    plat_lock(&pool->lock);
    pool->longs -= call->runs_long;
    bool wake = false;
    if (!call->dissociated) {
        item->running--;
        wake = pool_item_idle(item);
    }
    bool back =
        call->dissociated && atomic_fetch_sub_explicit(&item->apart, 1, memory_order_release) == 1;
    bool last = pool_item_unref(item);
    plat_unlock(&pool->lock);
    if (wake)
        pool_wake_waiters(item);
    /* The item may be freed by now: the call uses only the address. */
    if (back)
        address_wake(&item->apart, UINT32_MAX, NULL, NULL);
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
    kthread_name("ums:pool");
    struct pool *pool = arg;
    struct pool_call call;
    const unsigned mine = pool_generation;
    affinity_reset();
    plat_tls.counting.auxiliary = true;
    plat_lock(&pool->lock);
    pool->coming--;
    pool->threads++;
    plat_unlock(&pool->lock);
    if (__builtin_setjmp(plat_tls.exit.frame) == 0) {
        plat_tls.exit.set = true;
        while (take(pool, &call)) {
            make_callback(pool, &call);
            if (mine != pool_generation)
                return NULL; /* the callback forked, and this is the child */
        }
        return NULL;
    }
    /* The callback or another thread has ended this one. The item keeps its pool alive. */
    plat_lock(&pool->lock);
    pool->threads--;
    plat_unlock(&pool->lock);
    if (call.item)
        finish(pool, &call);
    return NULL;
}

/* On the broker thread. False: not all that are needed, try again later. */
static bool create_threads(void)
{
    for (;;) {
        struct pool *pool = pool_claim_thread();
        if (!pool)
            return true;
        pthread_t thread;
        int error = kthread_create(&thread, pool_stack(pool), pool_main, pool);
        if (!error)
            continue;
        plat_log_once("no kernel thread for the thread pool, whose callbacks wait until there is "
                      "one: %s",
                      kthread_failure(error));
        plat_lock(&pool->lock);
        pool->coming--;
        pool_leave(pool);
        return false;
    }
}

void pool_call_dissociate(struct pool_call *call)
{
    struct pool *pool = call->item->pool;
    plat_lock(&pool->lock);
    bool wake = false;
    if (!call->dissociated) {
        call->dissociated = true;
        atomic_fetch_add_explicit(&call->item->apart, 1, memory_order_relaxed);
        call->item->running--;
        wake = pool_item_idle(call->item);
    }
    plat_unlock(&pool->lock);
    if (wake)
        pool_wake_waiters(call->item);
}

static __attribute__((constructor)) void offer_threads(void)
{
    pool_make_threads = create_threads;
}
