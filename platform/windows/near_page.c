/* SPDX-License-Identifier: MIT
 *
 * near_page.c - memory within reach of 32-bit displacements, for jumps out of system DLLs.
 */
#include <windows.h>

#include "platform/windows/hooks.h"

enum { GRANULE = 64 << 10, PAGE = 4 << 10 };

static void *take_between(uintptr_t low, uintptr_t high)
{
    MEMORY_BASIC_INFORMATION region;
    for (uintptr_t at = (low + GRANULE - 1) & ~(uintptr_t)(GRANULE - 1); at + PAGE <= high;) {
        if (!VirtualQuery((void *)at, &region, sizeof region))
            return NULL;
        uintptr_t end = (uintptr_t)region.BaseAddress + region.RegionSize;
        if (region.State == MEM_FREE && end - at >= PAGE) {
            void *page = VirtualAlloc((void *)at, PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
            if (page)
                return page;
        }
        at = (end + GRANULE - 1) & ~(uintptr_t)(GRANULE - 1);
    }
    return NULL;
}

void *near_page(uintptr_t from, uintptr_t to, bool above)
{
    const uintptr_t reach = (uintptr_t)INT32_MAX - GRANULE;
    if (above)
        return take_between(to, from + UINT32_MAX - GRANULE);
    void *page = take_between(to, from + reach);
    return page ? page : take_between(to > reach ? to - reach : GRANULE, from);
}

bool near_page_seal(void *page)
{
    DWORD before;
    return VirtualProtect(page, PAGE, PAGE_EXECUTE_READ, &before) &&
           FlushInstructionCache(GetCurrentProcess(), page, PAGE);
}
