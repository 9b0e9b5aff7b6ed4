/* SPDX-License-Identifier: MIT
 *
 * thread_map.c - see thread_map.h.
 */
#include "platform/windows/os/thread_map.h"

#include "platform/windows/engine.h"

enum { BUCKETS = 1024 };

static struct plat_context *buckets[BUCKETS];
static struct leaving *leaving_threads;
static struct plat_lock lock;
static _Atomic uint32_t version; /* odd while a chain is being changed */

/* Thread ids are multiples of four. */
static struct plat_context **bucket_of(uint32_t thread_id)
{
    return &buckets[thread_id / 4 % BUCKETS];
}

void thread_map_add(struct plat_context *context)
{
    struct plat_context **bucket = bucket_of(context->thread_id);
    plat_lock(&lock);
    atomic_fetch_add(&version, 1);
    context->next = *bucket;
    *bucket = context;
    atomic_fetch_add(&version, 1);
    plat_unlock(&lock);
}

/* The context of the thread; NULL: none. The caller has the lock. */
static struct plat_context *find(uint32_t thread_id)
{
    struct plat_context *context = *bucket_of(thread_id);
    while (context && context->thread_id != thread_id)
        context = context->next;
    return context;
}

static bool is_leaving(uint32_t thread_id)
{
    const struct leaving *leaving = leaving_threads;
    while (leaving && leaving->thread_id != thread_id)
        leaving = leaving->next;
    return leaving != NULL;
}

/* With the lock held. Releases it for a while if another thread holds the context. */
static void take_out(struct plat_context *context)
{
    while (atomic_load_explicit(&context->holders, memory_order_acquire)) {
        plat_unlock(&lock);
        SwitchToThread();
        plat_lock(&lock);
    }
    struct plat_context **link = bucket_of(context->thread_id);
    while (*link && *link != context)
        link = &(*link)->next;
    atomic_fetch_add(&version, 1);
    if (*link)
        *link = context->next;
    atomic_fetch_add(&version, 1);
}

void thread_map_remove(struct plat_context *context)
{
    plat_lock(&lock);
    take_out(context);
    plat_unlock(&lock);
}

void thread_map_leave(struct plat_context *context, struct leaving *leaving)
{
    plat_lock(&lock);
    take_out(context);
    *leaving = (struct leaving){context->thread_id, leaving_threads};
    leaving_threads = leaving;
    plat_unlock(&lock);
}

void thread_map_left(struct leaving *leaving)
{
    struct leaving **link = &leaving_threads;
    plat_lock(&lock);
    while (*link != leaving)
        link = &(*link)->next;
    *link = leaving->next;
    plat_unlock(&lock);
}

struct plat_context *thread_map_find(uint32_t thread_id)
{
    plat_lock(&lock);
    struct plat_context *context = find(thread_id);
    plat_unlock(&lock);
    return context;
}

/* A thread that holds a context counts as one with a lock, so that no thread stops it meanwhile. */
struct plat_context *thread_map_hold(uint32_t thread_id)
{
    struct plat_context *self = plat_current();
    for (;; SwitchToThread()) {
        plat_lock(&lock);
        struct plat_context *context = find(thread_id);
        bool leaving = !context && is_leaving(thread_id);
        if (context) {
            atomic_fetch_add_explicit(&context->holders, 1, memory_order_relaxed);
            plat_count_lock(self);
        }
        plat_unlock(&lock);
        if (!leaving)
            return context;
    }
}

void thread_map_release(struct plat_context *context)
{
    atomic_fetch_sub_explicit(&context->holders, 1, memory_order_release);
    plat_discount_lock(plat_current());
}

void thread_map_lock(void)
{
    plat_lock(&lock);
}

void thread_map_unlock(void)
{
    plat_unlock(&lock);
}

bool thread_map_any(bool (*is)(struct plat_context *context, void *arg), void *arg)
{
    bool found = false;
    plat_lock(&lock);
    for (size_t i = 0; i < BUCKETS && !found; i++)
        for (struct plat_context *context = buckets[i]; context && !found; context = context->next)
            found = is(context, arg);
    plat_unlock(&lock);
    return found;
}

/* Goes bucket by bucket, and in each from the least id to the greatest. No change of the chains
 * disturbs this order. */
uint32_t thread_map_next(uint32_t thread_id)
{
    uint32_t next = 0;
    plat_lock(&lock);
    for (size_t i = (size_t)(bucket_of(thread_id) - buckets); i < BUCKETS && !next; i++) {
        for (struct plat_context *context = buckets[i]; context; context = context->next)
            if (context->thread_id > thread_id && (!next || context->thread_id < next))
                next = context->thread_id;
        thread_id = 0;
    }
    plat_unlock(&lock);
    return next;
}

/* Contexts' memory stays contexts', so a walk along a chain that changes meanwhile is safe. Its
 * answer does not count if `version` has changed. A thread that meets changes again and again takes
 * the lock. */
struct plat_context *thread_map_look(uint32_t thread_id)
{
    for (int tries = 0; tries < 8; tries++) {
        uint32_t before = atomic_load(&version);
        if (before & 1)
            continue;
        struct plat_context *context = __atomic_load_n(bucket_of(thread_id), __ATOMIC_ACQUIRE);
        for (int steps = 0; context && context->thread_id != thread_id && steps < BUCKETS; steps++)
            context = __atomic_load_n(&context->next, __ATOMIC_ACQUIRE);
        if (atomic_load(&version) == before && (!context || context->thread_id == thread_id))
            return context;
    }
    return thread_map_find(thread_id);
}
