/* SPDX-License-Identifier: MIT
 *
 * arena.c - see arena.h.
 */
#include "umsshim/arena.h"

#include <stdatomic.h>
#include <string.h>

static void **link_of(const struct ums_arena *arena, void *slot)
{
    return (void **)((char *)slot + arena->link);
}

enum { STEP = 64 << 10 };

/* Makes sure of one more slot that was never handed out. False: there is none. */
static bool grow(struct ums_arena *arena)
{
    size_t all = arena->slot * arena->capacity;
    if (!arena->base)
        arena->base = (uintptr_t)plat_reserve(all);
    if (!arena->base || arena->used == arena->capacity)
        return false;
    if (arena->slot * (arena->used + 1) <= arena->bytes)
        return true;
    size_t step = all - arena->bytes < STEP ? all - arena->bytes : STEP;
    if (!plat_commit((void *)(arena->base + arena->bytes), step))
        return false;
    arena->bytes += step;
    return true;
}

enum which { SPARE, OWN, ANY };

/* Whether the stripe has a slot to hand out. The one that was freed last is kept back for as long
 * as there is another. SPARE: a freed slot but that one. OWN: also a slot that was never handed
 * out. ANY: also the one that was freed last. */
static bool has_some(const struct ums_arena_stripe *stripe, enum which which)
{
    void *oldest = __atomic_load_n(&stripe->oldest, __ATOMIC_RELAXED);
    if (oldest && (which == ANY || oldest != __atomic_load_n(&stripe->newest, __ATOMIC_RELAXED)))
        return true;
    return which != SPARE && __atomic_load_n(&stripe->fresh, __ATOMIC_RELAXED) !=
                                 __atomic_load_n(&stripe->end, __ATOMIC_RELAXED);
}

static void *take_freed(struct ums_arena *arena, struct ums_arena_stripe *stripe)
{
    void *slot = stripe->oldest;
    __atomic_store_n(&stripe->oldest, *link_of(arena, slot), __ATOMIC_RELAXED);
    if (!stripe->oldest)
        __atomic_store_n(&stripe->newest, NULL, __ATOMIC_RELAXED);
    memset(slot, 0, arena->slot);
    return slot;
}

static void *take(struct ums_arena *arena, struct ums_arena_stripe *stripe, enum which which)
{
    void *slot = NULL;
    plat_lock(&stripe->lock);
    if (has_some(stripe, SPARE)) {
        slot = take_freed(arena, stripe);
    } else if (which != SPARE && stripe->fresh != stripe->end) {
        slot = (void *)stripe->fresh;
        __atomic_store_n(&stripe->fresh, stripe->fresh + arena->slot, __ATOMIC_RELAXED);
    } else if (which == ANY && stripe->oldest) {
        slot = take_freed(arena, stripe);
    }
    plat_unlock(&stripe->lock);
    return slot;
}

static void *take_others(struct ums_arena *arena, enum which which)
{
    void *slot = NULL;
    for (unsigned i = 0; i < UMS_ARENA_STRIPES && !slot; i++)
        if (has_some(&arena->stripes[i], which))
            slot = take(arena, &arena->stripes[i], which);
    return slot;
}

/* Takes a run of new slots, returns the first and leaves the others to the stripe. It takes only
 * one if the stripe got a run meanwhile. While few slots are used a run is one slot, so that
 * debuggers number contexts in order. */
static void *take_fresh(struct ums_arena *arena, struct ums_arena_stripe *stripe)
{
    enum { RUN = 32 };
    size_t count = 0;
    plat_lock(&stripe->lock);
    plat_lock(&arena->lock);
    size_t most = 1 + arena->used / RUN < RUN ? 1 + arena->used / RUN : RUN;
    if (stripe->fresh != stripe->end)
        most = 1;
    while (count < most && grow(arena)) {
        arena->used++;
        count++;
    }
    uintptr_t end = arena->base + arena->slot * arena->used, first = end - arena->slot * count;
    plat_unlock(&arena->lock);
    if (count > 1) {
        __atomic_store_n(&stripe->end, end, __ATOMIC_RELAXED);
        __atomic_store_n(&stripe->fresh, first + arena->slot, __ATOMIC_RELAXED);
    }
    plat_unlock(&stripe->lock);
    return count ? (void *)first : NULL;
}

static struct ums_arena_stripe *own(struct ums_arena *arena)
{
    return &arena->stripes[plat_processor() % UMS_ARENA_STRIPES];
}

void *ums__arena_alloc(struct ums_arena *arena)
{
    struct ums_arena_stripe *stripe = own(arena);
    void *slot = take(arena, stripe, OWN);
    if (!slot)
        slot = take_others(arena, SPARE);
    if (!slot)
        slot = take_fresh(arena, stripe);
    return slot ? slot : take_others(arena, ANY);
}

void ums__arena_free(struct ums_arena *arena, void *slot)
{
    struct ums_arena_stripe *stripe = own(arena);
    plat_lock(&stripe->lock);
    *link_of(arena, slot) = NULL;
    if (stripe->newest)
        *link_of(arena, stripe->newest) = slot;
    else
        __atomic_store_n(&stripe->oldest, slot, __ATOMIC_RELAXED);
    __atomic_store_n(&stripe->newest, slot, __ATOMIC_RELAXED);
    plat_unlock(&stripe->lock);
}

/* In a child after fork, for a stripe that a thread of the parent was changing. Its list of freed
 * slots is right from the oldest on. Which of its new slots are free is not known, so they are
 * given up. */
static void mend(const struct ums_arena *arena, struct ums_arena_stripe *stripe)
{
    stripe->fresh = stripe->end = 0;
    stripe->newest = NULL;
    for (void *slot = stripe->oldest; slot; slot = *link_of(arena, slot))
        stripe->newest = slot;
}

void ums__arena_forked(struct ums_arena *arena)
{
    plat_lock_forget(&arena->lock);
    for (unsigned i = 0; i < UMS_ARENA_STRIPES; i++) {
        struct ums_arena_stripe *stripe = &arena->stripes[i];
        if (plat_lock_taken(&stripe->lock))
            mend(arena, stripe);
        plat_lock_forget(&stripe->lock);
    }
}
