/* SPDX-License-Identifier: MIT
 *
 * heap.c - the process heap and private heaps, blocks of malloc's with a header.
 *
 * malloc rounds sizes up and does not tell what was asked for; HeapSize must, and growth can only
 * be zeroed when the old size is known: so each block has a header. A private heap's blocks are
 * chained as well, so that HeapDestroy can free them. malloc is called with no lock held,
 * therefore a heap is as safe from several threads with HEAP_NO_SERIALIZE as without.
 *
 * A heap with a maximum size is charged what it would take on Windows: something for the heap
 * itself, and a header and a round size for each block. No block of such a heap is larger than
 * 1,016 KiB.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "platform/chain.h"
#include "platform/linux/os/copy.h"
#include "winapi/linux/heap.h"
#include "winapi/linux/surface.h"

enum {
    MAX_HEAPS = 1024,
    /* Of a heap with a maximum size, in bytes. */
    PAGE = 4096,
    OWN_SHARE = 2048,
    GRANULE = 16,
    LARGEST_BLOCK = 0xFE000, /* with its header */
};

struct block {
    struct block *next, *previous; /* in a private heap, under its lock */
    struct heap *heap;             /* NULL once freed */
    SIZE_T bytes;
};
_Static_assert(sizeof(struct block) % 16 == 0, "blocks stay aligned like malloc's");

struct heap {
    PLAT_LOCK(HEAP) lock;
    _Atomic bool alive;
    DWORD flags;
    SIZE_T limit; /* 0: grows */
    SIZE_T used;
    CHAIN_OF(struct block) blocks;
    /* HeapLock: the thread that has the heap for itself, and how often. Changed under the lock;
     * others wait for the word. */
    _Atomic DWORD owner;
    DWORD times;
};

static struct heap heaps[MAX_HEAPS] = {{.alive = true}}; /* the first is the process heap */
static PLAT_LOCK(HEAPS) heaps_lock;

static struct heap *heap_of(HANDLE handle)
{
    struct heap *heap = handle;
    if (heap < heaps || heap >= heaps + MAX_HEAPS ||
        ((char *)handle - (char *)heaps) % (ptrdiff_t)sizeof *heap || !heap->alive)
        return NULL;
    return heap;
}

/* Takes the lock once no other thread has the heap for itself. */
static void lock_heap(struct heap *heap)
{
    DWORD owner;
    for (;;) {
        plat_lock(&heap->lock);
        owner = heap->owner;
        if (UMS_LIKELY(!owner) || owner == GetCurrentThreadId())
            return;
        plat_unlock(&heap->lock);
        WaitOnAddress(&heap->owner, &owner, sizeof owner, INFINITE);
    }
}

/* What a block of so many bytes takes; 0 bytes are a block, too. */
static SIZE_T share(SIZE_T bytes)
{
    return (bytes + 2 * GRANULE - 1) / GRANULE * GRANULE;
}

/* Books a block that takes this much now and took that much before (0: none); false: the heap may
 * not grow that far. */
static bool charge(struct heap *heap, SIZE_T before, SIZE_T now)
{
    if (heap == heaps) {
        if (UMS_UNLIKELY(heap->owner != 0)) { /* blocks of the process's are in no list */
            lock_heap(heap);
            plat_unlock(&heap->lock);
        }
        return true;
    }
    lock_heap(heap);
    SIZE_T others = heap->used - before;
    bool fits = now <= before || !heap->limit ||
                (now <= LARGEST_BLOCK && now <= heap->limit && others <= heap->limit - now);
    if (fits)
        heap->used = others + now;
    plat_unlock(&heap->lock);
    if (!fits)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return fits;
}

static void chain(struct heap *heap, struct block *block)
{
    if (heap == heaps)
        return;
    lock_heap(heap);
    CHAIN_PREPEND(&heap->blocks, block, next, previous);
    plat_unlock(&heap->lock);
}

static void unchain(struct heap *heap, struct block *block)
{
    if (heap == heaps)
        return;
    lock_heap(heap);
    CHAIN_REMOVE(&heap->blocks, block, next, previous);
    plat_unlock(&heap->lock);
}

static struct block *block_of(const struct heap *heap, const void *memory)
{
    struct block *block = (struct block *)((uintptr_t)memory - sizeof *block);
    return heap && memory && block->heap == heap ? block : NULL;
}

static void free_block(struct block *block)
{
    /* Atomic, so that it is not dropped as a store to dead memory: it tells a second free. */
    __atomic_store_n(&block->heap, NULL, __ATOMIC_RELAXED);
    free(block);
}

HANDLE WINAPI GetProcessHeap(VOID)
{
    return heaps;
}

DWORD WINAPI GetProcessHeaps(DWORD NumberOfHeaps, PHANDLE ProcessHeaps)
{
    DWORD count = 0;
    plat_lock(&heaps_lock);
    for (struct heap *heap = heaps; heap < heaps + MAX_HEAPS; heap++)
        if (heap->alive && count++ < NumberOfHeaps)
            ProcessHeaps[count - 1] = heap;
    plat_unlock(&heaps_lock);
    return count;
}

HANDLE WINAPI HeapCreate(DWORD flOptions, SIZE_T dwInitialSize, SIZE_T dwMaximumSize)
{
    struct heap *found = NULL;
    plat_lock(&heaps_lock);
    for (struct heap *heap = heaps; heap < heaps + MAX_HEAPS && !found; heap++)
        if (!heap->alive)
            found = heap;
    if (found) {
        SIZE_T limit =
            dwMaximumSize < dwInitialSize && dwMaximumSize ? dwInitialSize : dwMaximumSize;
        *found = (struct heap){.flags = flOptions, .used = OWN_SHARE};
        found->limit = limit > SIZE_MAX - PAGE ? limit : (limit + PAGE - 1) / PAGE * PAGE;
        found->alive = true;
    }
    plat_unlock(&heaps_lock);
    if (!found)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return found;
}

BOOL WINAPI HeapDestroy(HANDLE hHeap)
{
    struct heap *heap = heap_of(hHeap);
    if (!heap || heap == heaps)
        return win__fail(ERROR_INVALID_HANDLE);
    struct block *block = heap->blocks.first;
    heap->alive = false;
    while (block) {
        struct block *next = block->next;
        free_block(block);
        block = next;
    }
    return TRUE;
}

static void *out_of_memory(void)
{
    win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return NULL;
}

PVOID WINAPI HeapAlloc(HANDLE hHeap, DWORD dwFlags, SIZE_T dwBytes)
{
    struct heap *heap = heap_of(hHeap);
    SIZE_T bytes = dwBytes + sizeof(struct block);
    if (!heap)
        return NULL;
    if (bytes < dwBytes)
        return out_of_memory();
    if (!charge(heap, 0, share(dwBytes)))
        return NULL;
    struct block *block = dwFlags & HEAP_ZERO_MEMORY ? calloc(1, bytes) : malloc(bytes);
    if (!block) {
        charge(heap, share(dwBytes), 0);
        return out_of_memory();
    }
    block->heap = heap;
    block->bytes = dwBytes;
    chain(heap, block);
    return block + 1;
}

PVOID WINAPI HeapReAlloc(HANDLE hHeap, DWORD dwFlags, PVOID lpMem, SIZE_T dwBytes)
{
    struct heap *heap = heap_of(hHeap);
    struct block *block = block_of(heap, lpMem);
    SIZE_T bytes = dwBytes + sizeof *block;
    if (!block)
        return NULL;
    SIZE_T before = block->bytes;
    bool fits = bytes <= malloc_usable_size(block);
    if (bytes < dwBytes || (!fits && dwFlags & HEAP_REALLOC_IN_PLACE_ONLY))
        return out_of_memory();
    if (!charge(heap, share(before), share(dwBytes)))
        return NULL;
    if (!fits) {
        unchain(heap, block); /* while it may move */
        struct block *moved = realloc(block, bytes);
        chain(heap, moved ? moved : block);
        if (!moved) {
            charge(heap, share(dwBytes), share(before));
            return out_of_memory();
        }
        block = moved;
    }
    block->bytes = dwBytes;
    if (dwFlags & HEAP_ZERO_MEMORY && dwBytes > before)
        memset((char *)(block + 1) + before, 0, dwBytes - before);
    return block + 1;
}

BOOL WINAPI HeapFree(HANDLE hHeap, DWORD dwFlags, PVOID lpMem)
{
    (void)dwFlags;
    struct heap *heap = heap_of(hHeap);
    if (!heap)
        return win__fail(ERROR_INVALID_HANDLE);
    if (!lpMem)
        return TRUE;
    struct block *block = block_of(heap, lpMem);
    if (!block)
        return win__fail(ERROR_INVALID_PARAMETER);
    unchain(heap, block);
    charge(heap, share(block->bytes), 0);
    free_block(block);
    return TRUE;
}

SIZE_T WINAPI HeapSize(HANDLE hHeap, DWORD dwFlags, LPCVOID lpMem)
{
    (void)dwFlags;
    const struct block *block = block_of(heap_of(hHeap), lpMem);
    return block ? block->bytes : (SIZE_T)-1;
}

BOOL WINAPI HeapValidate(HANDLE hHeap, DWORD dwFlags, LPCVOID lpMem)
{
    (void)dwFlags;
    struct heap *heap = heap_of(hHeap);
    struct block header;
    if (!heap)
        return FALSE;
    if (lpMem) /* any pointer may be asked about: let the kernel look */
        return copy_in(&header, (const struct block *)lpMem - 1, sizeof header) == 0 &&
               header.heap == heap;
    BOOL sound = TRUE;
    plat_lock(&heap->lock);
    for (struct block *block = heap->blocks.first; block && sound; block = block->next)
        sound = block->heap == heap && (!block->next || block->next->previous == block);
    plat_unlock(&heap->lock);
    return sound;
}

/* ---- The heap for oneself -------------------------------------------------------------------- */

BOOL WINAPI HeapLock(HANDLE hHeap)
{
    struct heap *heap = heap_of(hHeap);
    if (!heap)
        return win__fail(ERROR_INVALID_HANDLE);
    lock_heap(heap);
    heap->owner = GetCurrentThreadId();
    heap->times++;
    plat_unlock(&heap->lock);
    return TRUE;
}

BOOL WINAPI HeapUnlock(HANDLE hHeap)
{
    struct heap *heap = heap_of(hHeap);
    if (!heap)
        return win__fail(ERROR_INVALID_HANDLE);
    plat_lock(&heap->lock);
    bool mine = heap->owner == GetCurrentThreadId(), last = mine && --heap->times == 0;
    if (last)
        heap->owner = 0;
    plat_unlock(&heap->lock);
    if (last)
        WakeByAddressAll((PVOID)&heap->owner);
    return mine ? TRUE : win__fail(ERROR_NOT_OWNER);
}

/* The blocks in use, the newest first. The process heap's are in no list. */
BOOL WINAPI HeapWalk(HANDLE hHeap, LPPROCESS_HEAP_ENTRY lpEntry)
{
    struct heap *heap = heap_of(hHeap);
    struct block *block = NULL;
    if (!heap)
        return win__fail(ERROR_INVALID_HANDLE);
    if (heap == heaps)
        return win__fail(ERROR_NOT_SUPPORTED);
    lock_heap(heap);
    bool known = !lpEntry->lpData;
    if (known)
        block = heap->blocks.first;
    for (struct block *at = heap->blocks.first; at && !known; at = at->next)
        if (at + 1 == lpEntry->lpData) {
            known = true;
            block = at->next;
        }
    if (block)
        *lpEntry = (PROCESS_HEAP_ENTRY){.lpData = block + 1,
                                        .cbData = (DWORD)block->bytes,
                                        .cbOverhead = sizeof *block,
                                        .wFlags = PROCESS_HEAP_ENTRY_BUSY};
    plat_unlock(&heap->lock);
    if (block)
        return TRUE;
    return win__fail(known ? ERROR_NO_MORE_ITEMS : ERROR_INVALID_PARAMETER);
}

/* What is free goes back to the kernel; what libc keeps at the end of its memory is told. */
SIZE_T WINAPI HeapCompact(HANDLE hHeap, DWORD dwFlags)
{
    (void)dwFlags;
    if (!heap_of(hHeap))
        return (SIZE_T)win__fail(ERROR_INVALID_HANDLE);
    malloc_trim(0);
    plat_set_last_error(ERROR_SUCCESS);
    return (SIZE_T)mallinfo2().keepcost;
}

void heaps_forget(void)
{
    plat_lock_forget(&heaps_lock);
    for (struct heap *heap = heaps; heap < heaps + MAX_HEAPS; heap++) {
        plat_lock_forget(&heap->lock);
        if (heap->owner != GetCurrentThreadId())
            heap->owner = heap->times = 0; /* of a thread that is not here */
    }
}
