/* SPDX-License-Identifier: MIT
 *
 * handle.c - the table from handles to objects.
 *
 * Handles look like Windows': small multiples of four, lowest free first is not promised. Their two low
 * bits are the program's: a handle with a tag there is the same handle. Any value may be asked for; one
 * that is not in the table is answered as invalid.
 *
 * The table is read without a lock: an entry holds an object's address for as long as the handle is good,
 * and is cleared under that object's lock. So a thread that has the lock and finds the address there still has
 * the handle's object, and keeps it (handle_lock). Objects' memory stays objects', so the lock is one.
 *
 * Entries are handed out by stripes, one for each processor, which take them eight at a time, a cache line:
 * what one processor creates and closes does not disturb the look-ups of others.
 */
#include <stdlib.h>

#include "platform/layout.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/object_store.h"

enum { PAGE = HANDLE_PAGE, PAGES = HANDLE_PAGES, STRIPES = 64, RUN = 8 };

_Atomic(handle_entry *) handle_pages[PAGES];
static _Atomic size_t used; /* entries ever taken by stripes, a multiple of RUN */

static struct stripe {
    _Alignas(128) struct plat_lock lock;
    uintptr_t first_free; /* index << 1 | 1; 0: none */
} stripes[STRIPES];

LAYOUT_VARIABLE("handles.pages", handle_pages);
LAYOUT_VARIABLE("handles.used", used);
LAYOUT_NUMBER("handles.page", PAGE);

static struct object this_process = {.type = OBJECT_PROCESS, .refs = 1};

static void put(struct stripe *stripe, size_t index)
{
    atomic_store_explicit(handle_entry_at(index), stripe->first_free | 1, memory_order_relaxed);
    stripe->first_free = index << 1 | 1;
}

/* With the stripe's lock. False: there is no memory, or no more entries. */
static bool fetch_run(struct stripe *stripe)
{
    size_t first = atomic_load_explicit(&used, memory_order_relaxed);
    do
        if (first == (size_t)PAGE * PAGES)
            return false;
    while (!atomic_compare_exchange_weak_explicit(&used, &first, first + RUN, memory_order_relaxed,
                                                  memory_order_relaxed));
    if (!handle_entry_at(first)) {
        handle_entry *fresh = plat_reserve(PAGE * sizeof *fresh), *none = NULL;
        if (!fresh)
            return false; /* the run is lost; others may be had */
        /* The loser's page stays reserved: at most once for each page and contender. */
        atomic_compare_exchange_strong_explicit(&handle_pages[first / PAGE], &none, fresh,
                                                memory_order_acq_rel, memory_order_relaxed);
    }
    for (size_t index = first + RUN; index-- > first;)
        if (index) /* entry 0 is never used */
            put(stripe, index);
    return true;
}

static size_t take_from(struct stripe *stripe, bool grow)
{
    size_t index = 0;
    plat_lock(&stripe->lock);
    if (stripe->first_free || (grow && fetch_run(stripe))) {
        index = stripe->first_free >> 1;
        uintptr_t next = atomic_load_explicit(handle_entry_at(index), memory_order_relaxed);
        stripe->first_free = next >> 1 ? next : 0;
    }
    plat_unlock(&stripe->lock);
    return index;
}

static struct stripe *own_stripe(void)
{
    return &stripes[processor_of_caller() % STRIPES];
}

/* A free entry; 0: none. */
static size_t take_entry(void)
{
    size_t index = take_from(own_stripe(), true);
    for (unsigned i = 0; !index && i < STRIPES; i++)
        index = take_from(&stripes[i], false);
    return index;
}

static void give_entry(size_t index)
{
    struct stripe *stripe = own_stripe();
    plat_lock(&stripe->lock);
    put(stripe, index);
    plat_unlock(&stripe->lock);
}

/* With the object's lock. */
static void fill(size_t index, struct object *object, void **handle)
{
    object->refs++;
    object->handles++;
    plat_written(handle_entry_at(index));
    atomic_store_explicit(handle_entry_at(index), (uintptr_t)object, memory_order_release);
    *handle = (void *)(index * 4);
}

int handle_create(struct object *object, void **handle)
{
    size_t index = take_entry();
    if (!index)
        return 8;
    plat_lock(&object->lock);
    fill(index, object, handle);
    plat_unlock(&object->lock);
    return 0;
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
    size_t index = name ? take_entry() : 0;
    if (!index) {
        free(name);
        return 8;
    }

    plat_lock(&names_lock);
    struct object *there = name_find(text), *object = there ? there : fresh;
    if (there)
        error = name_belongs(there, family) ? 183 : 6; /* ERROR_ALREADY_EXISTS */
    if (error != 6) {
        plat_lock(&object->lock);
        if (!there)
            name_add(name);
        fill(index, object, handle);
        plat_unlock(&object->lock);
    }
    plat_unlock(&names_lock);
    if (error == 6)
        give_entry(index);
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
    size_t index = take_entry();
    plat_lock(&names_lock);
    struct object *there = *text ? name_find(text) : NULL;
    error = !there ? 2 : !name_belongs(there, family) ? 6 : index ? 0 : 8;
    if (!error) {
        plat_lock(&there->lock);
        fill(index, there, handle);
        plat_unlock(&there->lock);
    }
    plat_unlock(&names_lock);
    if (error && index)
        give_entry(index);
    return error;
}

static struct object *pseudo(void *handle, struct plat_thread *self)
{
    if (handle == (void *)(intptr_t)-2)
        return &self->object;
    return handle == (void *)(intptr_t)-1 ? &this_process : NULL;
}

struct object *handle_find(void *handle, struct plat_thread *self)
{
    handle_entry *entry = handle_entry_at((uintptr_t)handle / 4);
    struct object *object = entry ? handle_object_in(entry) : NULL;
    return UMS_LIKELY(object != NULL) ? object : pseudo(handle, self);
}

__attribute__((noinline)) struct object *handle_lock_other(void *handle, struct plat_thread *self)
{
    struct object *object;
    while ((object = handle_find(handle, self))) {
        plat_lock(&object->lock);
        if (handle_find(handle, self) == object)
            break;
        plat_unlock(&object->lock);
    }
    return object;
}

struct object *handle_object(void *handle)
{
    struct plat_thread *self = thread_current();
    struct object *object = self ? handle_lock(handle, self) : NULL;
    if (object) {
        object->refs++;
        plat_unlock(&object->lock);
    }
    return object;
}

/* With the lock of the handle's object, and the names' if it has one. NULL: not a handle. */
static struct object *lock_to_close(handle_entry *entry, bool *named)
{
    for (;;) {
        struct object *object = handle_object_in(entry);
        if (!object)
            return NULL;
        *named = __atomic_load_n(&object->name, __ATOMIC_RELAXED) != NULL;
        if (*named)
            plat_lock(&names_lock);
        plat_lock(&object->lock);
        if (handle_object_in(entry) == object && *named == (object->name != NULL))
            return object;
        plat_unlock(&object->lock);
        if (*named)
            plat_unlock(&names_lock);
    }
}

int handle_close(void *handle)
{
    thread_current(); /* a thread that has an object frees what is referred to no more */
    size_t index = (uintptr_t)handle / 4;
    handle_entry *entry = handle_entry_at(index);
    bool named;
    struct object *object = entry ? lock_to_close(entry, &named) : NULL;
    if (!object)
        return 6;
    plat_written(entry);
    atomic_store_explicit(entry, 1, memory_order_relaxed);
    bool closed = --object->handles == 0;
    if (named) {
        if (closed)
            name_remove(object);
        plat_unlock(&names_lock);
    }
    if (!closed || !object->closed) {
        object_unref(object);
        object_unlock(object);
    } else {
        plat_unlock(&object->lock);
        object->closed(object);
        object_drop(object);
    }
    give_entry(index);
    return 0;
}

/* A child after fork keeps the table: its handles are good. */
void handles_forget(void)
{
    names_lock = this_process.lock = (struct plat_lock){0};
    this_process.first = this_process.last = NULL;
    this_process.all_waits = 0;
    for (unsigned i = 0; i < STRIPES; i++)
        stripes[i].lock = (struct plat_lock){0};
}
