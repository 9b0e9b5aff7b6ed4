/* SPDX-License-Identifier: MIT
 *
 * section.h - sections, which CreateFileMapping makes: memory for views, with or without a file.
 *
 * A section has a reference to its file, or a memory file of its own; each view has a reference to
 * its section. So views stay when all handles are closed. The descriptor is closed with the last
 * handle or view.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SECTION_H
#define UMSSHIM_WINAPI_LINUX_SECTION_H

#include <sys/types.h>

#include "winapi/linux/file.h"
#include "winapi/linux/regions.h"

struct section {
    struct object object;
    struct file *file; /* with a reference; NULL: a section without a file */
    int fd;            /* the file's; or the section's own, of its memory file */
    DWORD protect;     /* PAGE_*: the most that a view may have */
    uint64_t size;
    /* SEC_RESERVE: a byte for each page, which becomes 1 when any view commits the page; else NULL.
     * Threads here write it under regions_lock; another process that has the section may at any
     * time. */
    unsigned char *committed;
    struct shared_name *name; /* by which other processes know it; or NULL */
    /* For the list of sections with a file, under regions_lock. */
    dev_t device;
    ino_t inode;
    struct section *next;
};

/* The section of a handle, with a reference (object_drop). NULL: ERROR_INVALID_HANDLE. */
struct section *win__section(HANDLE handle);

/* VirtualAlloc(MEM_COMMIT) in a view. The caller has regions_lock. 0 or a Win32 error. */
DWORD view_commit(struct region *view, uintptr_t start, uintptr_t end, DWORD protect);

/* ---- Between its files ---- */

/* Makes an empty section. NULL: no memory. */
struct section *section_new(void);
/* For SEC_RESERVE, once size and descriptor are known. 0 or a Win32 error. */
DWORD section_map_committed(struct section *section);
/* Makes it a section of this file. Takes over the reference. */
void section_of_file(struct section *section, struct file *file, dev_t device, ino_t inode);
/* Makes a section by CreateFileMapping's arguments, with one reference. NULL with the last
 * error. */
struct object *section_make(HANDLE file, DWORD protect, DWORD high, DWORD low);

/* Whether a section shows the open file beyond its first `size` bytes: then it cannot be shortened
 * to that. */
bool win__mapped_beyond(int fd, off_t size);

#endif
