/* SPDX-License-Identifier: MIT
 *
 * memory.c - the process heap, over malloc, and thread-local slots, over pthread keys.
 *
 * Keys live in the thread's own control block, so a worker's slots travel with it.
 */
#include <pthread.h>
#include <stdlib.h>

#include "winapi/linux/surface.h"

static char process_heap;

HANDLE WINAPI GetProcessHeap(VOID)
{
    return &process_heap;
}

PVOID WINAPI HeapAlloc(HANDLE hHeap, DWORD dwFlags, SIZE_T dwBytes)
{
    if (hHeap != &process_heap)
        return NULL;
    if (!dwBytes)
        dwBytes = 1;
    return dwFlags & HEAP_ZERO_MEMORY ? calloc(1, dwBytes) : malloc(dwBytes);
}

PVOID WINAPI HeapReAlloc(HANDLE hHeap, DWORD dwFlags, PVOID lpMem, SIZE_T dwBytes)
{
    if (hHeap != &process_heap || !lpMem || dwFlags & HEAP_REALLOC_IN_PLACE_ONLY ||
        dwFlags & HEAP_ZERO_MEMORY) /* the old size is not known: growth could not be zeroed */
        return NULL;
    return realloc(lpMem, dwBytes ? dwBytes : 1);
}

BOOL WINAPI HeapFree(HANDLE hHeap, DWORD dwFlags, PVOID lpMem)
{
    (void)dwFlags;
    if (hHeap != &process_heap)
        return win__fail(ERROR_INVALID_HANDLE);
    free(lpMem);
    return TRUE;
}

DWORD WINAPI TlsAlloc(VOID)
{
    pthread_key_t key;
    if (pthread_key_create(&key, NULL)) {
        win__fail(ERROR_NO_MORE_ITEMS);
        return TLS_OUT_OF_INDEXES;
    }
    return key;
}

BOOL WINAPI TlsFree(DWORD dwTlsIndex)
{
    return pthread_key_delete(dwTlsIndex) ? win__fail(ERROR_INVALID_PARAMETER) : TRUE;
}

PVOID WINAPI TlsGetValue(DWORD dwTlsIndex)
{
    /* NULL may be a value: success says so in the last error. */
    plat_set_last_error(ERROR_SUCCESS);
    return pthread_getspecific(dwTlsIndex);
}

BOOL WINAPI TlsSetValue(DWORD dwTlsIndex, PVOID lpTlsValue)
{
    return pthread_setspecific(dwTlsIndex, lpTlsValue) ? win__fail(ERROR_INVALID_PARAMETER) : TRUE;
}
