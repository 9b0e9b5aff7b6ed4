/* SPDX-License-Identifier: MIT
 *
 * handle.c - the table from handles to objects.
 *
 * Handles look like Windows': small multiples of four, lowest free first is not promised. Their two low
 * bits are the program's: a handle with a tag there is the same handle. Any value may be asked for; one
 * that is not in the table is answered as invalid. The table is under the dispatcher lock, so that a call
 * on a handle finds its object and acts on it in one step.
 */
#include <stdlib.h>

#include "platform/layout.h"
#include "platform/linux/dispatch/handle.h"

enum { PAGE = 4096, PAGES = 4096 };

union entry {
    struct object *object; /* in use */
    uintptr_t next_free;   /* free: index of the next free entry << 1 | 1 */
};

static union entry *pages[PAGES];
static size_t used;                 /* entries ever handed out */
static uintptr_t first_free = 1;    /* 1: none; entry 0 is never used */

LAYOUT_VARIABLE("handles.pages", pages);
LAYOUT_VARIABLE("handles.used", used);
LAYOUT_NUMBER("handles.page", PAGE);

static struct object this_process = {.type = OBJECT_PROCESS, .refs = 1};

static union entry *entry_at(size_t index)
{
    union entry *page = pages[index / PAGE];
    return page ? &page[index % PAGE] : NULL;
}

static int insert(struct object *object, void **handle)
{
    size_t index;
    union entry *entry;
    if (first_free != 1) {
        index = first_free >> 1;
        entry = entry_at(index);
        first_free = entry->next_free;
    } else {
        index = ++used;
        if (index / PAGE < PAGES && !pages[index / PAGE])
            pages[index / PAGE] = plat_reserve(PAGE * sizeof **pages);
        entry = index / PAGE < PAGES ? entry_at(index) : NULL;
        if (!entry) {
            used--;
            return 8;
        }
    }
    object->refs++;
    object->handles++;
    entry->object = object;
    *handle = (void *)(index * 4);
    return 0;
}

int handle_create(struct object *object, void **handle)
{
    plat_lock(&dispatcher_lock);
    int error = insert(object, handle);
    plat_unlock(&dispatcher_lock);
    return error;
}

int handle_create_named(const char *text, enum object_family family, struct object *fresh,
                        void **handle)
{
    text = name_without_prefix(text);
    int error = name_refusal(text);
    if (error)
        return error;
    if (!*text)
        return handle_create(fresh, handle);
    struct object_name *name = name_make(text, fresh);
    if (!name)
        return 8;

    plat_lock(&dispatcher_lock);
    struct object *there = name_find(text);
    if (there) {
        error = name_belongs(there, family) ? insert(there, handle) : 6;
        error = error ? error : 183; /* ERROR_ALREADY_EXISTS */
    } else {
        error = insert(fresh, handle);
    }
    if (!error)
        name_add(name);
    plat_unlock(&dispatcher_lock);
    if (error)
        free(name);
    return error;
}

int handle_open_named(const char *text, enum object_family family, void **handle)
{
    text = name_without_prefix(text);
    int error = name_refusal(text);
    if (error)
        return error;
    plat_lock(&dispatcher_lock);
    struct object *there = *text ? name_find(text) : NULL;
    error = !there ? 2 : name_belongs(there, family) ? insert(there, handle) : 6;
    plat_unlock(&dispatcher_lock);
    return error;
}

/* The entry of a handle in use, or NULL. */
static union entry *find(void *handle)
{
    uintptr_t value = (uintptr_t)handle;
    size_t index = value / 4;
    if (!index || index > used)
        return NULL;
    union entry *entry = entry_at(index);
    return entry->next_free & 1 ? NULL : entry;
}

struct object *handle_find(void *handle, struct plat_thread *self)
{
    union entry *entry = find(handle);
    if (UMS_LIKELY(entry != NULL))
        return entry->object;
    if (handle == (void *)(intptr_t)-2)
        return &self->object;
    return handle == (void *)(intptr_t)-1 ? &this_process : NULL;
}

struct object *handle_object(void *handle)
{
    struct plat_thread *self = thread_current();
    if (!self)
        return NULL;
    plat_lock(&dispatcher_lock);
    struct object *object = handle_find(handle, self);
    if (object)
        object->refs++;
    plat_unlock(&dispatcher_lock);
    return object;
}

int handle_close(void *handle)
{
    thread_current(); /* who has an object frees what nobody refers to any more */
    plat_lock(&dispatcher_lock);
    union entry *entry = find(handle);
    if (!entry) {
        plat_unlock(&dispatcher_lock);
        return 6;
    }
    struct object *object = entry->object;
    entry->next_free = first_free;
    first_free = (uintptr_t)handle / 4 << 1 | 1;
    bool closed = --object->handles == 0;
    if (closed)
        name_remove(object);
    if (!closed || !object->closed) {
        object_unref(object);
        dispatcher_leave();
        return 0;
    }
    plat_unlock(&dispatcher_lock);
    object->closed(object);
    object_drop(object);
    return 0;
}

/* A child after fork keeps the table: its handles are good. Those who waited are not there any more. */
void handles_forget(void)
{
    this_process.first = this_process.last = NULL;
    for (size_t index = 1; index <= used; index++) {
        union entry *entry = entry_at(index);
        if (!(entry->next_free & 1))
            entry->object->first = entry->object->last = NULL;
    }
}
