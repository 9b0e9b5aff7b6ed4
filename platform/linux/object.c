/* SPDX-License-Identifier: MIT
 *
 * object.c - the life of dispatcher objects and every way their state changes.
 *
 * One lock for all objects, held for a few list operations. So a wait on many objects is atomic over
 * all of them without any ordering of locks, and with it goes the handle table: a call on a handle
 * takes this one lock once.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/linux/dispatcher.h"

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

static void disown(struct mutex *mutex)
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
        disown((struct mutex *)object); /* closed while it was held */
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

static __attribute__((noinline)) void free_all(struct object *to_free)
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
void dispatcher_unlock(struct wait *chain)
{
    struct object *to_free = plat_tls.thread ? dead : NULL;
    if (UMS_UNLIKELY(to_free != NULL))
        dead = NULL;
    plat_unlock(&dispatcher_lock);
    waits_open(chain);
    if (UMS_UNLIKELY(to_free != NULL))
        free_all(to_free);
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
    dispatcher_unlock(NULL);
}

/* ---- Letting waiters go --------------------------------------------------------------------------- */

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

/* False: it is not the calling thread's. */
static bool mutex_give(struct mutex *mutex)
{
    if (!mutex->owner || mutex->owner != plat_tls.thread)
        return false;
    if (++mutex->object.signal == 1)
        disown(mutex);
    return true;
}

void mutexes_abandon(struct plat_thread *thread)
{
    struct wait *chain = NULL;
    plat_lock(&dispatcher_lock);
    while (thread->owned) {
        struct mutex *mutex = thread->owned;
        disown(mutex);
        mutex->abandoned = true;
        mutex->object.signal = 1;
        object_release_waiters(&mutex->object, &chain);
    }
    dispatcher_unlock(chain);
}

/* ---- Changing the state ----------------------------------------------------------------------------- */

void object_signal(struct object *object)
{
    struct wait *chain = NULL;
    plat_lock(&dispatcher_lock);
    object->signal = 1;
    object_release_waiters(object, &chain);
    dispatcher_unlock(chain);
}

static bool is_event(const struct object *object)
{
    return object->type == OBJECT_AUTO_EVENT || object->type == OBJECT_MANUAL_EVENT;
}

int object_act(struct object *object, enum object_action action, int32_t count,
               struct wait **chain)
{
    switch (action) {
    case EVENT_SET:
    case EVENT_RESET:
    case EVENT_PULSE:
        if (!is_event(object))
            return 6;
        object->signal = action != EVENT_RESET;
        break;
    case SEMAPHORE_ADD:
        if (object->type != OBJECT_SEMAPHORE)
            return 6;
        if (count > ((struct semaphore *)object)->limit - object->signal)
            return 298; /* ERROR_TOO_MANY_POSTS */
        object->signal += count;
        break;
    case MUTEX_GIVE:
        if (object->type != OBJECT_MUTEX)
            return 6;
        if (!mutex_give((struct mutex *)object))
            return 288; /* ERROR_NOT_OWNER */
        break;
    }
    object_release_waiters(object, chain);
    if (action == EVENT_PULSE)
        object->signal = 0;
    return 0;
}

int handle_act(void *handle, enum object_action action, int32_t count, int32_t *before)
{
    struct wait *chain = NULL;
    struct plat_thread *self = thread_current();
    if (!self)
        return 8;
    plat_lock(&dispatcher_lock);
    struct object *object = handle_find(handle, self);
    int32_t was = object ? object->signal : 0;
    int error = object ? object_act(object, action, count, &chain) : 6;
    dispatcher_unlock(chain);
    if (!error && before)
        *before = was;
    return error;
}

/* ---- The events of completion lists -------------------------------------------------------------------- */

int plat_event_create(struct plat_event **event)
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
    *event = (struct plat_event *)object;
    return object ? 0 : 8;
}

void plat_event_release(struct plat_event *event)
{
    object_drop((struct object *)event);
}

/* An event that is set already needs no lock. Whoever takes its signal does so under the lock, whose
 * release is a locked instruction, and looks at the list after that; the caller put something on the
 * list with a locked instruction, and looks at the signal after that. So one of the two sees what the
 * other did. */
void plat_event_set(struct plat_event *event)
{
    struct object *object = (struct object *)event;
    if (__atomic_load_n(&object->signal, __ATOMIC_SEQ_CST) <= 0)
        object_signal(object);
}

bool plat_event_wait(struct plat_event *event, uint64_t deadline)
{
    return wait_for_object((struct object *)event, deadline) == 0;
}

int plat_event_handle(struct plat_event *event, void **handle)
{
    return handle_create((struct object *)event, handle);
}

void dispatcher_forget(void)
{
    dispatcher_lock = (struct plat_lock){0};
    handles_forget();
    addresses_forget();
}
