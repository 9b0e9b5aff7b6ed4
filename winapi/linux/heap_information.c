/* SPDX-License-Identifier: MIT
 *
 * heap_information.c - HeapSetInformation and HeapQueryInformation.
 *
 * All heaps are malloc's. Like a low-fragmentation heap, malloc has lists of blocks of one size. It
 * ends the process when it finds its memory damaged. So a program can ask for both features, but
 * cannot turn them off.
 */
#include "winapi/linux/surface.h"

enum { LOW_FRAGMENTATION = 2, ON_CORRUPTION = 1 };

static bool is_heap(HANDLE heap)
{
    return HeapValidate(heap, 0, NULL);
}

BOOL WINAPI HeapSetInformation(HANDLE HeapHandle, HEAP_INFORMATION_CLASS HeapInformationClass,
                               PVOID HeapInformation, SIZE_T HeapInformationLength)
{
    if ((int)HeapInformationClass == ON_CORRUPTION) /* for all heaps, so the handle may be NULL */
        return TRUE;
    if (HeapInformationClass != HeapCompatibilityInformation)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (HeapInformationLength < sizeof(ULONG))
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    if (!HeapHandle || !is_heap(HeapHandle))
        return win__fail(ERROR_INVALID_HANDLE);
    return *(ULONG *)HeapInformation == LOW_FRAGMENTATION ? TRUE : win__fail(ERROR_GEN_FAILURE);
}

BOOL WINAPI HeapQueryInformation(HANDLE HeapHandle, HEAP_INFORMATION_CLASS HeapInformationClass,
                                 PVOID HeapInformation, SIZE_T HeapInformationLength,
                                 PSIZE_T ReturnLength)
{
    if (HeapInformationClass != HeapCompatibilityInformation)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!HeapHandle || !is_heap(HeapHandle))
        return win__fail(ERROR_INVALID_HANDLE);
    if (ReturnLength)
        *ReturnLength = sizeof(ULONG);
    if (HeapInformationLength < sizeof(ULONG))
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    *(ULONG *)HeapInformation = LOW_FRAGMENTATION;
    return TRUE;
}
