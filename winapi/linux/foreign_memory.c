/* SPDX-License-Identifier: MIT
 *
 * foreign_memory.c - the kernel's description of memory that VirtualAlloc did not make: images,
 * stacks, libc's heap.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "winapi/linux/address_space.h"

int protection_of(DWORD protect)
{
    switch (protect) {
    case PAGE_NOACCESS:
        return PROT_NONE;
    case PAGE_READONLY:
        return PROT_READ;
    case PAGE_READWRITE:
        return PROT_READ | PROT_WRITE;
    case PAGE_EXECUTE:
        return PROT_EXEC;
    case PAGE_EXECUTE_READ:
        return PROT_READ | PROT_EXEC;
    case PAGE_EXECUTE_READWRITE:
        return PROT_READ | PROT_WRITE | PROT_EXEC;
    default:
        return -1;
    }
}

/* The PAGE_* for the four letters of /proc/self/maps. */
static DWORD protect_of(const char *letters)
{
    bool write = letters[1] == 'w', execute = letters[2] == 'x';
    if (write)
        return execute ? PAGE_EXECUTE_READWRITE : PAGE_READWRITE;
    if (letters[0] == 'r')
        return execute ? PAGE_EXECUTE_READ : PAGE_READONLY;
    return execute ? PAGE_EXECUTE : PAGE_NOACCESS;
}

bool foreign_stretch(uintptr_t address, struct stretch *stretch)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return false;
    char line[512], path[256], same_path[256] = "";
    uintptr_t image = 0, previous_end = LOWEST_ADDRESS;
    bool found = false;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char letters[8];
        path[0] = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &start, &end, letters, path) < 3)
            continue;
        if (!strcmp(path, same_path) && path[0] == '/') {
            /* still the same image */
        } else {
            image = start;
            strcpy(same_path, path);
        }
        if (address < start) { /* it is in the gap before */
            *stretch = (struct stretch){previous_end, start, 0, 0, MEM_FREE, PAGE_NOACCESS, 0};
            found = true;
        } else if (address < end) {
            DWORD protect = protect_of(letters);
            *stretch = (struct stretch){.start = start,
                                        .end = end,
                                        .allocation = image,
                                        .allocation_protect = protect,
                                        .state = MEM_COMMIT,
                                        .protect = protect,
                                        .type = path[0] == '/' ? MEM_IMAGE : MEM_PRIVATE};
            found = true;
        }
        previous_end = end;
    }
    fclose(maps);
    if (!found)
        *stretch =
            (struct stretch){previous_end, HIGHEST_ADDRESS + 1, 0, 0, MEM_FREE, PAGE_NOACCESS, 0};
    return true;
}
