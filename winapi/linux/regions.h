/* SPDX-License-Identifier: MIT
 *
 * regions.h - the table of VirtualAlloc's regions and of views of sections. Each function needs the
 * lock held.
 */
#ifndef UMSSHIM_WINAPI_LINUX_REGIONS_H
#define UMSSHIM_WINAPI_LINUX_REGIONS_H

#include "winapi/linux/address_space.h"

struct region {
    uintptr_t start, end;
    unsigned char *pages; /* PAGE_* of each page, which fits into a byte; 0: `plain` says it */
    DWORD protect;        /* of the reservation, or of the view */
    unsigned char plain;  /* 0: only reserved; in a view whose pages are all committed: PAGE_* */
    /* Only of a view. */
    struct section *section; /* with a reference; NULL: no view */
    uint64_t offset;         /* in the section */
    int most;                /* PROT_*: the most that VirtualProtect may give */
    bool copy;               /* only this process sees what it writes */
};

extern PLAT_LOCK(REGIONS) regions_lock;

static inline uintptr_t page_down(uintptr_t address)
{
    return address & ~(PAGE_BYTES - 1);
}

static inline uintptr_t page_up(uintptr_t address)
{
    return page_down(address + PAGE_BYTES - 1);
}

static inline unsigned char *page_of(const struct region *region, uintptr_t address)
{
    return &region->pages[(address - region->start) / PAGE_BYTES];
}

/* A page's PAGE_*; 0: only reserved. */
static inline unsigned char page_kind(const struct region *region, uintptr_t address)
{
    unsigned char kind = *page_of(region, address);
    return kind ? kind : region->plain;
}

/* The PROT_* for the protection of pages in a region, or -1. In a view that copies, PAGE_READWRITE
 * becomes PAGE_WRITECOPY. */
int region_protection(const struct region *region, DWORD *protect);

/* The region that has an address, or a whole range; NULL: none. */
struct region *region_at(uintptr_t address);
struct region *region_around(uintptr_t start, uintptr_t end);
/* The first region that ends after the address, or NULL. */
struct region *region_from(uintptr_t address);

/* 0 or a Win32 error. To add or remove a region moves others in the table. `wanted` may be 0. */
DWORD region_reserve(uintptr_t wanted, uintptr_t bytes, DWORD protect, uintptr_t *start);
DWORD region_commit(struct region *region, uintptr_t start, uintptr_t end, DWORD protect);
DWORD region_decommit(struct region *region, uintptr_t start, uintptr_t end);
void region_release(struct region *region);

#endif
