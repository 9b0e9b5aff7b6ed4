/* SPDX-License-Identifier: MIT
 *
 * address_space.h - the memory of the process: VirtualAlloc's regions, and mappings that others
 * have made.
 */
#ifndef UMSSHIM_WINAPI_LINUX_ADDRESS_SPACE_H
#define UMSSHIM_WINAPI_LINUX_ADDRESS_SPACE_H

#include "winapi/linux/surface.h"

#define PAGE_BYTES ((uintptr_t)4096)
#define GRANULARITY ((uintptr_t)65536)
#define LOWEST_ADDRESS GRANULARITY
#define HIGHEST_ADDRESS ((uintptr_t)0x7FFFFFFEFFFF)

/* A part of the address space that is of one kind throughout. */
struct stretch {
    uintptr_t start, end;
    uintptr_t allocation; /* where the allocation or mapping begins */
    DWORD allocation_protect;
    DWORD state;   /* MEM_FREE, MEM_RESERVE, MEM_COMMIT */
    DWORD protect; /* PAGE_*; 0 unless committed */
    DWORD type;    /* MEM_PRIVATE, MEM_MAPPED, MEM_IMAGE; 0: free */
};

/* The PROT_* for a PAGE_*; -1: Linux has none like it. */
int protection_of(DWORD protect);

/* The stretch around an address outside VirtualAlloc's regions, as the kernel describes it. False:
 * the kernel gives no description. */
bool foreign_stretch(uintptr_t address, struct stretch *stretch);

/* In a child after fork: a thread of the parent may have held the lock. */
void address_space_forget(void);

#endif
