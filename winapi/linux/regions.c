/* SPDX-License-Identifier: MIT
 *
 * regions.c - VirtualAlloc's regions and views of sections. A region is a mapping without access,
 * with one byte per page for the page's state and protection.
 *
 * Reserved and decommitted pages take no memory, and neither do the bytes of a large region until
 * they are written. The regions are in one array, sorted by address.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/error.h"
#include "winapi/linux/regions.h"

enum { MAX_REGIONS = 1 << 20 };

static struct region *regions; /* sorted by address */
static size_t region_count;
PLAT_LOCK(REGIONS) regions_lock;

/* The index of the first region that ends after the address. */
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

struct region *region_at(uintptr_t address)
{
    size_t index = region_index(address);
    return index < region_count && regions[index].start <= address ? &regions[index] : NULL;
}

struct region *region_from(uintptr_t address)
{
    size_t index = region_index(address);
    return index < region_count ? &regions[index] : NULL;
}

/* The region that has the whole range; NULL: none. */
struct region *region_around(uintptr_t start, uintptr_t end)
{
    struct region *region = region_at(start);
    return region && end <= region->end ? region : NULL;
}

static void unmap(uintptr_t start, uintptr_t end)
{
    if (start < end)
        RAW2(SYS_munmap, start, end - start);
}

static long map(uintptr_t at, uintptr_t bytes, int flags)
{
    return RAW6(SYS_mmap, at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags,
                -1, 0);
}

/* Finds address space at a multiple of 64 KiB; at `wanted`, unless that is 0. 0 or a Win32
 * error. */
static DWORD find_space(uintptr_t wanted, uintptr_t bytes, uintptr_t *start)
{
    long got = wanted ? map(wanted, bytes, MAP_FIXED_NOREPLACE) : map(0, bytes + GRANULARITY, 0);
    if (got < 0 && got >= -4095)
        return got == -ENOMEM ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_ADDRESS;
    uintptr_t address = (uintptr_t)got;
    if (wanted) {
        if (address != wanted) { /* an old kernel takes the address only as a hint */
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

DWORD region_reserve(uintptr_t wanted, uintptr_t bytes, DWORD protect, uintptr_t *start)
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
    regions[index] =
        (struct region){.start = *start, .end = *start + bytes, .pages = pages, .protect = protect};
    return ERROR_SUCCESS;
}

int region_protection(const struct region *region, DWORD *protect)
{
    bool copies = region->section && region->copy;
    if (copies && *protect == PAGE_READWRITE)
        *protect = PAGE_WRITECOPY;
    else if (copies && *protect == PAGE_EXECUTE_READWRITE)
        *protect = PAGE_EXECUTE_WRITECOPY;
    int wanted = protection_of(*protect);
    if (copies && *protect == PAGE_WRITECOPY)
        wanted = PROT_READ | PROT_WRITE;
    else if (copies && *protect == PAGE_EXECUTE_WRITECOPY)
        wanted = PROT_READ | PROT_WRITE | PROT_EXEC;
    return wanted >= 0 && region->section && wanted & ~region->most ? -1 : wanted;
}

DWORD region_commit(struct region *region, uintptr_t start, uintptr_t end, DWORD protect)
{
    int wanted = region_protection(region, &protect);
    if (wanted < 0)
        return ERROR_INVALID_PARAMETER;
    long r = RAW3(SYS_mprotect, start, end - start, wanted);
    if (r < 0)
        return win__error_of((int)-r);
    memset(page_of(region, start), (int)protect, (end - start) / PAGE_BYTES);
    return ERROR_SUCCESS;
}

DWORD region_decommit(struct region *region, uintptr_t start, uintptr_t end)
{
    long r = map(start, end - start, MAP_FIXED);
    if (r < 0 && r >= -4095)
        return ERROR_NOT_ENOUGH_MEMORY;
    memset(page_of(region, start), 0, (end - start) / PAGE_BYTES);
    return ERROR_SUCCESS;
}

void region_release(struct region *region)
{
    size_t index = (size_t)(region - regions);
    unmap(region->start, region->end);
    unmap((uintptr_t)region->pages,
          (uintptr_t)region->pages + page_up((region->end - region->start) / PAGE_BYTES));
    memmove(region, region + 1, (--region_count - index) * sizeof *regions);
}

void address_space_forget(void)
{
    plat_lock_forget(&regions_lock);
}
