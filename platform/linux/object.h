/* SPDX-License-Identifier: MIT
 *
 * object.h - dispatcher objects: what they are, how their state changes, and handles to them.
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
#ifndef UMSSHIM_PLATFORM_LINUX_OBJECT_H
#define UMSSHIM_PLATFORM_LINUX_OBJECT_H

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

/* ---- State ---- */

/* Sets the signal to 1: an auto-reset object lets one waiter go, any other all. */
void object_signal(struct object *object);
/* Gives up all mutexes of a thread that ends; each is abandoned. */
void mutexes_abandon(struct plat_thread *thread);

enum object_action { EVENT_SET, EVENT_RESET, EVENT_PULSE, SEMAPHORE_ADD, MUTEX_GIVE };

/* Acts on the object of a handle in the name of the calling thread. `before` (or NULL) gets the signal
 * from before. 0; 6: no handle, or of another type; 288: not the mutex's owner; 298: more than the
 * semaphore's limit. */
int handle_act(void *handle, enum object_action action, int32_t count, int32_t *before);

/* ---- Handles (handle.c) ---- */

/* A new handle, holding a reference of its own. 0 or 8. */
int handle_create(struct object *object, void **handle);
/* The object of a handle, pseudo-handles included, with a reference; NULL: not a handle. */
struct object *handle_object(void *handle);
/* 0; 6: not a handle. */
int handle_close(void *handle);

/* ---- Names (name.c) ---- */

/* What an object with a name shares its name space with: all types. What a caller expects to find. */
enum object_family { FAMILY_EVENT, FAMILY_SEMAPHORE, FAMILY_MUTEX, FAMILY_TIMER };

/* A handle to the object of that name, or to `fresh` under that name if there is none.
 * 0; 183: it was there, the handle is to that one; 6: of another family; 8; 206: too long; 3: no such name space. */
int name_create(const char *name, enum object_family family, struct object *fresh, void **handle);
/* 0, 2 (none of that name), 3, 6, 206, 8. */
int name_open(const char *name, enum object_family family, void **handle);

void dispatcher_forget(void);

#endif
