/* SPDX-License-Identifier: MIT
 *
 * object_signal.h - changes the state of dispatcher objects.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_SIGNAL_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_SIGNAL_H

#include "platform/linux/dispatch/waiters.h"

/* Sets the signal to 1: an auto-reset object lets one waiter go, any other all. */
void object_signal(struct object *object);
/* The same for a completion list's event, unless its memory has another life by now (event.c). */
void list_event_signal(struct list_event *event, uint64_t life);
/* Gives up all mutexes of a thread that ends; each is abandoned. */
void mutexes_abandon(struct plat_thread *thread);

enum object_action { EVENT_SET, EVENT_RESET, EVENT_PULSE, SEMAPHORE_ADD, MUTEX_GIVE };

/* Acts on the object of a handle in the name of the calling thread. `before` (or NULL) gets the
 * signal from before. 0; 6: no handle, or of another type; 288: not the mutex's owner; 298: more
 * than the semaphore's limit. */
int handle_act(void *handle, enum object_action action, int32_t count, int32_t *before);

/* ---- For the dispatcher's own files ---- */

/* Locks an object whose signal the caller is to change. True: it took the all-lock before, since a
 * thread waits for the object together with others. */
bool object_lock_to_signal(struct object *object);
/* The same for the object of a handle; NULL: not a handle, nothing is locked. */
struct object *handle_lock_to_signal(void *handle, struct plat_thread *self, bool *all);
static inline void object_unlock_signalled(struct object *object, bool all)
{
    object_unlock(object);
    if (UMS_UNLIKELY(all))
        plat_unlock_lasting(&all_lock);
}

/* handle_act on an object that is locked to be signalled. Adds the waits that it decides to the
 * chain. */
int object_act(struct object *object, enum object_action action, int32_t count,
               struct wait **chain);

#endif
