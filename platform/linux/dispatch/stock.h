/* SPDX-License-Identifier: MIT
 *
 * stock.h - free things of one kind, and how processors share them.
 *
 * Each processor takes things from a pile of its own and gives them back to it, so processors
 * seldom want one lock. A pile has a batch at hand and one put by. A third batch goes to the depot.
 * A pile that has run out gets a batch from there before its owner makes new things. So things that
 * one processor makes and another gives back come round again. The free things are never more
 * than the piles may hold plus the most that were in use at one time. Two batches, not one: a
 * processor that takes and gives in turn at the end of a batch would go to the depot each time.
 * (Bonwick and Adams call this a magazine layer; "Magazines and Vmem", USENIX 2001.)
 *
 * The owner of a pile has a lock for it; the depot's lock is taken inside of that one.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_STOCK_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_STOCK_H

#include "platform/check.h"
#include "platform/linux/plat_types.h"

enum { STOCK_BATCH = 32 };

/* How free things are linked; 0 is none. `next`: the next of the same batch. `next_batch`: the next
 * batch, of a batch's first thing. */
struct stock_kind {
    uintptr_t (*next)(uintptr_t thing);
    uintptr_t (*next_batch)(uintptr_t first);
    void (*link)(uintptr_t thing, uintptr_t next, uintptr_t next_batch);
};

struct stock_pile {
    uintptr_t at_hand;
    uintptr_t put_by; /* a whole batch, or 0 */
    uint32_t count;   /* of those at hand */
};

struct stock_depot {
    _Alignas(128) PLAT_LOCK(DEPOT) lock;
    _Atomic uintptr_t batches;
};

static inline void stock_to_depot(struct stock_depot *depot, const struct stock_kind *kind,
                                  uintptr_t batch)
{
    plat_lock(&depot->lock);
    uintptr_t before = atomic_load_explicit(&depot->batches, memory_order_relaxed);
    kind->link(batch, kind->next(batch), before);
    atomic_store_explicit(&depot->batches, batch, memory_order_relaxed);
    plat_unlock_lasting(&depot->lock);
}

static inline uintptr_t stock_from_depot(struct stock_depot *depot, const struct stock_kind *kind)
{
    if (!atomic_load_explicit(&depot->batches, memory_order_relaxed))
        return 0;
    plat_lock(&depot->lock);
    uintptr_t batch = atomic_load_explicit(&depot->batches, memory_order_relaxed);
    if (batch)
        atomic_store_explicit(&depot->batches, kind->next_batch(batch), memory_order_relaxed);
    plat_unlock_lasting(&depot->lock);
    return batch;
}

/* 0: there is none in the pile nor in the depot. */
static inline uintptr_t stock_take(struct stock_pile *pile, struct stock_depot *depot,
                                   const struct stock_kind *kind)
{
    if (UMS_UNLIKELY(!pile->at_hand)) {
        pile->at_hand = pile->put_by ? pile->put_by : stock_from_depot(depot, kind);
        pile->put_by = 0;
        if (!pile->at_hand)
            return 0;
        pile->count = STOCK_BATCH;
    }
    uintptr_t thing = pile->at_hand;
    pile->at_hand = kind->next(thing);
    pile->count--;
    return thing;
}

/* Gives a thing to the pile, back or for the first time. */
static inline void stock_give(struct stock_pile *pile, struct stock_depot *depot,
                              const struct stock_kind *kind, uintptr_t thing)
{
    if (UMS_UNLIKELY(pile->count == STOCK_BATCH)) {
        if (pile->put_by)
            stock_to_depot(depot, kind, pile->put_by);
        pile->put_by = pile->at_hand;
        pile->at_hand = 0;
        pile->count = 0;
    }
    kind->link(thing, pile->at_hand, 0);
    pile->at_hand = thing;
    pile->count++;
}

/* In a child after fork. `held`: another thread of the parent was just changing the pile, so the
 * free things in it are given up. */
static inline void stock_forget_pile(struct stock_pile *pile, bool held)
{
    if (held)
        *pile = (struct stock_pile){0};
}

static inline void stock_forget_depot(struct stock_depot *depot)
{
    if (plat_lock_taken(&depot->lock))
        depot->batches = 0;
    plat_lock_forget(&depot->lock);
}

#endif
