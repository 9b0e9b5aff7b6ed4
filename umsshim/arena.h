/* SPDX-License-Identifier: MIT
 *
 * arena.h - type-stable storage for contexts and lists, to which the application has bare pointers.
 *
 * A slot never changes its type and is never unmapped. So the library can judge any pointer without
 * reading memory that might not be there: first it sees whether the pointer can be a slot's, then
 * it reads the slot's state word. A processor reuses its free slots oldest first, so a stale
 * pointer is recognised for longest.
 */
#ifndef UMSSHIM_ARENA_H
#define UMSSHIM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/platform.h"

enum { UMS_ARENA_STRIPES = 16 };

/* Free slots of some processors. A processor frees into its own stripe and takes from it, and takes
 * new slots several at a time. So processors seldom meet here. */
struct ums_arena_stripe {
    _Alignas(64) PLAT_LOCK(ARENA_STRIPE) lock;
    void *oldest, *newest;
    uintptr_t fresh, end; /* the new slots: never handed out */
};

struct ums_arena {
    uintptr_t base;  /* 0 until the first allocation, so no pointer is inside */
    size_t bytes;    /* usable: grows by steps, 0 until then */
    size_t slot;     /* bytes */
    size_t capacity; /* slots */
    size_t link;     /* the offset in a free slot for the next free one's address */
    /* On another cache line than the fields that ums__arena_holds reads. */
    _Alignas(64) size_t used; /* slots that stripes have had so far, free ones included */
    PLAT_LOCK(ARENA) lock;    /* for used, bytes and base */
    struct ums_arena_stripe stripes[UMS_ARENA_STRIPES];
};

/* A zeroed slot, or NULL. */
void *ums__arena_alloc(struct ums_arena *arena);
void ums__arena_free(struct ums_arena *arena, void *slot);
void ums__arena_forked(struct ums_arena *arena); /* in a child after fork */

/* Whether the pointer is the start of a slot. Hot: `slot` is arena->slot as a constant. */
static inline bool ums__arena_holds(const struct ums_arena *arena, const void *pointer, size_t slot)
{
    uintptr_t offset = (uintptr_t)pointer - arena->base;
    return offset < arena->bytes && offset % slot == 0;
}

#endif
