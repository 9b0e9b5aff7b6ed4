/* SPDX-License-Identifier: MIT
 *
 * handle.c - the table from handles to objects.
 *
 * Handles look like Windows': small multiples of four, lowest free first is not promised. Any value
 * may be asked for; one that is not in the table is answered as invalid.
 */
#include "platform/linux/object.h"

enum { PAGE = 4096, PAGES = 4096 };

union entry {
    struct object *object; /* in use */
    uintptr_t next_free;   /* free: index of the next free entry << 1 | 1 */
};

static struct plat_lock lock;
static union entry *pages[PAGES];
static size_t used;                 /* entries ever handed out */
static uintptr_t first_free = 1;    /* 1: none; entry 0 is never used */

static union entry *entry_at(size_t index)
{
    union entry *page = pages[index / PAGE];
    return page ? &page[index % PAGE] : NULL;
}

int handle_create(struct object *object, void **handle)
{
    size_t index;
    union entry *entry;
    plat_lock(&lock);
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
            plat_unlock(&lock);
            return 8;
        }
    }
    object_hold(object);
    entry->object = object;
    plat_unlock(&lock);
    *handle = (void *)(index * 4);
    return 0;
}

/* Under the lock: the entry of a handle in use, or NULL. */
static union entry *find(void *handle)
{
    uintptr_t value = (uintptr_t)handle;
    size_t index = value / 4;
    if (value % 4 || !index || index > used)
        return NULL;
    union entry *entry = entry_at(index);
    return entry->next_free & 1 ? NULL : entry;
}

struct object *handle_object(void *handle)
{
    plat_lock(&lock);
    union entry *entry = find(handle);
    struct object *object = entry ? entry->object : NULL;
    if (object)
        object_hold(object);
    plat_unlock(&lock);
    return object;
}

bool handle_close(void *handle)
{
    plat_lock(&lock);
    union entry *entry = find(handle);
    struct object *object = NULL;
    if (entry) {
        object = entry->object;
        entry->next_free = first_free;
        first_free = (uintptr_t)handle / 4 << 1 | 1;
    }
    plat_unlock(&lock);
    if (object)
        object_drop(object);
    return object != NULL;
}

void handles_forget(void)
{
    lock = (struct plat_lock){0};
}
