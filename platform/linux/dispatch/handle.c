/* SPDX-License-Identifier: MIT
 *
 * handle.c - the table from handles to objects.
 *
 * Handles look like Windows': small multiples of four. A new one need not be the lowest that is
 * free. The two low bits are the program's: a handle with a tag there is the same handle. A program
 * may pass any value: one that is not in the table is an invalid handle.
 *
 * A thread reads the table without a lock. An entry holds an object's address as long as the handle
 * is good; the thread that closes the handle clears the entry under that object's lock. So a thread
 * that looks a handle up takes the object's lock and reads the entry again. If the address is still
 * there, the handle stays good until the lock is released (handle_lock). An object's memory is
 * never used for anything else, so there is always a lock.
 *
 * Stripes, one for each processor (stock.h), hand out the entries. A stripe takes new ones eight at
 * a time, a cache line: so creating and closing on one processor does not disturb the look-ups of
 * others.
 */
#include <stdlib.h>

#include "platform/layout.h"
#include "platform/linux/dispatch/handle.h"
#include "platform/linux/dispatch/stock.h"

enum { PAGE = HANDLE_PAGE, PAGES = HANDLE_PAGES, STRIPES = 64, RUN = 8 };

_Atomic(handle_entry *) handle_pages[PAGES];
static _Atomic size_t used; /* entries ever taken by stripes, a multiple of RUN */

static struct stripe {
    _Alignas(128) PLAT_LOCK(HANDLES) lock;
    struct stock_pile pile;
} stripes[STRIPES];

static struct stock_depot depot;

LAYOUT_VARIABLE("handles.pages", handle_pages);
LAYOUT_VARIABLE("handles.used", used);
LAYOUT_NUMBER("handles.page", PAGE);

static struct object this_process = {.type = OBJECT_PROCESS, .refs = 1};

/* A free entry: the first of the next batch << 32 | the next one << 1 | 1. */
static uintptr_t next_free(uintptr_t index)
{
    return (uint32_t)atomic_load_explicit(handle_entry_at(index), memory_order_relaxed) >> 1;
}

static uintptr_t next_batch(uintptr_t index)
{
    return atomic_load_explicit(handle_entry_at(index), memory_order_relaxed) >> 32;
}

static void link_free(uintptr_t index, uintptr_t next, uintptr_t batch)
{
    atomic_store_explicit(handle_entry_at(index), batch << 32 | next << 1 | 1,
                          memory_order_relaxed);
}

static const struct stock_kind entries = {next_free, next_batch, link_free};

/* With the stripe's lock. False: there is no memory, or no more entries. */
static bool fetch_run(struct stripe *stripe)
{
    size_t first = atomic_load_explicit(&used, memory_order_relaxed);
    plat_written(&used);
    do
        if (first == (size_t)PAGE * PAGES)
            return false;
    while (!atomic_compare_exchange_weak_explicit(&used, &first, first + RUN, memory_order_relaxed,
                                                  memory_order_relaxed));
    if (!handle_entry_at(first)) {
        handle_entry *fresh = plat_reserve(PAGE * sizeof *fresh), *none = NULL;
        if (!fresh)
            return false; /* the run is lost; others may be had */
        /* Two threads may make the page at once: the loser's memory stays reserved. That happens
         * once for each page and thread at most. */
        atomic_compare_exchange_strong_explicit(&handle_pages[first / PAGE], &none, fresh,
                                                memory_order_acq_rel, memory_order_relaxed);
    }
    for (size_t index = first + RUN; index-- > first;)
        if (index) /* entry 0 is never used */
            stock_give(&stripe->pile, &depot, &entries, index);
    return true;
}

static size_t take_from(struct stripe *stripe, bool grow)
{
    plat_lock(&stripe->lock);
    size_t index = stock_take(&stripe->pile, &depot, &entries);
    if (!index && grow && fetch_run(stripe))
        index = stock_take(&stripe->pile, &depot, &entries);
    plat_unlock_lasting(&stripe->lock);
    return index;
}

static struct stripe *own_stripe(void)
{
    return &stripes[plat_processor() % STRIPES];
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
    stock_give(&stripe->pile, &depot, &entries, index);
    plat_unlock_lasting(&stripe->lock);
}

/* Gives the free entry to the object, and makes its handle. The caller has the object's lock. */
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
    plat_unlock_lasting(&object->lock);
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

    struct name_place *place = name_place(text);
    plat_lock(name_lock(place));
    struct object *there = name_find(place, text), *object = there ? there : fresh;
    if (there)
        error = name_belongs(there, family) ? 183 : 6; /* ERROR_ALREADY_EXISTS */
    if (error != 6) {
        plat_lock(&object->lock);
        if (!there)
            name_add(place, name);
        fill(index, object, handle);
        plat_unlock_lasting(&object->lock);
    }
    plat_unlock_lasting(name_lock(place));
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
    struct name_place *place = name_place(text);
    plat_lock(name_lock(place));
    struct object *there = *text ? name_find(place, text) : NULL;
    error = !there ? 2 : !name_belongs(there, family) ? 6 : index ? 0 : 8;
    if (!error) {
        plat_lock(&there->lock);
        fill(index, there, handle);
        plat_unlock_lasting(&there->lock);
    }
    plat_unlock_lasting(name_lock(place));
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

bool handles_good(void *const *handles, unsigned count, bool no_pseudo, struct plat_thread *self)
{
    for (unsigned i = 0; i < count; i++)
        if (!handle_find(handles[i], self) || (no_pseudo && (intptr_t)handles[i] < 0))
            return false;
    return true;
}

__attribute__((noinline)) struct object *handle_lock_other(void *handle, struct plat_thread *self)
{
    struct object *object;
    while ((object = handle_find(handle, self))) {
        plat_lock(&object->lock);
        if (handle_find(handle, self) == object)
            break;
        plat_unlock_lasting(&object->lock);
    }
    return object;
}

struct object *handle_object(void *handle)
{
    struct plat_thread *self = thread_current();
    struct object *object = self ? handle_lock(handle, self) : NULL;
    if (object) {
        object->refs++;
        plat_unlock_lasting(&object->lock);
    }
    return object;
}

size_t handles_count(void)
{
    size_t count = 0, end = atomic_load_explicit(&used, memory_order_relaxed);
    for (size_t index = 1; index < end; index++) {
        handle_entry *entry = handle_entry_at(index);
        count += entry && handle_object_in(entry);
    }
    return count;
}

/* The caller has the object's lock. Lets it go, takes that of the name's place and then the
 * object's again. False: meanwhile the handle leads elsewhere, or the name has gone; the caller
 * then has no lock but the object's. */
static bool lock_place(handle_entry *entry, struct object *object, struct name_place *place)
{
    plat_unlock_lasting(&object->lock);
    plat_lock(name_lock(place));
    plat_lock(&object->lock);
    if (handle_object_in(entry) == object && name_place_of(object) == place)
        return true;
    plat_unlock_lasting(name_lock(place));
    return false;
}

/* Returns the handle's object, with its lock held, and the lock of its name's place if it has a
 * name. NULL: not a handle. */
static struct object *lock_to_close(handle_entry *entry, struct name_place **place)
{
    struct object *object;
    while ((object = handle_object_in(entry))) {
        plat_lock(&object->lock);
        if (handle_object_in(entry) == object) {
            *place = name_place_of(object);
            if (!*place || lock_place(entry, object, *place))
                break;
        }
        plat_unlock_lasting(&object->lock);
    }
    return object;
}

int handle_close(void *handle)
{
    thread_current(); /* only a thread with an object of its own may free others (object.c) */
    size_t index = (uintptr_t)handle / 4;
    handle_entry *entry = handle_entry_at(index);
    struct name_place *place = NULL;
    struct object *object = entry ? lock_to_close(entry, &place) : NULL;
    if (!object)
        return 6;
    plat_written(entry);
    link_free(index, 0, 0);
    bool closed = --object->handles == 0;
    if (place) {
        if (closed)
            name_remove(place, object);
        plat_unlock_lasting(name_lock(place));
    }
    if (!closed || !object->closed) {
        object_unref(object);
        object_unlock(object);
    } else {
        plat_unlock_lasting(&object->lock);
        object->closed(object);
        object_drop(object);
    }
    give_entry(index);
    return 0;
}

/* After fork the child keeps the table: its handles stay valid. */
void handles_forget(void)
{
    names_forget();
    plat_lock_forget(&this_process.lock);
    this_process.first = this_process.last = NULL;
    this_process.all_waits = 0;
    for (unsigned i = 0; i < STRIPES; i++) {
        stock_forget_pile(&stripes[i].pile, plat_lock_taken(&stripes[i].lock));
        plat_lock_forget(&stripes[i].lock);
    }
    stock_forget_depot(&depot);
}
