/* SPDX-License-Identifier: MIT
 *
 * virtual_memory.c - VirtualAlloc, VirtualFree, VirtualProtect, VirtualQuery, VirtualLock.
 *
 * The regions' lock is held across mmap and its kin, which never wait for another thread, so that
 * the table always agrees with the kernel.
 *
 * PAGE_GUARD and the other modifiers are refused with ERROR_INVALID_PARAMETER, and so is write-copy
 * except in views that copy.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/error.h"
#include "winapi/linux/regions.h"
#include "winapi/linux/section.h"

static DWORD allocate(uintptr_t address, SIZE_T size, DWORD type, DWORD protect, uintptr_t *start)
{
    uintptr_t end = page_up(address + size);
    struct region *region;
    if (type & MEM_RESERVE || !address) {
        uintptr_t base = address & ~(GRANULARITY - 1);
        DWORD error = region_reserve(base, end - base, protect, start);
        if (error || !(type & MEM_COMMIT))
            return error;
        error = region_commit(region_at(*start), *start, *start + (end - base), protect);
        if (error)
            region_release(region_at(*start));
        return error;
    }
    *start = page_down(address);
    region = region_around(*start, end);
    if (!region)
        return ERROR_INVALID_ADDRESS;
    if (type & MEM_COMMIT)
        return region->section ? view_commit(region, *start, end, protect)
                               : region_commit(region, *start, end, protect);
    RAW3(SYS_madvise, *start, end - *start, MADV_FREE); /* MEM_RESET is only advice */
    return ERROR_SUCCESS;
}

static bool sensible(uintptr_t address, SIZE_T size)
{
    return size && size <= HIGHEST_ADDRESS && address <= HIGHEST_ADDRESS &&
           address + size <= HIGHEST_ADDRESS + 1;
}

LPVOID WINAPI VirtualAlloc(LPVOID lpAddress, SIZE_T dwSize, DWORD flAllocationType, DWORD flProtect)
{
    uintptr_t start = 0;
    DWORD kind = flAllocationType & ~(DWORD)MEM_TOP_DOWN; /* MEM_TOP_DOWN has no effect */
    bool known = kind == MEM_RESERVE || kind == MEM_COMMIT || kind == (MEM_RESERVE | MEM_COMMIT) ||
                 (kind == MEM_RESET && lpAddress);
    if (!known || protection_of(flProtect) < 0 || !sensible((uintptr_t)lpAddress, dwSize) ||
        (lpAddress && (uintptr_t)lpAddress < LOWEST_ADDRESS)) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    plat_lock(&regions_lock);
    DWORD error = allocate((uintptr_t)lpAddress, dwSize, kind, flProtect, &start);
    plat_unlock(&regions_lock);
    if (error) {
        win__fail(error);
        return NULL;
    }
    return (void *)start;
}

static DWORD give_back(uintptr_t address, SIZE_T size, DWORD type)
{
    struct region *region = region_at(address);
    if (!region)
        return ERROR_INVALID_ADDRESS;
    if (region->section)
        return ERROR_INVALID_PARAMETER; /* only UnmapViewOfFile may do that */
    bool at_base = page_down(address) == region->start;
    if (type == MEM_RELEASE) {
        if (!at_base)
            return ERROR_INVALID_ADDRESS;
        region_release(region);
        return ERROR_SUCCESS;
    }
    if (!size)
        return at_base ? region_decommit(region, region->start, region->end)
                       : ERROR_INVALID_ADDRESS;
    uintptr_t end = page_up(address + size);
    return end <= region->end ? region_decommit(region, page_down(address), end)
                              : ERROR_INVALID_PARAMETER;
}

BOOL WINAPI VirtualFree(LPVOID lpAddress, SIZE_T dwSize, DWORD dwFreeType)
{
    bool known = dwFreeType == MEM_DECOMMIT || (dwFreeType == MEM_RELEASE && !dwSize);
    if (!known || !lpAddress || (dwSize && !sensible((uintptr_t)lpAddress, dwSize)))
        return win__fail(ERROR_INVALID_PARAMETER);
    plat_lock(&regions_lock);
    DWORD error = give_back((uintptr_t)lpAddress, dwSize, dwFreeType);
    plat_unlock(&regions_lock);
    return error ? win__fail(error) : TRUE;
}

/* Whether all pages of the range are committed. */
static bool all_committed(const struct region *region, uintptr_t start, uintptr_t end)
{
    return region->plain || !memchr(page_of(region, start), 0, (end - start) / PAGE_BYTES);
}

static DWORD protect_foreign(uintptr_t start, uintptr_t end, DWORD protect, DWORD *before)
{
    struct stretch stretch;
    if (!foreign_stretch(start, &stretch) || stretch.state != MEM_COMMIT)
        return ERROR_INVALID_ADDRESS;
    if (protection_of(protect) < 0)
        return ERROR_INVALID_PARAMETER;
    *before = stretch.protect;
    long r = RAW3(SYS_mprotect, start, end - start, protection_of(protect));
    return r == -ENOMEM ? ERROR_INVALID_ADDRESS : win__error_of((int)-r);
}

BOOL WINAPI VirtualProtect(LPVOID lpAddress, SIZE_T dwSize, DWORD flNewProtect,
                           PDWORD lpflOldProtect)
{
    uintptr_t start = page_down((uintptr_t)lpAddress), end = page_up((uintptr_t)lpAddress + dwSize);
    DWORD error, before = 0;
    if (!lpflOldProtect)
        return win__fail(ERROR_NOACCESS);
    if (!sensible((uintptr_t)lpAddress, dwSize))
        return win__fail(ERROR_INVALID_PARAMETER);
    plat_lock(&regions_lock);
    struct region *region = region_at(start);
    bool ours = region != NULL;
    if (ours && (end > region->end || !all_committed(region, start, end))) {
        error = ERROR_INVALID_ADDRESS;
    } else if (ours) {
        before = page_kind(region, start);
        error = region_commit(region, start, end, flNewProtect);
    }
    plat_unlock(&regions_lock);
    if (!ours)
        error = protect_foreign(start, end, flNewProtect, &before);
    if (error)
        return win__fail(error);
    *lpflOldProtect = before;
    return TRUE;
}

static void describe(const struct region *region, uintptr_t page, struct stretch *stretch)
{
    unsigned char kind = page_kind(region, page);
    uintptr_t end = page;
    while (end < region->end && page_kind(region, end) == kind)
        end += PAGE_BYTES;
    *stretch = (struct stretch){.start = page,
                                .end = end,
                                .allocation = region->start,
                                .allocation_protect = region->protect,
                                .state = kind ? MEM_COMMIT : MEM_RESERVE,
                                .protect = kind,
                                .type = region->section ? MEM_MAPPED : MEM_PRIVATE};
}

SIZE_T WINAPI VirtualQuery(LPCVOID lpAddress, PMEMORY_BASIC_INFORMATION lpBuffer, SIZE_T dwLength)
{
    uintptr_t page = page_down((uintptr_t)lpAddress);
    struct stretch stretch;
    if (dwLength < sizeof *lpBuffer)
        return (SIZE_T)win__fail(ERROR_BAD_LENGTH);
    if (page > HIGHEST_ADDRESS)
        return (SIZE_T)win__fail(ERROR_INVALID_PARAMETER);
    plat_lock(&regions_lock);
    struct region *region = region_at(page);
    bool ours = region != NULL;
    if (ours)
        describe(region, page, &stretch);
    plat_unlock(&regions_lock);
    if (!ours && !foreign_stretch(page, &stretch))
        return (SIZE_T)win__fail(ERROR_NOT_SUPPORTED);
    *lpBuffer = (MEMORY_BASIC_INFORMATION){
        .BaseAddress = (void *)page,
        .AllocationBase = (void *)stretch.allocation,
        .AllocationProtect = stretch.allocation_protect,
        .RegionSize = stretch.end - page,
        .State = stretch.state,
        .Protect = stretch.protect,
        .Type = stretch.type,
    };
    return sizeof *lpBuffer;
}

static BOOL change_lock(LPVOID address, SIZE_T size, long call)
{
    uintptr_t start = page_down((uintptr_t)address);
    if (!sensible((uintptr_t)address, size))
        return win__fail(ERROR_INVALID_PARAMETER);
    long r = RAW2(call, start, page_up((uintptr_t)address + size) - start);
    if (r == 0)
        return TRUE;
    struct stretch stretch;
    bool there = foreign_stretch(start, &stretch) && stretch.state == MEM_COMMIT &&
                 stretch.protect != PAGE_NOACCESS;
    return win__fail(there ? ERROR_WORKING_SET_QUOTA : ERROR_NOACCESS);
}

BOOL WINAPI VirtualLock(LPVOID lpAddress, SIZE_T dwSize)
{
    return change_lock(lpAddress, dwSize, SYS_mlock);
}

BOOL WINAPI VirtualUnlock(LPVOID lpAddress, SIZE_T dwSize)
{
    return change_lock(lpAddress, dwSize, SYS_munlock);
}
