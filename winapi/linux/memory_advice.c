/* SPDX-License-Identifier: MIT
 *
 * memory_advice.c - PrefetchVirtualMemory, OfferVirtualMemory, DiscardVirtualMemory and their kin.
 */
#include <errno.h>
#include <sys/mman.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/address_space.h"
#include "winapi/linux/error.h"

static long advise(uintptr_t start, size_t bytes, int advice)
{
    return RAW3(SYS_madvise, start, bytes, advice);
}

BOOL WINAPI PrefetchVirtualMemory(HANDLE hProcess, ULONG_PTR NumberOfEntries,
                                  PWIN32_MEMORY_RANGE_ENTRY VirtualAddresses, ULONG Flags)
{
    if (!win__this_process(hProcess))
        return win__fail(ERROR_INVALID_HANDLE);
    if (!NumberOfEntries || !VirtualAddresses || Flags)
        return win__fail(ERROR_INVALID_PARAMETER);
    for (ULONG_PTR i = 0; i < NumberOfEntries; i++) {
        uintptr_t start = (uintptr_t)VirtualAddresses[i].VirtualAddress & ~(PAGE_BYTES - 1);
        uintptr_t end =
            (uintptr_t)VirtualAddresses[i].VirtualAddress + VirtualAddresses[i].NumberOfBytes;
        if (end < start)
            return win__fail(ERROR_INVALID_PARAMETER);
        advise(start, end - start, MADV_WILLNEED);
    }
    return TRUE;
}

/* 0, or the error for pages that are not whole, committed and writable. */
static DWORD refuse(PVOID address, SIZE_T size)
{
    uintptr_t at = (uintptr_t)address, end = at + size;
    MEMORY_BASIC_INFORMATION info;
    if (at % PAGE_BYTES || size % PAGE_BYTES || !size || end < at)
        return ERROR_INVALID_PARAMETER;
    for (; at < end; at = (uintptr_t)info.BaseAddress + info.RegionSize)
        if (!VirtualQuery((void *)at, &info, sizeof info) || info.State != MEM_COMMIT ||
            info.Type != MEM_PRIVATE || info.Protect != PAGE_READWRITE)
            return ERROR_INVALID_PARAMETER;
    return ERROR_SUCCESS;
}

DWORD WINAPI DiscardVirtualMemory(PVOID VirtualAddress, SIZE_T Size)
{
    DWORD error = refuse(VirtualAddress, Size);
    if (error)
        return error;
    long result = advise((uintptr_t)VirtualAddress, Size, MADV_DONTNEED);
    return win__error_of((int)-result);
}

/* The kernel swaps offered pages out first. It never throws their content away, so
 * ReclaimVirtualMemory always succeeds. */
DWORD WINAPI OfferVirtualMemory(PVOID VirtualAddress, SIZE_T Size, OFFER_PRIORITY Priority)
{
    enum {
        COLD = 20
    }; /* MADV_COLD, since Linux 5.4: an older kernel refuses it, which does no
                         * harm */
    if (Priority < VmOfferPriorityVeryLow || Priority > VmOfferPriorityNormal)
        return ERROR_INVALID_PARAMETER;
    DWORD error = refuse(VirtualAddress, Size);
    if (!error)
        advise((uintptr_t)VirtualAddress, Size, COLD);
    return error;
}

DWORD WINAPI ReclaimVirtualMemory(void const *VirtualAddress, SIZE_T Size)
{
    return refuse((PVOID)(uintptr_t)VirtualAddress, Size);
}
