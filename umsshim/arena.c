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

void *ums__arena_alloc(struct ums_arena *arena)
{
    plat_lock(&arena->lock);
    if (!arena->base) {
        arena->base = (uintptr_t)plat_reserve(arena->slot * arena->capacity);
        arena->bytes = arena->base ? arena->slot * arena->capacity : 0;
    }
    void *slot = NULL;
    /* A few free slots are kept back, so that one just freed is not handed out at once. */
    if (arena->oldest && (arena->oldest != arena->newest || arena->used == arena->capacity)) {
        slot = arena->oldest;
        arena->oldest = *link_of(arena, slot);
        if (!arena->oldest)
            arena->newest = NULL;
        memset(slot, 0, arena->slot);
    } else if (arena->base && arena->used < arena->capacity) {
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
