/* SPDX-License-Identifier: MIT
 *
 * near_pages.c - memory within reach of 32-bit displacements, for jumps out of system DLLs.
 */
#include "platform/windows/os/near_pages.h"

#include <windows.h>

enum { GRANULE = 64 << 10 };

static void *take_between(uintptr_t low, uintptr_t high, size_t bytes)
{
    MEMORY_BASIC_INFORMATION region;
    for (uintptr_t at = (low + GRANULE - 1) & ~(uintptr_t)(GRANULE - 1); at + bytes <= high;) {
        if (!VirtualQuery((void *)at, &region, sizeof region))
            return NULL;
        uintptr_t end = (uintptr_t)region.BaseAddress + region.RegionSize;
        if (region.State == MEM_FREE && end - at >= bytes) {
            void *pages = VirtualAlloc((void *)at, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
            if (pages)
                return pages;
        }
        at = (end + GRANULE - 1) & ~(uintptr_t)(GRANULE - 1);
    }
    return NULL;
}

void *near_pages(uintptr_t from, uintptr_t to, bool above, size_t bytes)
{
    const uintptr_t reach = (uintptr_t)INT32_MAX - GRANULE;
    if (above)
        return take_between(to, from + UINT32_MAX - GRANULE, bytes);
    void *pages = take_between(to, from + reach, bytes);
    return pages ? pages : take_between(to > reach ? to - reach : GRANULE, from, bytes);
}

bool near_pages_seal(void *pages, size_t bytes)
{
    DWORD before;
    return VirtualProtect(pages, bytes, PAGE_EXECUTE_READ, &before) &&
           FlushInstructionCache(GetCurrentProcess(), pages, bytes);
}
