/* SPDX-License-Identifier: MIT
 *
 * arena.c - see arena.h.
 */
#include "umsshim/arena.h"

#include <string.h>

static void **link_of(const struct ums_arena *arena, void *slot)
{
    return (void **)((char *)slot + arena->link);
}

enum { STEP = 64 << 10 };

/* Whether one more slot can be handed out that never was. */
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

void *ums__arena_alloc(struct ums_arena *arena)
{
    plat_lock(&arena->lock);
    void *slot = NULL;
    /* A few free slots are kept back, so that one just freed is not handed out at once. */
    if (arena->oldest && (arena->oldest != arena->newest || arena->used == arena->capacity)) {
        slot = arena->oldest;
        arena->oldest = *link_of(arena, slot);
        if (!arena->oldest)
            arena->newest = NULL;
        memset(slot, 0, arena->slot);
    } else if (grow(arena)) {
        slot = (void *)(arena->base + arena->slot * arena->used++);
    }
    plat_unlock(&arena->lock);
    return slot;
}

void ums__arena_free(struct ums_arena *arena, void *slot)
{
    plat_lock(&arena->lock);
    *link_of(arena, slot) = NULL;
    if (arena->newest)
        *link_of(arena, arena->newest) = slot;
    else
        arena->oldest = slot;
    arena->newest = slot;
    plat_unlock(&arena->lock);
}
