/* SPDX-License-Identifier: MIT
 *
 * arena.h - type-stable storage for what the application holds bare pointers to.
 *
 * A slot's address never changes type and is never unmapped, so any pointer can be judged without
 * touching memory that might not be there: first whether it can be a slot, then by the slot's own
 * state word. Slots are reused oldest first, which keeps stale pointers recognisable for longest.
 */
#ifndef UMSSHIM_ARENA_H
#define UMSSHIM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/platform.h"

struct ums_arena {
    uintptr_t base;  /* 0 until the first allocation */
    size_t slot;     /* bytes, a power of two */
    size_t capacity; /* slots */
    size_t used;     /* slots handed out so far, free ones included */
    void *oldest, *newest; /* free slots, linked through their first word */
    struct plat_lock lock;
};

/* A zeroed slot, or NULL. */
void *ums__arena_alloc(struct ums_arena *arena);
void ums__arena_free(struct ums_arena *arena, void *slot);

/* Whether the pointer is the start of a slot. Hot. */
static inline bool ums__arena_holds(const struct ums_arena *arena, const void *pointer)
{
    uintptr_t offset = (uintptr_t)pointer - arena->base;
    return offset < arena->slot * arena->capacity && !(offset & (arena->slot - 1)) && arena->base;
}

#endif
