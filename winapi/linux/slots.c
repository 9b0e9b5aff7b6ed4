/* SPDX-License-Identifier: MIT
 *
 * slots.c - indices and values of Tls and Fls, the list of all sets of values, and the callbacks at
 * the end of a thread or fiber.
 *
 * One pthread key serves all. Its destructor calls the callbacks in each round of destructors, and
 * frees the thread's sets in the last one, so that destructors of the program's keys can still read
 * slots.
 *
 * The lock is for the indices and the registry; no callback runs and no memory is allocated with it
 * held. The end of a thread and a slot_free may both want a value. So each takes it by an exchange,
 * and the one that gets it calls the callback. A fork may happen while the lock is held, so the
 * registry's chain of `next` is whole after each store.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "winapi/linux/slots.h"

enum { PAGE_SLOTS = 64, PAGES = SLOT_COUNT / PAGE_SLOTS, BATCH = 64 };

struct value {
    _Atomic(void *) value;
    _Atomic uint32_t generation;
};

struct slot_values {
    _Atomic(struct value *) pages[PAGES];
    struct slot_values *next, *previous; /* under the lock */
    bool idle;                           /* a fiber's that no thread runs */
};

/* The lowest bit of the generation says that the index is allocated. So 0 is no generation of a
 * value. */
struct index {
    _Atomic uint32_t generation;
    slot_callback callback;
};

static struct index indices[SLOT_KINDS][SLOT_COUNT];
static struct slot_values *registry[SLOT_KINDS];
static PLAT_LOCK(SLOTS) lock;
static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

/* Of the calling thread: its Tls values, and the Fls values of the fiber or thread that runs. */
static __thread struct {
    struct slot_values *values[SLOT_KINDS];
    bool watched; /* the thread's end calls end_of_round */
    int rounds;   /* of destructors so far */
} own __attribute__((tls_model("initial-exec")));

/* ---- One set of values --------------------------------------------------------------------- */

static struct value *value_at(struct slot_values *values, DWORD index)
{
    struct value *page =
        atomic_load_explicit(&values->pages[index / PAGE_SLOTS], memory_order_acquire);
    return page ? &page[index % PAGE_SLOTS] : NULL;
}

/* Takes the value, if it is of this generation, and leaves NULL. */
static void *take(struct slot_values *values, DWORD index, uint32_t generation)
{
    struct value *value = value_at(values, index);
    if (!value || atomic_load_explicit(&value->generation, memory_order_acquire) != generation)
        return NULL;
    return atomic_exchange_explicit(&value->value, NULL, memory_order_acq_rel);
}

static void run_callbacks(struct slot_values *values)
{
    for (DWORD i = 0; i < SLOT_COUNT; i++) {
        uint32_t generation =
            atomic_load_explicit(&indices[SLOTS_FLS][i].generation, memory_order_acquire);
        slot_callback callback = indices[SLOTS_FLS][i].callback;
        void *value = generation & 1 ? take(values, i, generation) : NULL;
        if (value && callback)
            callback(value);
    }
}

static void enlist(enum slot_kind kind, struct slot_values *values)
{
    plat_lock(&lock);
    values->next = registry[kind];
    if (values->next)
        values->next->previous = values;
    __atomic_store_n(&registry[kind], values, __ATOMIC_RELEASE);
    plat_unlock(&lock);
}

static void give_back(enum slot_kind kind, struct slot_values *values)
{
    plat_lock(&lock);
    struct slot_values **link = values->previous ? &values->previous->next : &registry[kind];
    __atomic_store_n(link, values->next, __ATOMIC_RELEASE);
    if (values->next)
        values->next->previous = values->previous;
    plat_unlock(&lock);
    for (int page = 0; page < PAGES; page++)
        free(values->pages[page]);
    free(values);
}

/* ---- The calling thread's sets ------------------------------------------------------------- */

static void end_of_round(void *unused)
{
    if (own.values[SLOTS_FLS])
        run_callbacks(own.values[SLOTS_FLS]);
    if (++own.rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, unused);
        return;
    }
    for (enum slot_kind kind = 0; kind < SLOT_KINDS; kind++) {
        struct slot_values *values = own.values[kind];
        own.values[kind] = NULL;
        if (values)
            give_back(kind, values);
    }
}

static void make_end_key(void)
{
    if (pthread_key_create(&end_key, end_of_round))
        UMS_FATAL("no pthread key left", 0, 0);
}

static bool watch_end(void)
{
    if (own.watched)
        return true;
    pthread_once(&end_key_once, make_end_key);
    own.watched = pthread_setspecific(end_key, &end_key) == 0;
    return own.watched;
}

static struct slot_values *own_values(enum slot_kind kind)
{
    if (own.values[kind])
        return own.values[kind];
    struct slot_values *values = watch_end() ? calloc(1, sizeof *values) : NULL;
    if (values)
        enlist(kind, values);
    own.values[kind] = values;
    return values;
}

struct slot_values *slots_exchange(struct slot_values *values)
{
    struct slot_values *before = own.values[SLOTS_FLS];
    if (before)
        before->idle = true;
    if (values) {
        values->idle = false;
        watch_end();
    }
    own.values[SLOTS_FLS] = values;
    return before;
}

void slots_discard(struct slot_values *values)
{
    if (!values)
        return;
    run_callbacks(values);
    give_back(SLOTS_FLS, values);
}

/* ---- Indices ------------------------------------------------------------------------------- */

static uint32_t generation_of(enum slot_kind kind, DWORD index)
{
    return index < SLOT_COUNT
               ? atomic_load_explicit(&indices[kind][index].generation, memory_order_acquire)
               : 0;
}

DWORD slot_alloc(enum slot_kind kind, slot_callback callback)
{
    DWORD found = TLS_OUT_OF_INDEXES;
    plat_lock(&lock);
    for (DWORD i = 0; i < SLOT_COUNT && found == TLS_OUT_OF_INDEXES; i++) {
        if (!(generation_of(kind, i) & 1)) {
            indices[kind][i].callback = callback;
            atomic_fetch_add_explicit(&indices[kind][i].generation, 1, memory_order_release);
            found = i;
        }
    }
    plat_unlock(&lock);
    if (found == TLS_OUT_OF_INDEXES)
        win__fail(ERROR_NO_MORE_ITEMS);
    return found;
}

/* Takes up to BATCH values, of any thread or fiber, of an index that is no longer allocated. */
static int take_some(enum slot_kind kind, DWORD index, uint32_t generation, void **values)
{
    int count = 0;
    plat_lock(&lock);
    for (struct slot_values *set = registry[kind]; set && count < BATCH; set = set->next) {
        values[count] = take(set, index, generation);
        count += values[count] != NULL;
    }
    plat_unlock(&lock);
    return count;
}

BOOL slot_free(enum slot_kind kind, DWORD index)
{
    plat_lock(&lock);
    uint32_t generation = generation_of(kind, index);
    slot_callback callback = NULL;
    if (generation & 1) {
        callback = indices[kind][index].callback;
        atomic_store_explicit(&indices[kind][index].generation, generation + 1,
                              memory_order_release);
    }
    plat_unlock(&lock);
    void *values[BATCH];
    int count = callback ? BATCH : 0;
    while (count == BATCH) {
        count = take_some(kind, index, generation, values);
        for (int i = 0; i < count; i++)
            callback(values[i]);
    }
    return generation & 1 ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
}

bool slot_get(enum slot_kind kind, DWORD index, void **value)
{
    uint32_t generation = generation_of(kind, index);
    struct slot_values *values = own.values[kind];
    struct value *slot = values && generation & 1 ? value_at(values, index) : NULL;
    bool set = slot && atomic_load_explicit(&slot->generation, memory_order_relaxed) == generation;
    *value = set ? atomic_load_explicit(&slot->value, memory_order_relaxed) : NULL;
    return generation & 1;
}

void *slot_value(enum slot_kind kind, DWORD index)
{
    void *value;
    plat_set_last_error(slot_get(kind, index, &value) ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER);
    return value;
}

BOOL slot_set(enum slot_kind kind, DWORD index, void *value)
{
    uint32_t generation = generation_of(kind, index);
    if (!(generation & 1))
        return win__fail(ERROR_INVALID_PARAMETER);
    struct slot_values *values = own_values(kind);
    if (!values)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    struct value *slot = value_at(values, index);
    if (!slot) {
        struct value *page = calloc(PAGE_SLOTS, sizeof *page);
        if (!page)
            return win__fail(ERROR_NOT_ENOUGH_MEMORY);
        atomic_store_explicit(&values->pages[index / PAGE_SLOTS], page, memory_order_release);
        slot = &page[index % PAGE_SLOTS];
    }
    /* Generation 0 hides the value while it changes: a slot_free meanwhile must not take the old
     * value for one of this generation. */
    atomic_store_explicit(&slot->generation, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->value, value, memory_order_release);
    atomic_store_explicit(&slot->generation, generation, memory_order_release);
    return TRUE;
}

/* Keeps the calling thread's sets and those of fibers that no thread ran. The sets of other
 * threads, and of fibers that they ran, are dropped. */
void slots_forget(void)
{
    plat_lock_forget(&lock);
    for (enum slot_kind kind = 0; kind < SLOT_KINDS; kind++) {
        struct slot_values *next, *last = NULL;
        for (struct slot_values *values = registry[kind]; values; values = next) {
            next = values->next;
            if (values != own.values[kind] && !values->idle)
                continue;
            values->previous = last;
            *(last ? &last->next : &registry[kind]) = values;
            last = values;
        }
        *(last ? &last->next : &registry[kind]) = NULL;
    }
}
