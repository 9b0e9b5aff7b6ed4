/* SPDX-License-Identifier: MIT
 *
 * object_signal.c - every way in which the state of a dispatcher object changes.
 *
 * A change and what it lets go are one step under the dispatcher lock. The waiters run after the lock was
 * released.
 */
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/waiters.h"

/* False: it is not the calling thread's. */
static bool mutex_give(struct mutex *mutex)
{
    if (!mutex->owner || mutex->owner != plat_tls.thread)
        return false;
    if (++mutex->object.signal == 1)
        mutex_disown(mutex);
    return true;
}

void mutexes_abandon(struct plat_thread *thread)
{
    struct wait *chain = NULL;
    plat_lock(&dispatcher_lock);
    while (thread->owned) {
        struct mutex *mutex = thread->owned;
        mutex_disown(mutex);
        mutex->abandoned = true;
        mutex->object.signal = 1;
        object_release_waiters(&mutex->object, &chain);
    }
    dispatcher_unlock(chain);
}

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
