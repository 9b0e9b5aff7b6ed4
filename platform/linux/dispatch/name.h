/* SPDX-License-Identifier: MIT
 *
 * name.h - the table of names of objects, known within the process.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_NAME_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_NAME_H

#include "platform/linux/dispatch/object.h"

/* What an object with a name shares its name space with: all types. What a caller expects to find. */
enum object_family { FAMILY_EVENT, FAMILY_SEMAPHORE, FAMILY_MUTEX, FAMILY_TIMER };

/* The name that counts; 0, or the error why there can be no such name: 3, 206. */
const char *name_without_prefix(const char *name);
int name_refusal(const char *text);
/* Whether the object is one that the family's calls may have. */
bool name_belongs(const struct object *object, enum object_family family);
/* A name for an object, not in the table yet; free() takes it back. NULL: no memory. */
struct object_name *name_make(const char *text, struct object *object);

/* Under the lock. An object with a name has a handle. */
extern struct plat_lock names_lock;
struct object *name_find(const char *text);
void name_add(struct object_name *name);
void name_remove(struct object *object);

#endif
