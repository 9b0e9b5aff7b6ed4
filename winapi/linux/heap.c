/* SPDX-License-Identifier: MIT
 *
 * heap.c - the process heap and private heaps, whose blocks are malloc's, with a header.
 *
 * malloc rounds sizes up and does not tell the size that was asked for. HeapSize must tell it, and
 * HeapReAlloc needs it to zero only the growth. So each block has a header. A private heap chains
 * its blocks, so that HeapDestroy can free them. No lock is held in calls of malloc's. Several
 * threads may use a heap even with HEAP_NO_SERIALIZE.
 *
 * A heap with a maximum size counts memory as Windows does: a part for the heap itself, and for
 * each block a header and a rounded size. No block of such a heap is larger than 1,016 KiB.
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
    /* For a heap with a maximum size, in bytes. */
    PAGE = 4096,
    OWN_SHARE = 2048,
    GRANULE = 16,
    LARGEST_BLOCK = 0xFE000, /* with its header */
};

struct block {
    struct block *next, *previous; /* the neighbours in a private heap, under its lock */
    struct heap *heap;             /* NULL after it was freed */
    SIZE_T bytes;
};
_Static_assert(sizeof(struct block) % 16 == 0, "blocks stay aligned like malloc's");

struct heap {
    PLAT_LOCK(HEAP) lock;
    _Atomic bool alive;
    DWORD flags;
    SIZE_T limit; /* 0: no limit */
    SIZE_T used;
    CHAIN_OF(struct block) blocks;
    /* The thread that has called HeapLock, and how often. Changed under the lock; other threads
     * wait at the address of `owner`. */
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

/* Takes the lock once no other thread has the heap by HeapLock. */
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

/* The room that a block of so many bytes takes; 0 bytes take some, too. */
static SIZE_T share(SIZE_T bytes)
{
    return (bytes + 2 * GRANULE - 1) / GRANULE * GRANULE;
}

/* Counts a block that takes `now`, and took `before` (0: a new block). False: the heap may not grow
 * that far. */
static bool charge(struct heap *heap, SIZE_T before, SIZE_T now)
{
    if (heap == heaps) {
        if (UMS_UNLIKELY(heap->owner != 0)) { /* its blocks are in no list */
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
    /* An atomic store, so that the compiler keeps it although free() follows: a second free sees
     * it. */
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
        unchain(heap, block); /* as realloc may move it */
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
    if (lpMem) /* lpMem may be any address: the kernel looks */
        return copy_in(&header, (const struct block *)lpMem - 1, sizeof header) == 0 &&
               header.heap == heap;
    BOOL sound = TRUE;
    plat_lock(&heap->lock);
    for (struct block *block = heap->blocks.first; block && sound; block = block->next)
        sound = block->heap == heap && (!block->next || block->next->previous == block);
    plat_unlock(&heap->lock);
    return sound;
}

/* ---- HeapLock and HeapWalk ------------------------------------------------------------------- */

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

/* The blocks in use, the newest first. The process heap has no list of its blocks. */
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

/* Gives free memory back to the kernel. Returns the size of the free memory that libc has left at
 * the end of its heap. */
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
            heap->owner = heap->times = 0; /* that thread does not exist in the child */
    }
}
