/* SPDX-License-Identifier: MIT
 *
 * handle.h - handles to dispatcher objects, with and without a name.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_HANDLE_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_HANDLE_H

#include "platform/linux/dispatch/name.h"
#include "platform/linux/dispatch/thread_object.h"

/* A new handle, holding a reference of its own. 0 or 8. */
int handle_create(struct object *object, void **handle);
/* The object of a handle, pseudo-handles included, with a reference; NULL: not a handle. */
struct object *handle_object(void *handle);
/* 0; 6: not a handle. */
int handle_close(void *handle);

/* A handle to the object of that name, or to `fresh` under that name if there is none.
 * 0; 183: it was there, the handle is to that one; 6: of another family; 8; 206: too long; 3: no such name space. */
int handle_create_named(const char *name, enum object_family family, struct object *fresh, void **handle);
/* 0, 2 (none of that name), 3, 6, 206, 8. */
int handle_open_named(const char *name, enum object_family family, void **handle);

/* ---- For the dispatcher's own files ---- */

/* Under the lock: the object of a handle, without a reference; NULL: not a handle. */
struct object *handle_find(void *handle, struct plat_thread *self);
void handles_forget(void); /* in a child after fork */

#endif
