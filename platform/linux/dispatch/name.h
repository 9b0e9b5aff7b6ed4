/* SPDX-License-Identifier: MIT
 *
 * name.h - the table of names of objects, known within the process.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_NAME_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_NAME_H

#include "platform/linux/dispatch/object.h"

/* All types share one name space. A family says which types a caller expects under a name. */
enum object_family {
    FAMILY_EVENT,
    FAMILY_SEMAPHORE,
    FAMILY_MUTEX,
    FAMILY_TIMER,
    FAMILY_SECTION,
    FAMILY_JOB
};

/* The first gives the part of a name behind its prefix. The second gives 0, or the error for a name
 * that cannot be: 3 or 206. */
const char *name_without_prefix(const char *name);
int name_refusal(const char *text);
/* Whether the object is one of the family. */
bool name_belongs(const struct object *object, enum object_family family);
/* Makes a name for an object, not in the table yet; free() takes it back. NULL: no memory. */
struct object_name *name_make(const char *text, struct object *object);

/* A place in the table. Each has a lock of its own, and its memory is never anything else. */
struct name_place;
struct name_place *name_place(const char *text);
PLAT_LOCK(NAMES) * name_lock(struct name_place *place);
/* Under the object's lock: where its name is; NULL: it has none. */
struct name_place *name_place_of(const struct object *object);

/* Under the place's lock. An object with a name has a handle. */
struct object *name_find(struct name_place *place, const char *text);
void name_add(struct name_place *place, struct object_name *name);
void name_remove(struct name_place *place, struct object *object);
void names_forget(void); /* in a child after fork: no thread holds a lock */

#endif
