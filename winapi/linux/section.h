/* SPDX-License-Identifier: MIT
 *
 * section.h - what CreateFileMapping makes: memory that views show, of a file or without one.
 *
 * A section holds its file, or a memory file of its own; each view holds its section. So views stay
 * what they are when all handles are closed, and the descriptor goes with the last of handle and
 * view.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SECTION_H
#define UMSSHIM_WINAPI_LINUX_SECTION_H

#include <sys/types.h>

#include "winapi/linux/file.h"
#include "winapi/linux/regions.h"

struct section {
    struct object object;
    struct file *file; /* with a reference; NULL: the section's memory has no file */
    int fd;            /* the file's, or of the memory: then the section's own */
    DWORD protect;     /* PAGE_*: the most that a view may have */
    uint64_t size;
    /* SEC_RESERVE: a byte for each page, 1 once any view has committed it; else NULL. It only ever
     * becomes 1: here under regions_lock, in another process that has the section at any time. */
    unsigned char *committed;
    struct shared_name *name; /* that other processes know it by; or NULL */
    /* Among the sections with a file, under regions_lock. */
    dev_t device;
    ino_t inode;
    struct section *next;
};

/* The section behind a handle with a reference (object_drop), or NULL with ERROR_INVALID_HANDLE. */
struct section *win__section(HANDLE handle);

/* VirtualAlloc(MEM_COMMIT) in a view, with regions_lock: 0 or a Win32 error. */
DWORD view_commit(struct region *view, uintptr_t start, uintptr_t end, DWORD protect);

/* ---- Between its files ---- */

/* A section with nothing in it yet; NULL: no memory. */
struct section *section_new(void);
/* Frees the section's memory, if it has any of its own. */
void section_drop_memory(struct section *section);
/* Of one with SEC_RESERVE, whose size and descriptor are known: 0 or a Win32 error. */
DWORD section_map_committed(struct section *section);
/* It is a section of this file, and takes over the reference. */
void section_of_file(struct section *section, struct file *file, dev_t device, ino_t inode);
/* As CreateFileMapping's arguments say: with one reference, or NULL and the last error. */
struct object *section_make(HANDLE file, DWORD protect, DWORD high, DWORD low);

/* Whether a section shows more of the open file than its first `size` bytes: it must not be
 * shortened. */
bool win__mapped_beyond(int fd, off_t size);

#endif
