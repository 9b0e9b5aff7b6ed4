/* SPDX-License-Identifier: MIT
 *
 * object.c - the life of dispatcher objects: from creation to the last reference, and who owns a mutex.
 */
#include <stdlib.h>

#include "platform/linux/dispatch/thread_object.h"

struct plat_lock dispatcher_lock;

/* ---- Life --------------------------------------------------------------------------------------- */

void *object_create(enum object_type type, size_t bytes)
{
    struct object *object = calloc(1, bytes);
    if (object) {
        object->type = (uint8_t)type;
        object->refs = 1;
    }
    return object;
}

/* Both under the lock. */
static struct object *dead;         /* to be freed by whoever releases the lock next */
static struct object *spare_events; /* stable ones that nobody uses */

void mutex_disown(struct mutex *mutex)
{
    if (mutex->previous_owned)
        mutex->previous_owned->next_owned = mutex->next_owned;
    else
        mutex->owner->owned = mutex->next_owned;
    if (mutex->next_owned)
        mutex->next_owned->previous_owned = mutex->previous_owned;
    mutex->owner = NULL;
}

void object_unref(struct object *object)
{
    UMS_CHECK(object->refs, object, object->type);
    if (--object->refs)
        return;
    if (object->type == OBJECT_MUTEX && ((struct mutex *)object)->owner)
        mutex_disown((struct mutex *)object); /* closed while it was held */
    object->next_dead = dead;
    dead = object;
}

static void free_or_keep(struct object *object)
{
    if (!object->stable) {
        free(object);
        return;
    }
    plat_lock(&dispatcher_lock);
    object->name = NULL;
    object->next_dead = spare_events;
    spare_events = object;
    plat_unlock(&dispatcher_lock);
}

__attribute__((noinline)) void objects_free(struct object *to_free)
{
    while (to_free) {
        struct object *object = to_free;
        to_free = object->next_dead;
        if (object->destroy)
            object->destroy(object);
        free(object->name);
        free_or_keep(object);
    }
}

/* Only threads of the program give memory back: the heap's locks may be held by one that is suspended,
 * and the engine's threads must not wait for it. */
struct object *dispatcher_release(void)
{
    struct object *to_free = plat_tls.thread ? dead : NULL;
    if (UMS_UNLIKELY(to_free != NULL))
        dead = NULL;
    plat_unlock(&dispatcher_lock);
    return to_free;
}

void object_hold(struct object *object)
{
    plat_lock(&dispatcher_lock);
    object->refs++;
    plat_unlock(&dispatcher_lock);
}

void object_drop(struct object *object)
{
    plat_lock(&dispatcher_lock);
    object_unref(object);
    dispatcher_leave();
}

/* ---- Mutexes ------------------------------------------------------------------------------------------ */

void mutex_take(struct mutex *mutex, struct plat_thread *owner)
{
    mutex->object.signal--;
    if (mutex->owner)
        return;
    mutex->owner = owner;
    mutex->previous_owned = NULL;
    mutex->next_owned = owner->owned;
    if (owner->owned)
        owner->owned->previous_owned = mutex;
    owner->owned = mutex;
}

struct object *mutex_create(struct plat_thread *owner)
{
    struct mutex *mutex = object_create(OBJECT_MUTEX, sizeof *mutex);
    if (!mutex)
        return NULL;
    mutex->object.signal = 1;
    plat_lock(&dispatcher_lock);
    if (owner)
        mutex_take(mutex, owner);
    plat_unlock(&dispatcher_lock);
    return &mutex->object;
}

/* ---- Stable events ------------------------------------------------------------------------------------ */

struct object *object_stable_event(void)
{
    plat_lock(&dispatcher_lock);
    struct object *object = spare_events;
    if (object) {
        spare_events = object->next_dead;
        object->signal = 0;
        object->refs = 1;
    }
    plat_unlock(&dispatcher_lock);
    if (!object)
        object = object_create(OBJECT_AUTO_EVENT, sizeof *object);
    if (object)
        object->stable = true;
    return object;
}

void dispatcher_lock_forget(void)
{
    dispatcher_lock = (struct plat_lock){0};
}
