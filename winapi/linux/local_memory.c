/* SPDX-License-Identifier: MIT
 *
 * local_memory.c - LocalAlloc, GlobalAlloc and their kin: fixed memory of the process heap.
 *
 * Movable memory, whose handle is not its address, is refused with ERROR_INVALID_PARAMETER.
 */
#include "winapi/linux/surface.h"

_Static_assert(LMEM_MOVEABLE == GMEM_MOVEABLE && LMEM_ZEROINIT == GMEM_ZEROINIT, "one meaning");

static void *allocate(UINT flags, SIZE_T bytes)
{
    if (flags & LMEM_MOVEABLE) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    void *memory = HeapAlloc(GetProcessHeap(), flags & LMEM_ZEROINIT ? HEAP_ZERO_MEMORY : 0, bytes);
    if (!memory)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return memory;
}

/* NULL is success: otherwise the caller keeps what it has. */
static void *release(void *memory)
{
    uintptr_t same = (uintptr_t)memory;
    if (HeapFree(GetProcessHeap(), 0, memory))
        return NULL;
    win__fail(ERROR_INVALID_HANDLE);
    return (void *)same;
}

static SIZE_T size(const void *memory)
{
    SIZE_T bytes = HeapSize(GetProcessHeap(), 0, memory);
    if (bytes != (SIZE_T)-1)
        return bytes;
    win__fail(ERROR_INVALID_HANDLE);
    return 0;
}

HLOCAL WINAPI LocalAlloc(UINT uFlags, SIZE_T uBytes)
{
    return allocate(uFlags, uBytes);
}

HLOCAL WINAPI LocalFree(HLOCAL hMem)
{
    return release(hMem);
}

SIZE_T WINAPI LocalSize(HLOCAL hMem)
{
    return size(hMem);
}

HGLOBAL WINAPI GlobalAlloc(UINT uFlags, SIZE_T dwBytes)
{
    return allocate(uFlags, dwBytes);
}

HGLOBAL WINAPI GlobalFree(HGLOBAL hMem)
{
    return release(hMem);
}

SIZE_T WINAPI GlobalSize(HGLOBAL hMem)
{
    return size(hMem);
}
