/* SPDX-License-Identifier: MIT
 *
 * handle.h - handles to dispatcher objects, with and without a name.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_HANDLE_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_HANDLE_H

#include "platform/linux/dispatch/name.h"
#include "platform/linux/dispatch/thread_object.h"

/* Makes a handle, which holds a reference of its own. 0, or 8: no memory. */
int handle_create(struct object *object, void **handle);
/* The object of a handle, pseudo-handles included, with a reference; NULL: not a handle. */
struct object *handle_object(void *handle);
/* Closes a handle. 0; 6: not a handle. */
int handle_close(void *handle);
/* How many handles there are at the moment. */
size_t handles_count(void);

/* Makes a handle to the object of that name, or to `fresh` under that name if there is none. 0;
 * 183: the object was there; 6: it is of another family; 8: no memory; 206: the name is too long;
 * 3: no such name space. */
int handle_create_named(const char *name, enum object_family family, struct object *fresh,
                        void **handle);
/* Makes a handle to the object of that name. 0; 2: there is none; 3, 6, 8 and 206 as above. */
int handle_open_named(const char *name, enum object_family family, void **handle);

/* ---- For the dispatcher's own files ---- */

/* An entry: the address of an object in use; 0: never used; odd: free, with two indices
 * (stock.h). */
typedef _Atomic uintptr_t handle_entry;
enum { HANDLE_PAGE = 4096, HANDLE_PAGES = 4096 };
extern _Atomic(handle_entry *) handle_pages[HANDLE_PAGES];

static inline handle_entry *handle_entry_at(size_t index)
{
    size_t page = index / HANDLE_PAGE;
    handle_entry *entries = UMS_LIKELY(page < HANDLE_PAGES)
                                ? atomic_load_explicit(&handle_pages[page], memory_order_acquire)
                                : NULL;
    return entries ? &entries[index % HANDLE_PAGE] : NULL;
}

static inline struct object *handle_object_in(handle_entry *entry)
{
    uintptr_t value = atomic_load_explicit(entry, memory_order_acquire);
    return value & 1 ? NULL : (struct object *)value;
}

/* Without a lock: the object of a handle, which may be closed at any moment; NULL: not a handle. */
struct object *handle_find(void *handle, struct plat_thread *self);
/* Whether all of these are handles; `no_pseudo`: and none a pseudo-handle. */
bool handles_good(void *const *handles, unsigned count, bool no_pseudo, struct plat_thread *self);
/* As handle_lock, for pseudo-handles and for values that are no handles. */
struct object *handle_lock_other(void *handle, struct plat_thread *self);

/* Returns the object of a handle, with its lock held: the handle is good until the caller releases
 * the lock. NULL: not a handle. Inline, for it is hot. */
static inline __attribute__((always_inline)) struct object *handle_lock(void *handle,
                                                                        struct plat_thread *self)
{
    handle_entry *entry = handle_entry_at((uintptr_t)handle / 4);
    struct object *object = UMS_LIKELY(entry != NULL) ? handle_object_in(entry) : NULL;
    if (UMS_UNLIKELY(!object))
        return handle_lock_other(handle, self);
    plat_lock(&object->lock);
    if (UMS_LIKELY(handle_object_in(entry) == object))
        return object;
    plat_unlock_lasting(&object->lock); /* the handle was closed, or is another object's now */
    return handle_lock_other(handle, self);
}
void handles_forget(void); /* in a child after fork */

#endif
