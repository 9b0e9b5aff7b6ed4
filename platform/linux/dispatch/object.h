/* SPDX-License-Identifier: MIT
 *
 * object.h - dispatcher objects: what they are, and how long.
 *
 * An object has a type, a signal state and a list of wait blocks. Who signals one decides, under the
 * one dispatcher lock, which waits are satisfied, takes those off all their objects, and lets them go
 * after the lock was released. So a wait on many objects is atomic over all of them, and no lock is
 * held while anybody is woken.
 *
 * Life: references are counted under the dispatcher lock; each handle and each waiter has one. A named
 * object loses its name with its last handle.
 *
 * What `signal` counts: an event or timer 0 or 1, a semaphore what is left, a mutex 1 when free and
 * less each time its owner takes it, a thread 1 when it has ended.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_H

#include "platform/linux/engine.h"

enum object_type {
    OBJECT_AUTO_EVENT,
    OBJECT_MANUAL_EVENT,
    OBJECT_SEMAPHORE,
    OBJECT_MUTEX,
    OBJECT_AUTO_TIMER,
    OBJECT_MANUAL_TIMER,
    OBJECT_THREAD,
    OBJECT_PROCESS,
    OBJECT_FILE,
    OBJECT_PORT,
};

struct wait_block;
struct object_name;

struct object { /* everything under the dispatcher lock */
    uint8_t type;
    bool stable; /* its memory never becomes anything else: a list's event */
    int32_t signal;
    uint32_t refs, handles;
    struct wait_block *first, *last;
    struct object *next_dead; /* nothing refers to it any more */
    struct object_name *name;
    void (*closed)(struct object *);  /* after the last handle went; or NULL */
    void (*destroy)(struct object *); /* before the memory goes; or NULL */
};

struct mutex {
    struct object object;
    struct plat_thread *owner;
    struct mutex *next_owned, *previous_owned;
    bool abandoned;
};

struct semaphore {
    struct object object;
    int32_t limit;
};

/* ---- Life ---- */

/* A new object with one reference and signal 0, or NULL. `bytes` covers the type that embeds it. */
void *object_create(enum object_type type, size_t bytes);
/* A free mutex, or one that is the owner's. */
struct object *mutex_create(struct plat_thread *owner);
void object_hold(struct object *object);
void object_drop(struct object *object);

/* ---- For the dispatcher's own files ---- */

/* One lock for all objects, waits and handles, held for a few list operations and never across a callback
 * or a system call. So a wait on many objects is atomic over all of them without any ordering of locks, and
 * a call on a handle takes this one lock once. It may be held around timer_add and timer_cancel, whose
 * lock is below it. */
extern struct plat_lock dispatcher_lock;
void dispatcher_lock_forget(void); /* in a child after fork */

/* Both under the lock. One reference less; the last one leaves the object to dispatcher_release. */
void object_unref(struct object *object);
void mutex_take(struct mutex *mutex, struct plat_thread *owner);
void mutex_disown(struct mutex *mutex);

/* Releases the lock; gives what nobody refers to any more, for objects_free. */
struct object *dispatcher_release(void);
void objects_free(struct object *to_free);

/* Both, where nobody is let go. */
static inline void dispatcher_leave(void)
{
    struct object *to_free = dispatcher_release();
    if (UMS_UNLIKELY(to_free != NULL))
        objects_free(to_free);
}

/* An auto-reset event whose memory never becomes anything else, not signalled; NULL: no memory. */
struct object *object_stable_event(void);

#endif
