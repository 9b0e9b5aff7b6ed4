/* SPDX-License-Identifier: MIT
 *
 * object_store.c - see object_store.h.
 *
 * Slots come in sizes of whole units, two cache lines each: processors often fetch a line together
 * with its neighbour, and so no such pair belongs to two objects. Each processor takes and frees
 * slots in a stripe of its own (stock.h). Where there is no slot of a size, a new chunk is cut up.
 * Chunks are never given back.
 */
#include <string.h>

#include "platform/linux/dispatch/object_store.h"
#include "platform/linux/dispatch/stock.h"

enum { UNIT = 128, MOST_UNITS = 8, STRIPES = 64, CHUNK = 16 << 10, STABLE = 0 };

/* By the units of a slot; STABLE: stable slots, of one unit. */
static struct stripe {
    _Alignas(128) PLAT_LOCK(STORE) lock;
    struct stock_pile piles[MOST_UNITS + 1];
} stripes[STRIPES];

static struct stock_depot depots[MOST_UNITS + 1];

static uintptr_t next_free(uintptr_t slot)
{
    return (uintptr_t)((struct object *)slot)->next_free;
}

static uintptr_t next_batch(uintptr_t slot)
{
    return (uintptr_t)((struct object *)slot)->next_batch;
}

static void link_free(uintptr_t slot, uintptr_t next, uintptr_t batch)
{
    struct object *object = (struct object *)slot;
    object->next_free = (struct object *)next;
    object->next_batch = (struct object *)batch;
}

static const struct stock_kind slots = {next_free, next_batch, link_free};

/* Each chunk begins with this. */
struct chunk {
    struct chunk *next;
    size_t slot; /* bytes */
};

static _Atomic(struct chunk *) chunks;

static struct stripe *stripe_of_caller(void)
{
    return &stripes[plat_processor() % STRIPES];
}

/* Cuts a new chunk into free slots. The caller has the stripe's lock. */
static void cut_chunk(struct stripe *stripe, unsigned which, size_t slot)
{
    struct chunk *chunk = plat_reserve(CHUNK);
    if (!chunk)
        return;
    chunk->slot = slot;
    for (size_t at = UNIT; at + slot <= CHUNK; at += slot) {
        struct object *object = (struct object *)((char *)chunk + at);
        object->units = (uint8_t)(slot / UNIT);
        stock_give(&stripe->piles[which], &depots[which], &slots, (uintptr_t)object);
    }
    plat_written(&chunks);
    chunk->next = atomic_load_explicit(&chunks, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&chunks, &chunk->next, chunk,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}

static struct object *take(struct stripe *stripe, unsigned which)
{
    return (struct object *)stock_take(&stripe->piles[which], &depots[which], &slots);
}

struct object *store_take(size_t bytes, bool stable)
{
    size_t units = (bytes + UNIT - 1) / UNIT;
    if (units > MOST_UNITS)
        UMS_FATAL("an object is larger than any slot", bytes, MOST_UNITS * UNIT);
    struct stripe *stripe = stripe_of_caller();
    unsigned which = stable ? STABLE : (unsigned)units;
    plat_lock(&stripe->lock);
    struct object *object = take(stripe, which);
    if (UMS_UNLIKELY(!object)) {
        cut_chunk(stripe, which, units * UNIT);
        object = take(stripe, which);
    }
    plat_unlock_lasting(&stripe->lock);
    if (!object)
        return NULL;
    /* Spares the lock: a thread with an old address of the slot may hold it now. */
    size_t kept = offsetof(struct object, type);
    memset((char *)object + kept, 0, units * UNIT - kept);
    object->units = (uint8_t)units;
    object->stable = stable;
    return object;
}

void store_give(struct object *object)
{
    struct stripe *stripe = stripe_of_caller();
    unsigned which = object->stable ? STABLE : object->units;
    UMS_CHECK(!object->first, object, object->first);
    plat_lock(&stripe->lock);
    stock_give(&stripe->piles[which], &depots[which], &slots, (uintptr_t)object);
    plat_unlock_lasting(&stripe->lock);
}

struct object *store_find(bool (*is)(const struct object *, const void *), const void *arg)
{
    struct chunk *chunk = atomic_load_explicit(&chunks, memory_order_acquire);
    for (; chunk; chunk = chunk->next)
        for (size_t at = UNIT; at + chunk->slot <= CHUNK; at += chunk->slot) {
            struct object *object = (struct object *)((char *)chunk + at);
            plat_lock(&object->lock);
            bool found = object->refs && is(object, arg);
            object->refs += found;
            plat_unlock_lasting(&object->lock);
            if (found)
                return object;
        }
    return NULL;
}

void store_forget(void (*each)(struct object *))
{
    for (unsigned i = 0; i < STRIPES; i++) {
        for (unsigned which = 0; which <= MOST_UNITS; which++)
            stock_forget_pile(&stripes[i].piles[which], plat_lock_taken(&stripes[i].lock));
        plat_lock_forget(&stripes[i].lock);
    }
    for (unsigned which = 0; which <= MOST_UNITS; which++)
        stock_forget_depot(&depots[which]);
    for (struct chunk *chunk = chunks; chunk; chunk = chunk->next)
        for (size_t at = UNIT; at + chunk->slot <= CHUNK; at += chunk->slot)
            each((struct object *)((char *)chunk + at));
}
