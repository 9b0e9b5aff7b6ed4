/* SPDX-License-Identifier: MIT
 *
 * local_memory.c - LocalAlloc, GlobalAlloc and their kin: fixed memory of the process heap, and
 * movable memory, whose handle is not its address (movable.h).
 */
#include "winapi/linux/movable.h"

_Static_assert(LMEM_MOVEABLE == GMEM_MOVEABLE && LMEM_ZEROINIT == GMEM_ZEROINIT &&
                   LMEM_MODIFY == GMEM_MODIFY && LMEM_DISCARDED == GMEM_DISCARDED &&
                   LMEM_INVALID_HANDLE == GMEM_INVALID_HANDLE,
               "one meaning");

static bool is_fixed(const void *memory)
{
    return memory && HeapValidate(GetProcessHeap(), 0, memory);
}

static void *allocate(UINT flags, SIZE_T bytes)
{
    if (flags & LMEM_MOVEABLE)
        return movable_alloc(flags, bytes);
    void *memory = HeapAlloc(GetProcessHeap(), flags & LMEM_ZEROINIT ? HEAP_ZERO_MEMORY : 0, bytes);
    if (!memory)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return memory;
}

/* NULL: done. Else the memory is not freed, and stays the caller's. */
static void *release(void *memory)
{
    uintptr_t same = (uintptr_t)memory;
    if (movable_is(memory)) {
        movable_free(memory);
        return NULL;
    }
    if (HeapFree(GetProcessHeap(), 0, memory))
        return NULL;
    win__fail(ERROR_INVALID_HANDLE);
    return (void *)same;
}

static SIZE_T size(const void *memory)
{
    if (movable_is(memory))
        return movable_size((HANDLE)(uintptr_t)memory);
    SIZE_T bytes = HeapSize(GetProcessHeap(), 0, memory);
    if (bytes != (SIZE_T)-1)
        return bytes;
    win__fail(ERROR_INVALID_HANDLE);
    return 0;
}

static void *lock(HANDLE memory)
{
    if (!movable_is(memory) && is_fixed(memory))
        return memory;
    return movable_lock(memory);
}

static HANDLE handle_of(const void *memory)
{
    HANDLE movable = movable_is(memory) ? (HANDLE)(uintptr_t)memory : movable_of(memory);
    if (movable || is_fixed(memory))
        return movable ? movable : (HANDLE)(uintptr_t)memory;
    win__fail(ERROR_INVALID_HANDLE);
    return NULL;
}

/* Changes the size. Fixed memory moves only with LMEM_MOVEABLE. */
static HANDLE resize(HANDLE memory, SIZE_T bytes, UINT flags)
{
    if (movable_is(memory))
        return movable_realloc(memory, bytes, flags);
    if (!is_fixed(memory)) {
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    if (flags & LMEM_MODIFY) /* fixed memory cannot become movable */
        return flags & LMEM_MOVEABLE ? (win__fail(ERROR_INVALID_PARAMETER), NULL) : memory;
    return HeapReAlloc(GetProcessHeap(),
                       (flags & LMEM_ZEROINIT ? HEAP_ZERO_MEMORY : 0) |
                           (flags & LMEM_MOVEABLE ? 0 : HEAP_REALLOC_IN_PLACE_ONLY),
                       memory, bytes);
}

static UINT flags_of(HANDLE memory)
{
    return !movable_is(memory) && is_fixed(memory) ? 0 : movable_flags(memory);
}

HLOCAL WINAPI LocalAlloc(UINT uFlags, SIZE_T uBytes)
{
    return allocate(uFlags, uBytes);
}

HLOCAL WINAPI LocalReAlloc(HLOCAL hMem, SIZE_T uBytes, UINT uFlags)
{
    return resize(hMem, uBytes, uFlags);
}

HLOCAL WINAPI LocalFree(HLOCAL hMem)
{
    return release(hMem);
}

SIZE_T WINAPI LocalSize(HLOCAL hMem)
{
    return size(hMem);
}

LPVOID WINAPI LocalLock(HLOCAL hMem)
{
    return lock(hMem);
}

/* Fixed memory is never locked. GlobalUnlock answers TRUE for it all the same. */
BOOL WINAPI LocalUnlock(HLOCAL hMem)
{
    return !movable_is(hMem) && is_fixed(hMem) ? win__fail(ERROR_NOT_LOCKED) : movable_unlock(hMem);
}

HLOCAL WINAPI LocalHandle(LPCVOID pMem)
{
    return handle_of(pMem);
}

UINT WINAPI LocalFlags(HLOCAL hMem)
{
    UINT flags = flags_of(hMem);
    return flags & GMEM_DISCARDABLE ? flags | LMEM_DISCARDABLE : flags;
}

HGLOBAL WINAPI GlobalAlloc(UINT uFlags, SIZE_T dwBytes)
{
    return allocate(uFlags, dwBytes);
}

HGLOBAL WINAPI GlobalReAlloc(HGLOBAL hMem, SIZE_T dwBytes, UINT uFlags)
{
    return resize(hMem, dwBytes, uFlags);
}

HGLOBAL WINAPI GlobalFree(HGLOBAL hMem)
{
    return release(hMem);
}

SIZE_T WINAPI GlobalSize(HGLOBAL hMem)
{
    return size(hMem);
}

LPVOID WINAPI GlobalLock(HGLOBAL hMem)
{
    return lock(hMem);
}

BOOL WINAPI GlobalUnlock(HGLOBAL hMem)
{
    return (!movable_is(hMem) && is_fixed(hMem)) || movable_unlock(hMem);
}

HGLOBAL WINAPI GlobalHandle(LPCVOID pMem)
{
    return handle_of(pMem);
}

UINT WINAPI GlobalFlags(HGLOBAL hMem)
{
    return flags_of(hMem);
}
