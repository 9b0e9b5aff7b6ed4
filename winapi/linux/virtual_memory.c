/* SPDX-License-Identifier: MIT
 *
 * virtual_memory.c - VirtualAlloc, VirtualFree, VirtualProtect, VirtualQuery, VirtualLock.
 *
 * A reserved region is a mapping without access, and one byte per page that says what is committed
 * and how. Reserved and decommitted pages have no memory behind them. Regions lie in one sorted
 * array; one lock guards it and is held across system calls that nobody can make wait (mmap and
 * its kin), so that the bytes and the kernel's view never part.
 *
 * PAGE_GUARD and the other modifiers, and write-copy, are refused with ERROR_INVALID_PARAMETER.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/linux/raw.h"
#include "winapi/linux/address_space.h"
#include "winapi/linux/error.h"

enum { MAX_REGIONS = 1 << 20 };

struct region {
    uintptr_t start, end;
    unsigned char *pages; /* PAGE_*, all of which fit into a byte; 0: reserved only */
    DWORD protect;
};

static struct region *regions; /* by address */
static size_t region_count;
static struct plat_lock lock;

static uintptr_t page_down(uintptr_t address)
{
    return address & ~(PAGE_BYTES - 1);
}

static uintptr_t page_up(uintptr_t address)
{
    return page_down(address + PAGE_BYTES - 1);
}

/* ---- Under the lock -------------------------------------------------------------------------- */

/* The first region that ends after the address. */
static size_t region_index(uintptr_t address)
{
    size_t low = 0, high = region_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (regions[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct region *region_at(uintptr_t address)
{
    size_t index = region_index(address);
    return index < region_count && regions[index].start <= address ? &regions[index] : NULL;
}

/* The region that holds all of a range. */
static struct region *region_around(uintptr_t start, uintptr_t end)
{
    struct region *region = region_at(start);
    return region && end <= region->end ? region : NULL;
}

static unsigned char *page_of(const struct region *region, uintptr_t address)
{
    return &region->pages[(address - region->start) / PAGE_BYTES];
}

static void unmap(uintptr_t start, uintptr_t end)
{
    if (start < end)
        RAW2(SYS_munmap, start, end - start);
}

static long map(uintptr_t at, uintptr_t bytes, int flags)
{
    return RAW6(SYS_mmap, at, bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* Address space at a multiple of 64 KiB; at `wanted` unless that is 0. 0 or a Win32 error. */
static DWORD find_space(uintptr_t wanted, uintptr_t bytes, uintptr_t *start)
{
    long got = wanted ? map(wanted, bytes, MAP_FIXED_NOREPLACE) : map(0, bytes + GRANULARITY, 0);
    if (got < 0 && got >= -4095)
        return got == -ENOMEM ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_ADDRESS;
    uintptr_t address = (uintptr_t)got;
    if (wanted) {
        if (address != wanted) { /* a kernel that takes the address for a hint */
            unmap(address, address + bytes);
            return ERROR_INVALID_ADDRESS;
        }
        *start = wanted;
        return ERROR_SUCCESS;
    }
    *start = (address + GRANULARITY - 1) & ~(GRANULARITY - 1);
    unmap(address, *start);
    unmap(*start + bytes, address + bytes + GRANULARITY);
    return ERROR_SUCCESS;
}

static DWORD reserve(uintptr_t wanted, uintptr_t bytes, DWORD protect, uintptr_t *start)
{
    if (!regions)
        regions = plat_reserve(MAX_REGIONS * sizeof *regions);
    if (!regions || region_count == MAX_REGIONS)
        return ERROR_NOT_ENOUGH_MEMORY;
    DWORD error = find_space(wanted, bytes, start);
    if (error)
        return error;
    unsigned char *pages = plat_reserve(bytes / PAGE_BYTES);
    if (!pages) {
        unmap(*start, *start + bytes);
        return ERROR_NOT_ENOUGH_MEMORY;
    }
    size_t index = region_index(*start);
    memmove(&regions[index + 1], &regions[index], (region_count++ - index) * sizeof *regions);
    regions[index] = (struct region){*start, *start + bytes, pages, protect};
    return ERROR_SUCCESS;
}

static DWORD commit(struct region *region, uintptr_t start, uintptr_t end, DWORD protect)
{
    long r = RAW3(SYS_mprotect, start, end - start, protection_of(protect));
    if (r < 0)
        return win__error_of((int)-r);
    memset(page_of(region, start), (int)protect, (end - start) / PAGE_BYTES);
    return ERROR_SUCCESS;
}

static DWORD decommit(struct region *region, uintptr_t start, uintptr_t end)
{
    long r = map(start, end - start, MAP_FIXED);
    if (r < 0 && r >= -4095)
        return ERROR_NOT_ENOUGH_MEMORY;
    memset(page_of(region, start), 0, (end - start) / PAGE_BYTES);
    return ERROR_SUCCESS;
}

static void release(struct region *region)
{
    size_t index = (size_t)(region - regions);
    unmap(region->start, region->end);
    unmap((uintptr_t)region->pages,
          (uintptr_t)region->pages + page_up((region->end - region->start) / PAGE_BYTES));
    memmove(region, region + 1, (--region_count - index) * sizeof *regions);
}

/* ---- The calls ------------------------------------------------------------------------------- */

static DWORD allocate(uintptr_t address, SIZE_T size, DWORD type, DWORD protect, uintptr_t *start)
{
    uintptr_t end = page_up(address + size);
    struct region *region;
    if (type & MEM_RESERVE || !address) {
        uintptr_t base = address & ~(GRANULARITY - 1);
        DWORD error = reserve(base, end - base, protect, start);
        if (error || !(type & MEM_COMMIT))
            return error;
        error = commit(region_at(*start), *start, *start + (end - base), protect);
        if (error)
            release(region_at(*start));
        return error;
    }
    *start = page_down(address);
    region = region_around(*start, end);
    if (!region)
        return ERROR_INVALID_ADDRESS;
    if (type & MEM_COMMIT)
        return commit(region, *start, end, protect);
    RAW3(SYS_madvise, *start, end - *start, MADV_FREE); /* MEM_RESET: advice */
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
    DWORD kind = flAllocationType & ~(DWORD)MEM_TOP_DOWN; /* advice, not taken */
    bool known = kind == MEM_RESERVE || kind == MEM_COMMIT || kind == (MEM_RESERVE | MEM_COMMIT) ||
                 (kind == MEM_RESET && lpAddress);
    if (!known || protection_of(flProtect) < 0 || !sensible((uintptr_t)lpAddress, dwSize) ||
        (lpAddress && (uintptr_t)lpAddress < LOWEST_ADDRESS)) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    plat_lock(&lock);
    DWORD error = allocate((uintptr_t)lpAddress, dwSize, kind, flProtect, &start);
    plat_unlock(&lock);
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
    bool at_base = page_down(address) == region->start;
    if (type == MEM_RELEASE) {
        if (!at_base)
            return ERROR_INVALID_ADDRESS;
        release(region);
        return ERROR_SUCCESS;
    }
    if (!size)
        return at_base ? decommit(region, region->start, region->end) : ERROR_INVALID_ADDRESS;
    uintptr_t end = page_up(address + size);
    return end <= region->end ? decommit(region, page_down(address), end) : ERROR_INVALID_PARAMETER;
}

BOOL WINAPI VirtualFree(LPVOID lpAddress, SIZE_T dwSize, DWORD dwFreeType)
{
    bool known = dwFreeType == MEM_DECOMMIT || (dwFreeType == MEM_RELEASE && !dwSize);
    if (!known || !lpAddress || (dwSize && !sensible((uintptr_t)lpAddress, dwSize)))
        return win__fail(ERROR_INVALID_PARAMETER);
    plat_lock(&lock);
    DWORD error = give_back((uintptr_t)lpAddress, dwSize, dwFreeType);
    plat_unlock(&lock);
    return error ? win__fail(error) : TRUE;
}

/* Whether all pages of the range are committed. */
static bool all_committed(const struct region *region, uintptr_t start, uintptr_t end)
{
    return region && !memchr(page_of(region, start), 0, (end - start) / PAGE_BYTES);
}

static DWORD protect_foreign(uintptr_t start, uintptr_t end, DWORD protect, DWORD *before)
{
    struct stretch stretch;
    if (!foreign_stretch(start, &stretch) || stretch.state != MEM_COMMIT)
        return ERROR_INVALID_ADDRESS;
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
    if (protection_of(flNewProtect) < 0 || !sensible((uintptr_t)lpAddress, dwSize))
        return win__fail(ERROR_INVALID_PARAMETER);
    plat_lock(&lock);
    struct region *region = region_at(start);
    bool ours = region != NULL;
    if (ours && (end > region->end || !all_committed(region, start, end))) {
        error = ERROR_INVALID_ADDRESS;
    } else if (ours) {
        before = *page_of(region, start);
        error = commit(region, start, end, flNewProtect);
    }
    plat_unlock(&lock);
    if (!ours)
        error = protect_foreign(start, end, flNewProtect, &before);
    if (error)
        return win__fail(error);
    *lpflOldProtect = before;
    return TRUE;
}

static void describe(const struct region *region, uintptr_t page, struct stretch *stretch)
{
    unsigned char kind = *page_of(region, page);
    uintptr_t end = page;
    while (end < region->end && *page_of(region, end) == kind)
        end += PAGE_BYTES;
    *stretch = (struct stretch){.start = page,
                                .end = end,
                                .allocation = region->start,
                                .allocation_protect = region->protect,
                                .state = kind ? MEM_COMMIT : MEM_RESERVE,
                                .protect = kind,
                                .type = MEM_PRIVATE};
}

SIZE_T WINAPI VirtualQuery(LPCVOID lpAddress, PMEMORY_BASIC_INFORMATION lpBuffer, SIZE_T dwLength)
{
    uintptr_t page = page_down((uintptr_t)lpAddress);
    struct stretch stretch;
    if (dwLength < sizeof *lpBuffer)
        return (SIZE_T)win__fail(ERROR_BAD_LENGTH);
    if (page > HIGHEST_ADDRESS)
        return (SIZE_T)win__fail(ERROR_INVALID_PARAMETER);
    plat_lock(&lock);
    struct region *region = region_at(page);
    bool ours = region != NULL;
    if (ours)
        describe(region, page, &stretch);
    plat_unlock(&lock);
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

void address_space_forget(void)
{
    lock = (struct plat_lock){0};
}
