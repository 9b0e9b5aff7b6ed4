/* SPDX-License-Identifier: MIT
 *
 * arena.h - type-stable storage for what the application holds bare pointers to.
 *
 * A slot's address never changes type and is never unmapped, so any pointer can be judged without
 * touching memory that might not be there: first whether it can be a slot, then by the slot's own
 * state word. A processor's free slots are reused oldest first, which keeps stale pointers
 * recognisable for longest.
 */
#ifndef UMSSHIM_ARENA_H
#define UMSSHIM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/platform.h"

enum { UMS_ARENA_STRIPES = 16 };

/* Free slots. A processor gives to its own and takes from it, and grows by some slots at a time: so
 * processors seldom meet here. */
struct ums_arena_stripe {
    _Alignas(64) PLAT_LOCK(ARENA_STRIPE) lock;
    void *oldest, *newest;
    uintptr_t fresh, end; /* those never handed out */
};

struct ums_arena {
    uintptr_t base;  /* until the first allocation: nothing is inside */
    size_t bytes;    /* usable: grows by steps, 0 until then */
    size_t slot;     /* bytes */
    size_t capacity; /* slots */
    size_t link;     /* where in a free slot the next one's address may be kept */
    /* Away from what every look at a pointer reads. */
    _Alignas(64) size_t used; /* slots that stripes have had so far, free ones included */
    PLAT_LOCK(ARENA) lock;    /* of what grows: used, bytes, base */
    struct ums_arena_stripe stripes[UMS_ARENA_STRIPES];
};

/* A zeroed slot, or NULL. */
void *ums__arena_alloc(struct ums_arena *arena);
void ums__arena_free(struct ums_arena *arena, void *slot);
void ums__arena_forked(struct ums_arena *arena); /* in a child, whose other threads are not there */

/* Whether the pointer is the start of a slot. Hot: `slot` is arena->slot as a constant. */
static inline bool ums__arena_holds(const struct ums_arena *arena, const void *pointer, size_t slot)
{
    uintptr_t offset = (uintptr_t)pointer - arena->base;
    return offset < arena->bytes && offset % slot == 0;
}

#endif
