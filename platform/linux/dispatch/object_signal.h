/* SPDX-License-Identifier: MIT
 *
 * object_signal.h - every way in which the state of a dispatcher object changes.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_SIGNAL_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_SIGNAL_H

#include "platform/linux/dispatch/object.h"

/* Sets the signal to 1: an auto-reset object lets one waiter go, any other all. */
void object_signal(struct object *object);
/* Gives up all mutexes of a thread that ends; each is abandoned. */
void mutexes_abandon(struct plat_thread *thread);

enum object_action { EVENT_SET, EVENT_RESET, EVENT_PULSE, SEMAPHORE_ADD, MUTEX_GIVE };

/* Acts on the object of a handle in the name of the calling thread. `before` (or NULL) gets the signal
 * from before. 0; 6: no handle, or of another type; 288: not the mutex's owner; 298: more than the
 * semaphore's limit. */
int handle_act(void *handle, enum object_action action, int32_t count, int32_t *before);

/* For the dispatcher's own files, with the object locked to be signalled: handle_act on it; adds whom it
 * lets go to the chain. */
struct wait;
int object_act(struct object *object, enum object_action action, int32_t count,
               struct wait **chain);

#endif
