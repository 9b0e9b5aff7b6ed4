/* SPDX-License-Identifier: MIT
 *
 * object.c - the life of dispatcher objects: from creation to the last reference, and the owners of
 * mutexes.
 */
#include <stdlib.h>

#include "platform/chain.h"
#include "platform/linux/dispatch/object_store.h"
#include "platform/linux/dispatch/thread_object.h"

/* ---- Life ------------------------------------------------------------------------------------ */

static _Atomic(struct object *) dead; /* objects to free, for the next thread that may (may_free) */

/* Only threads of the program free memory: a suspended thread may hold the heap's lock, and the
 * engine's threads may not wait for that. No thread calls libc while it holds a lock of ours. */
static bool may_free(void)
{
    return plat_tls.thread && !plat_tls.locks;
}

static void end(struct object *object)
{
    if (object->destroy)
        object->destroy(object);
    free(object->name);
    store_give(object);
}

static __attribute__((noinline)) void end_the_dead(void)
{
    struct object *object = atomic_exchange_explicit(&dead, NULL, memory_order_acquire);
    while (object) {
        struct object *next = object->next_free;
        end(object);
        object = next;
    }
}

void object_free(struct object *object)
{
    if (UMS_UNLIKELY(object->let_go != NULL))
        object->let_go(object);
    if (!object->destroy && !object->name) {
        store_give(object);
    } else if (may_free()) {
        end(object);
    } else {
        plat_written(&dead);
        object->next_free = atomic_load_explicit(&dead, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&dead, &object->next_free, object,
                                                      memory_order_release, memory_order_relaxed))
            continue;
    }
}

static struct object *new_slot(size_t bytes, bool stable)
{
    if (UMS_UNLIKELY(atomic_load_explicit(&dead, memory_order_relaxed) != NULL) && may_free())
        end_the_dead();
    return store_take(bytes, stable);
}

void *object_create(enum object_type type, size_t bytes)
{
    struct object *object = new_slot(bytes, false);
    if (object) {
        object->type = (uint8_t)type;
        object->refs = 1;
    }
    return object;
}

/* A thread that sets the event which was here before may hold the lock. It finds no reference, or
 * another life, and sets nothing. */
struct list_event *object_list_event(void)
{
    static _Atomic uint64_t lives;
    struct list_event *event = (struct list_event *)new_slot(sizeof *event, true);
    if (event) {
        plat_lock(&event->object.lock);
        event->object.type = OBJECT_AUTO_EVENT;
        event->life = atomic_fetch_add_explicit(&lives, 1, memory_order_relaxed) + 1;
        event->object.refs = 1;
        plat_unlock_lasting(&event->object.lock);
    }
    return event;
}

/* A mutex that is closed while another thread owns it stays with that thread: no other thread may
 * change the owner's list of mutexes. The owner gives it up when it next takes a mutex, or ends; a
 * proxy, which other processes may have, only when it ends. True: the mutex stays. */
static bool closed_while_owned(struct mutex *mutex)
{
    struct plat_thread *owner = mutex->owner;
    if (object_is_proxy(&mutex->object)) {
        mutex->orphan = true;
        return true;
    }
    if (owner == plat_tls.thread) {
        mutex_disown(mutex);
        return false;
    }
    mutex->orphan = true;
    atomic_store_explicit(&owner->orphans, true, memory_order_relaxed);
    return true;
}

void object_unref_last(struct object *object)
{
    UMS_CHECK(object->refs, object, object->type);
    if (object_is_mutex(object) && ((struct mutex *)object)->owner &&
        closed_while_owned((struct mutex *)object))
        return;
    object->refs--;
}

void object_hold(struct object *object)
{
    plat_lock(&object->lock);
    object->refs++;
    plat_unlock_lasting(&object->lock);
}

void object_drop(struct object *object)
{
    plat_lock(&object->lock);
    object_unref(object);
    object_unlock(object);
}

/* ---- Mutexes --------------------------------------------------------------------------------- */

void mutex_disown(struct mutex *mutex)
{
    CHAIN_REMOVE(&mutex->owner->owned, mutex, next_owned, previous_owned);
    mutex->owner = NULL;
    if (UMS_UNLIKELY(mutex->orphan)) {
        mutex->orphan = false;
        object_unref(&mutex->object);
    }
}

/* The owner calls it, with another lock held. So it only tries each mutex's lock, and leaves a
 * mutex whose lock is taken for later. */
static __attribute__((noinline)) void let_orphans_go(struct plat_thread *owner)
{
    atomic_store_explicit(&owner->orphans, false, memory_order_relaxed);
    for (struct mutex *mutex = owner->owned.first, *next; mutex; mutex = next) {
        next = mutex->next_owned;
        if (!plat_trylock(&mutex->object.lock)) {
            atomic_store_explicit(&owner->orphans, true, memory_order_relaxed);
            continue;
        }
        if (mutex->orphan && !object_is_proxy(&mutex->object))
            mutex_disown(mutex);
        object_unlock(&mutex->object);
    }
}

void mutex_take(struct mutex *mutex, struct plat_thread *owner)
{
    mutex->object.signal--;
    if (mutex->owner)
        return;
    if (UMS_UNLIKELY(atomic_load_explicit(&owner->orphans, memory_order_relaxed)) &&
        owner == plat_tls.thread)
        let_orphans_go(owner);
    mutex->owner = owner;
    CHAIN_PREPEND(&owner->owned, mutex, next_owned, previous_owned);
}

struct object *mutex_create(struct plat_thread *owner)
{
    struct mutex *mutex = object_create(OBJECT_MUTEX, sizeof *mutex);
    if (!mutex)
        return NULL;
    mutex->object.signal = 1;
    if (owner)
        mutex_take(mutex, owner);
    return &mutex->object;
}
