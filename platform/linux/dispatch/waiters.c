/* SPDX-License-Identifier: MIT
 *
 * waiters.c - who waits for which object or address, and deciding it.
 *
 * A wait is decided once, under the dispatcher lock: satisfied at once, by a signal, by its time, by
 * a procedure call, or because the waiter is to end. Whoever decides it lets the waiter go.
 */
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/inspect/trace.h"
#include "platform/linux/raw.h"

void wait_init(struct wait *wait, struct wait_block *blocks, struct plat_thread *self)
{
    wait->worker = NULL;
    atomic_store_explicit(&wait->go, 0, memory_order_relaxed);
    wait->blocks = blocks;
    wait->thread = self;
    wait->address = NULL;
    wait->notify = NULL;
    wait->count = 0;
    wait->all = wait->alertable = wait->decided = wait->packets = wait->timed = false;
}

/* ---- Addresses ---------------------------------------------------------------------------------------- */

enum { BUCKETS = 1024 };

static struct bucket {
    struct wait *first, *last;
} buckets[BUCKETS];

static struct bucket *bucket_of(const volatile void *address)
{
    return &buckets[((uintptr_t)address >> 3 ^ (uintptr_t)address >> 14) % BUCKETS];
}

static void address_remove(struct wait *wait)
{
    struct bucket *bucket = bucket_of(wait->address);
    if (wait->previous_at)
        wait->previous_at->next_at = wait->next_at;
    else
        bucket->first = wait->next_at;
    if (wait->next_at)
        wait->next_at->previous_at = wait->previous_at;
    else
        bucket->last = wait->previous_at;
}

void address_enqueue(struct wait *wait, const volatile void *address)
{
    struct bucket *bucket = bucket_of(address);
    wait->address = address;
    wait->next_at = NULL;
    wait->previous_at = bucket->last;
    if (bucket->last)
        bucket->last->next_at = wait;
    else
        bucket->first = wait;
    bucket->last = wait;
}

struct wait *address_first(const volatile void *address)
{
    return bucket_of(address)->first;
}

/* ---- Objects ------------------------------------------------------------------------------------------ */

static bool ready(const struct object *object, const struct wait *wait)
{
    return object->signal > 0 ||
           (object->type == OBJECT_MUTEX && wait->thread &&
            ((const struct mutex *)object)->owner == wait->thread);
}

/* WAITED_ABANDONED if that is what the waiter has to be told. */
static uint32_t consume(struct object *object, struct wait *wait)
{
    switch (object->type) {
    case OBJECT_AUTO_EVENT:
    case OBJECT_AUTO_TIMER:
        object->signal = 0;
        return 0;
    case OBJECT_SEMAPHORE:
        object->signal--;
        return 0;
    case OBJECT_MUTEX: {
        struct mutex *mutex = (struct mutex *)object;
        bool abandoned = mutex->abandoned;
        mutex->abandoned = false;
        mutex_take(mutex, wait->thread);
        return abandoned ? WAITED_ABANDONED : 0;
    }
    default:
        return 0;
    }
}

bool wait_satisfy(struct wait *wait)
{
    if (wait->all) {
        for (unsigned i = 0; i < wait->count; i++)
            if (!ready(wait->blocks[i].object, wait))
                return false;
        wait->result = 0;
        for (unsigned i = 0; i < wait->count; i++)
            wait->result |= consume(wait->blocks[i].object, wait);
        return true;
    }
    for (unsigned i = 0; i < wait->count; i++) {
        if (ready(wait->blocks[i].object, wait)) {
            wait->result = i + consume(wait->blocks[i].object, wait);
            return true;
        }
    }
    return false;
}

void wait_enqueue(struct wait *wait)
{
    for (unsigned i = 0; i < wait->count; i++) {
        struct wait_block *block = &wait->blocks[i];
        struct object *object = block->object;
        block->wait = wait;
        block->next = NULL;
        block->previous = object->last;
        if (object->last)
            object->last->next = block;
        else
            object->first = block;
        object->last = block;
        object->refs++;
    }
    if (wait->thread)
        wait->thread->wait = wait;
}

static void remove_block(struct wait_block *block)
{
    struct object *object = block->object;
    if (block->previous)
        block->previous->next = block->next;
    else
        object->first = block->next;
    if (block->next)
        block->next->previous = block->previous;
    else
        object->last = block->previous;
    object_unref(object);
}

void wait_decide(struct wait *wait, uint32_t result, struct wait **chain)
{
    for (unsigned i = 0; i < wait->count; i++)
        remove_block(&wait->blocks[i]);
    if (wait->address)
        address_remove(wait);
    if (wait->thread)
        wait->thread->wait = NULL;
    wait->decided = true;
    wait->result = result;
    wait->to_open = *chain;
    *chain = wait;
}

void object_release_waiters(struct object *object, struct wait **chain)
{
    for (struct wait_block *block = object->first; block && object->signal > 0;) {
        struct wait *wait = block->wait;
        struct wait_block *next = block->next;
        while (next && next->wait == wait) /* the same object twice in one wait */
            next = next->next;
        if (wait_satisfy(wait))
            wait_decide(wait, wait->result, chain);
        block = next;
    }
}

/* ---- Letting go, without the lock ------------------------------------------------------------------------ */

static __attribute__((noinline)) void wake_thread(struct wait *wait)
{
    atomic_store_explicit(&wait->go, 1, memory_order_release);
    futex_wake(&wait->go, 1);
}

/* The wait may cease to exist once its waiter is let go: nothing of it is touched after. */
void waits_open(struct wait *chain)
{
    while (chain) {
        struct wait *wait = chain;
        chain = wait->to_open;
        if (wait->notify) {
            wait->notify(wait);
        } else if (wait->worker) {
            trace(NULL, TRACE_COMPLETE, wait->worker, 0, 0, 0);
            engine_core->worker_completed(wait->worker);
        } else {
            wake_thread(wait);
        }
    }
}

void dispatcher_unlock(struct wait *chain)
{
    struct object *to_free = dispatcher_release();
    waits_open(chain);
    if (UMS_UNLIKELY(to_free != NULL))
        objects_free(to_free);
}

void waiters_forget(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        buckets[i].first = buckets[i].last = NULL;
}
