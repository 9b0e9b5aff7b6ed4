/* SPDX-License-Identifier: MIT
 *
 * slots.c - indices and values of Tls and Fls, a registry of the threads that have values, and the
 * callbacks at the end of a thread.
 *
 * One pthread key for all: its destructor calls the callbacks in the first round and gives the
 * block back in the last, so that destructors of the program's own keys can still read slots.
 *
 * The lock guards the indices and the registry; no callback and no allocation is made under it. A
 * value is taken by an exchange, because the end of its thread and a slot_free may both want it:
 * the thread that gets it calls the callback.
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

struct thread_slots {
    _Atomic(struct value *) pages[SLOT_KINDS][PAGES];
    struct thread_slots *next, *previous; /* under the lock */
    int rounds;                           /* of destructors */
};

/* The lowest bit says that the index is allocated; so 0 is neither allocated nor anyone's value. */
struct index {
    _Atomic uint32_t generation;
    slot_callback callback;
};

static struct index indices[SLOT_KINDS][SLOT_COUNT];
static struct thread_slots *threads;
static struct plat_lock lock;
static __thread struct thread_slots *own __attribute__((tls_model("initial-exec")));
static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

/* ---- The values of one thread ---------------------------------------------------------------- */

static struct value *value_at(struct thread_slots *thread, enum slot_kind kind, DWORD index)
{
    struct value *page =
        atomic_load_explicit(&thread->pages[kind][index / PAGE_SLOTS], memory_order_acquire);
    return page ? &page[index % PAGE_SLOTS] : NULL;
}

/* The value if it is of this generation, leaving NULL. */
static void *take(struct thread_slots *thread, enum slot_kind kind, DWORD index,
                  uint32_t generation)
{
    struct value *value = value_at(thread, kind, index);
    if (!value || atomic_load_explicit(&value->generation, memory_order_acquire) != generation)
        return NULL;
    return atomic_exchange_explicit(&value->value, NULL, memory_order_acq_rel);
}

static void run_callbacks(struct thread_slots *thread)
{
    for (DWORD i = 0; i < SLOT_COUNT; i++) {
        uint32_t generation =
            atomic_load_explicit(&indices[SLOTS_FLS][i].generation, memory_order_acquire);
        slot_callback callback = indices[SLOTS_FLS][i].callback;
        void *value = generation & 1 ? take(thread, SLOTS_FLS, i, generation) : NULL;
        if (value && callback)
            callback(value);
    }
}

static void give_back(struct thread_slots *thread)
{
    plat_lock(&lock);
    if (thread->previous)
        thread->previous->next = thread->next;
    else
        threads = thread->next;
    if (thread->next)
        thread->next->previous = thread->previous;
    plat_unlock(&lock);
    own = NULL;
    for (int kind = 0; kind < SLOT_KINDS; kind++)
        for (int page = 0; page < PAGES; page++)
            free(thread->pages[kind][page]);
    free(thread);
}

static void end_of_round(void *arg)
{
    struct thread_slots *thread = arg;
    run_callbacks(thread);
    if (++thread->rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(end_key, thread);
    else
        give_back(thread);
}

static void make_end_key(void)
{
    if (pthread_key_create(&end_key, end_of_round))
        UMS_FATAL("no pthread key left", 0, 0);
}

static struct thread_slots *own_slots(void)
{
    if (own)
        return own;
    pthread_once(&end_key_once, make_end_key);
    struct thread_slots *thread = calloc(1, sizeof *thread);
    if (!thread || pthread_setspecific(end_key, thread)) {
        free(thread);
        return NULL;
    }
    plat_lock(&lock);
    thread->next = threads;
    if (threads)
        threads->previous = thread;
    threads = thread;
    plat_unlock(&lock);
    own = thread;
    return thread;
}

/* ---- Indices --------------------------------------------------------------------------------- */

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
    return found;
}

/* Takes up to BATCH values of an index that is no longer allocated, of any threads. */
static int take_some(enum slot_kind kind, DWORD index, uint32_t generation, void **values)
{
    int count = 0;
    plat_lock(&lock);
    for (struct thread_slots *thread = threads; thread && count < BATCH; thread = thread->next) {
        values[count] = take(thread, kind, index, generation);
        count += values[count] != NULL;
    }
    plat_unlock(&lock);
    return count;
}

bool slot_free(enum slot_kind kind, DWORD index)
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
    return generation & 1;
}

bool slot_get(enum slot_kind kind, DWORD index, void **value)
{
    uint32_t generation = generation_of(kind, index);
    struct value *slot = own && generation & 1 ? value_at(own, kind, index) : NULL;
    bool set = slot && atomic_load_explicit(&slot->generation, memory_order_relaxed) == generation;
    *value = set ? atomic_load_explicit(&slot->value, memory_order_relaxed) : NULL;
    return generation & 1;
}

DWORD slot_set(enum slot_kind kind, DWORD index, void *value)
{
    uint32_t generation = generation_of(kind, index);
    if (!(generation & 1))
        return ERROR_INVALID_PARAMETER;
    struct thread_slots *thread = own_slots();
    if (!thread)
        return ERROR_NOT_ENOUGH_MEMORY;
    struct value *slot = value_at(thread, kind, index);
    if (!slot) {
        struct value *page = calloc(PAGE_SLOTS, sizeof *page);
        if (!page)
            return ERROR_NOT_ENOUGH_MEMORY;
        atomic_store_explicit(&thread->pages[kind][index / PAGE_SLOTS], page, memory_order_release);
        slot = &page[index % PAGE_SLOTS];
    }
    /* Hidden while it changes: a slot_free that comes between must not take the old value for one
     * of this generation. */
    atomic_store_explicit(&slot->generation, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->value, value, memory_order_release);
    atomic_store_explicit(&slot->generation, generation, memory_order_release);
    return ERROR_SUCCESS;
}

void slots_forget(void)
{
    lock = (struct plat_lock){0};
    threads = own;
    if (own)
        own->next = own->previous = NULL;
}
