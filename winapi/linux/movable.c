/* SPDX-License-Identifier: MIT
 *
 * movable.c - see movable.h.
 */
#include <string.h>

#include "platform/linux/os/copy.h"
#include "winapi/linux/movable.h"

enum { ENTRIES = 65536, PREFIX = 16, TAG = 8, MOST_LOCKS = 255 };

struct entry {
    void *block; /* with the prefix; NULL: discarded. In a free entry: the next free one */
    uint16_t locks;
    bool used, discardable;
};

static struct {
    PLAT_LOCK(MOVABLE) lock;
    struct entry *entries; /* address space for ENTRIES, reserved at the first need */
    size_t touched;        /* entries that have ever been used */
    struct entry *free;
} table;

static HANDLE handle_of(struct entry *entry)
{
    return (char *)entry + TAG;
}

/* The caller has the lock. NULL: no such handle. */
static struct entry *entry_of(const void *handle)
{
    uintptr_t first = (uintptr_t)table.entries + TAG, offset = (uintptr_t)handle - first;
    if (!table.entries || (uintptr_t)handle < first || offset % sizeof(struct entry) ||
        offset / sizeof(struct entry) >= table.touched)
        return NULL;
    struct entry *entry = &table.entries[offset / sizeof(struct entry)];
    return entry->used ? entry : NULL;
}

static struct entry *known_entry(const void *handle)
{
    plat_lock(&table.lock);
    struct entry *entry = entry_of(handle);
    if (!entry) {
        plat_unlock(&table.lock);
        win__fail(ERROR_INVALID_HANDLE);
    }
    return entry;
}

/* The caller has the lock. */
static struct entry *take_entry(void)
{
    struct entry *entry = table.free;
    if (entry) {
        table.free = entry->block;
        return entry;
    }
    if (!table.entries)
        table.entries = plat_reserve(ENTRIES * sizeof *entry);
    return table.entries && table.touched < ENTRIES ? &table.entries[table.touched++] : NULL;
}

static void *allocate_block(SIZE_T bytes, UINT flags)
{
    if (bytes > SIZE_MAX - PREFIX)
        return NULL;
    return HeapAlloc(GetProcessHeap(), flags & GMEM_ZEROINIT ? HEAP_ZERO_MEMORY : 0,
                     bytes + PREFIX);
}

HANDLE movable_alloc(UINT flags, SIZE_T bytes)
{
    void *block = bytes ? allocate_block(bytes, flags) : NULL;
    struct entry *entry = NULL;
    if (block || !bytes) {
        plat_lock(&table.lock);
        entry = take_entry();
        if (entry)
            *entry = (struct entry){
                .block = block, .used = true, .discardable = flags & GMEM_DISCARDABLE};
        plat_unlock(&table.lock);
    }
    if (!entry) {
        if (block)
            HeapFree(GetProcessHeap(), 0, block);
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    HANDLE handle = handle_of(entry);
    if (block)
        memcpy(block, &handle, sizeof handle);
    return handle;
}

bool movable_is(const void *memory)
{
    if ((uintptr_t)memory % PREFIX != TAG)
        return false;
    plat_lock(&table.lock);
    bool is = entry_of(memory) != NULL;
    plat_unlock(&table.lock);
    return is;
}

void *movable_lock(HANDLE handle)
{
    struct entry *entry = known_entry(handle);
    if (!entry)
        return NULL;
    char *block = entry->block;
    if (block && entry->locks < MOST_LOCKS)
        entry->locks++;
    plat_unlock(&table.lock);
    if (!block)
        win__fail(ERROR_DISCARDED);
    return block ? block + PREFIX : NULL;
}

BOOL movable_unlock(HANDLE handle)
{
    struct entry *entry = known_entry(handle);
    if (!entry)
        return FALSE;
    bool was_locked = entry->locks != 0;
    entry->locks -= was_locked;
    bool locked = entry->locks != 0;
    plat_unlock(&table.lock);
    if (!locked)
        win__fail(was_locked ? ERROR_SUCCESS : ERROR_NOT_LOCKED);
    return locked;
}

/* A locked block stays where it is, unless GMEM_MOVEABLE lets it move. Between the look at the
 * entry and the new block only the caller may use the handle, as on Windows. */
HANDLE movable_realloc(HANDLE handle, SIZE_T bytes, UINT flags)
{
    struct entry *entry = known_entry(handle);
    if (!entry)
        return NULL;
    if (flags & GMEM_MODIFY) {
        entry->discardable = flags & GMEM_DISCARDABLE;
        plat_unlock(&table.lock);
        return handle;
    }
    void *block = entry->block;
    bool stays = entry->locks && !(flags & GMEM_MOVEABLE);
    plat_unlock(&table.lock);
    if (!bytes && stays) {
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    void *moved = NULL;
    if (bytes && !block)
        moved = allocate_block(bytes, flags);
    else if (bytes && bytes <= SIZE_MAX - PREFIX)
        moved = HeapReAlloc(GetProcessHeap(),
                            (flags & GMEM_ZEROINIT ? HEAP_ZERO_MEMORY : 0) |
                                (stays ? HEAP_REALLOC_IN_PLACE_ONLY : 0),
                            block, bytes + PREFIX);
    else if (!bytes)
        HeapFree(GetProcessHeap(), 0, block);
    if (bytes && !moved) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    if (moved)
        memcpy(moved, &handle, sizeof handle);
    plat_lock(&table.lock);
    entry->block = moved;
    plat_unlock(&table.lock);
    return handle;
}

SIZE_T movable_size(HANDLE handle)
{
    struct entry *entry = known_entry(handle);
    if (!entry)
        return 0;
    void *block = entry->block;
    plat_unlock(&table.lock);
    return block ? HeapSize(GetProcessHeap(), 0, block) - PREFIX : 0;
}

UINT movable_flags(HANDLE handle)
{
    struct entry *entry = known_entry(handle);
    if (!entry)
        return GMEM_INVALID_HANDLE;
    UINT flags = entry->locks | (entry->discardable ? GMEM_DISCARDABLE : 0) |
                 (entry->block ? 0 : GMEM_DISCARDED);
    plat_unlock(&table.lock);
    return flags;
}

void movable_free(HANDLE handle)
{
    struct entry *entry = known_entry(handle);
    if (!entry)
        return;
    void *block = entry->block;
    *entry = (struct entry){.block = table.free};
    table.free = entry;
    plat_unlock(&table.lock);
    if (block)
        HeapFree(GetProcessHeap(), 0, block);
}

HANDLE movable_of(const void *address)
{
    HANDLE handle;
    if (copy_in(&handle, (const char *)address - PREFIX, sizeof handle))
        return NULL;
    plat_lock(&table.lock);
    struct entry *entry = entry_of(handle);
    bool is = entry && entry->block == (const char *)address - PREFIX;
    plat_unlock(&table.lock);
    return is ? handle : NULL;
}

void movable_forget(void)
{
    plat_lock_forget(&table.lock);
}
