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
    uintptr_t base;  /* until the first allocation: nothing is inside */
    size_t bytes;    /* usable: grows by steps, 0 until then */
    size_t slot;     /* bytes */
    size_t capacity; /* slots */
    size_t link;     /* where in a free slot the next one's address may be kept */
    /* Away from what every look at a pointer reads. */
    _Alignas(64) size_t used; /* slots handed out so far, free ones included */
    void *oldest, *newest;    /* free slots */
    struct plat_lock lock;
};

/* A zeroed slot, or NULL. */
void *ums__arena_alloc(struct ums_arena *arena);
void ums__arena_free(struct ums_arena *arena, void *slot);

/* Whether the pointer is the start of a slot. Hot: `slot` is arena->slot as a constant. */
static inline bool ums__arena_holds(const struct ums_arena *arena, const void *pointer, size_t slot)
{
    uintptr_t offset = (uintptr_t)pointer - arena->base;
    return offset < arena->bytes && offset % slot == 0;
}

#endif
