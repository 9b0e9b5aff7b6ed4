/* SPDX-License-Identifier: MIT
 *
 * object_signal.c - changes the state of dispatcher objects.
 *
 * A thread changes an object, and decides the waits that this satisfies, in one step under the
 * object's lock. It wakes the waiters after it has released the lock.
 */
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/object_signal.h"
#include "platform/linux/dispatch/proxy.h"
#include "platform/linux/dispatch/waiters.h"

/* ---- Locks ----------------------------------------------------------------------------------- */

bool object_lock_to_signal(struct object *object)
{
    plat_lock(&object->lock);
    if (UMS_LIKELY(!object->all_waits))
        return false;
    plat_unlock_lasting(&object->lock);
    plat_lock(&all_lock);
    plat_lock(&object->lock);
    return true;
}

struct object *handle_lock_to_signal(void *handle, struct plat_thread *self, bool *all)
{
    struct object *object = handle_lock(handle, self);
    *all = false;
    if (UMS_LIKELY(!object || !object->all_waits))
        return object;
    plat_unlock_lasting(&object->lock);
    plat_lock(&all_lock);
    object = handle_lock(handle, self);
    if (object)
        *all = true;
    else
        plat_unlock_lasting(&all_lock);
    return object;
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* False: the calling thread does not own it. */
static bool mutex_give(struct mutex *mutex)
{
    if (!mutex->owner || mutex->owner != plat_tls.thread)
        return false;
    if (++mutex->object.signal == 1)
        mutex_disown(mutex);
    return true;
}

/* On the thread itself. */
void mutexes_abandon(struct plat_thread *thread)
{
    struct mutex *mutex;
    while ((mutex = thread->owned.first)) {
        struct wait *chain = NULL;
        bool all = object_lock_to_signal(&mutex->object);
        if (UMS_UNLIKELY(object_is_proxy(&mutex->object))) {
            proxy_abandon(&mutex->object, &chain);
        } else {
            mutex_disown(mutex);
            mutex->abandoned = true;
            mutex->object.signal = 1;
            object_release_waiters(&mutex->object, &chain);
        }
        object_unlock_signalled(&mutex->object, all);
        waits_open(chain);
    }
}

/* On an object that is locked to be signalled. Unlocks it. */
static inline __attribute__((always_inline)) void signal_locked(struct object *object, bool all)
{
    struct wait *chain = NULL;
    object->signal = 1;
    if (object->first || object->seat)
        object_release_waiters(object, &chain);
    object_unlock_signalled(object, all);
    if (chain)
        waits_open(chain);
}

static __attribute__((noinline)) void signal_proxy(struct object *object, bool all)
{
    struct wait *chain = NULL;
    proxy_act(object, EVENT_SET, 0, &chain);
    object_unlock_signalled(object, all);
    waits_open(chain);
}

void object_signal(struct object *object)
{
    if (UMS_UNLIKELY(object_is_proxy(object)))
        proxies_join();
    bool all = object_lock_to_signal(object);
    if (UMS_UNLIKELY(object_is_proxy(object)))
        signal_proxy(object, all);
    else
        signal_locked(object, all);
}

/* The event may have been released, and its memory be another list's event by now. */
void list_event_signal(struct list_event *event, uint64_t life)
{
    struct object *object = &event->object;
    bool all = object_lock_to_signal(object);
    if (UMS_LIKELY(object->refs > 0 && event->life == life)) {
        signal_locked(object, all);
        return;
    }
    plat_unlock_lasting(&object->lock);
    if (all)
        plat_unlock_lasting(&all_lock);
}

static bool is_own_event(const struct object *object)
{
    return object->type == OBJECT_AUTO_EVENT || object->type == OBJECT_MANUAL_EVENT;
}

int object_act(struct object *object, enum object_action action, int32_t count, struct wait **chain)
{
    switch (action) {
    case EVENT_SET:
    case EVENT_RESET:
    case EVENT_PULSE:
        if (!is_own_event(object))
            return proxy_act(object, action, count, chain);
        object->signal = action != EVENT_RESET;
        break;
    case SEMAPHORE_ADD:
        if (object->type != OBJECT_SEMAPHORE)
            return proxy_act(object, action, count, chain);
        if (count > ((struct semaphore *)object)->limit - object->signal)
            return 298; /* ERROR_TOO_MANY_POSTS */
        object->signal += count;
        break;
    case MUTEX_GIVE:
        if (object->type != OBJECT_MUTEX)
            return proxy_act(object, action, count, chain);
        if (!mutex_give((struct mutex *)object))
            return 288; /* ERROR_NOT_OWNER */
        break;
    }
    object_release_waiters(object, chain);
    if (action == EVENT_PULSE)
        object->signal = 0;
    if (!object->signal)
        event_taken(object);
    return 0;
}

int handle_act(void *handle, enum object_action action, int32_t count, int32_t *before)
{
    struct wait *chain = NULL;
    struct plat_thread *self = thread_current();
    if (!self)
        return 8;
    proxies_join();
    bool all;
    struct object *object = handle_lock_to_signal(handle, self, &all);
    if (UMS_UNLIKELY(!object))
        return 6;
    int32_t was = object->signal;
    int error = object_act(object, action, count, &chain);
    if (before && object_is_proxy(object))
        was = proxy_count_before(object);
    object_unlock_signalled(object, all);
    waits_open(chain);
    if (!error && before)
        *before = was;
    return error;
}
