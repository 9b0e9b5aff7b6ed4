/* SPDX-License-Identifier: MIT
 *
 * object_store.h - the memory of dispatcher objects, which never becomes anything else.
 *
 * A thread that has an object's address, however old, may take its lock: there is always a lock
 * there, and it is never cleared. So a thread looks a handle up without a lock, and finds out under
 * the object's lock whether that is the object which was meant. A free slot has no waits on its
 * list.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_STORE_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_STORE_H

#include "platform/linux/dispatch/object.h"

/* A slot of zeroes, but for its lock, on cache lines of its own; NULL: no memory. `stable`: the
 * slot serves list events only, before and after (object.h). */
struct object *store_take(size_t bytes, bool stable);
/* Takes no lock of libc's. pre: nothing refers to the object any more. */
void store_give(struct object *object);
/* Looks at all objects that are referred to, and asks is() about each, with its lock. Returns the
 * first for which that is true, with one more reference, or NULL. */
struct object *store_find(bool (*is)(const struct object *, const void *), const void *arg);
/* In a child after fork: no thread waits, and no thread holds a lock. Calls each() for each
 * slot. */
void store_forget(void (*each)(struct object *));

#endif
