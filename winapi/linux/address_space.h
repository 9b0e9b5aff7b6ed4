/* SPDX-License-Identifier: MIT
 *
 * address_space.h - what is mapped where: regions made by VirtualAlloc, and everybody else's.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ADDRESS_SPACE_H
#define UMSSHIM_WINAPI_LINUX_ADDRESS_SPACE_H

#include "winapi/linux/surface.h"

#define PAGE_BYTES ((uintptr_t)4096)
#define GRANULARITY ((uintptr_t)65536)
#define LOWEST_ADDRESS GRANULARITY
#define HIGHEST_ADDRESS ((uintptr_t)0x7FFFFFFEFFFF)

/* A stretch of address space of one kind. */
struct stretch {
    uintptr_t start, end;
    uintptr_t allocation; /* where the allocation or mapping begins */
    DWORD allocation_protect;
    DWORD state;   /* MEM_FREE, MEM_RESERVE, MEM_COMMIT */
    DWORD protect; /* PAGE_*; 0 unless committed */
    DWORD type;    /* MEM_PRIVATE, MEM_MAPPED, MEM_IMAGE; 0: free */
};

/* PAGE_* to PROT_*, or -1 for what cannot be had. */
int protection_of(DWORD protect);

/* The stretch around an address that no VirtualAlloc made, as the kernel tells it. False: it does
 * not tell. */
bool foreign_stretch(uintptr_t address, struct stretch *stretch);

/* In a child after fork: the lock may be stuck. */
void address_space_forget(void);

#endif
