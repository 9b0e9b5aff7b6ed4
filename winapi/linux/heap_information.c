/* SPDX-License-Identifier: MIT
 *
 * heap_information.c - HeapSetInformation and HeapQueryInformation.
 *
 * All heaps are malloc's, which has lists of blocks of one size as a low-fragmentation heap has,
 * and which ends the process when it finds its memory damaged. So both can be asked for, neither
 * undone.
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
    if ((int)HeapInformationClass == ON_CORRUPTION) /* of all heaps: the handle may be NULL */
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
