/* SPDX-License-Identifier: MIT
 *
 * process_map.h - the mappings of this process, from /proc/self/maps.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_PROCESS_MAP_H
#define UMSSHIM_PLATFORM_LINUX_OS_PROCESS_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct map_line {
    uintptr_t start, end;
    bool read, write, execute, shared;
    off_t offset;
    unsigned long inode; /* 0: no file */
    const char *path;    /* valid only during the visit */
};
typedef bool map_visit(const struct map_line *line, void *arg); /* false: stops the walk */

/* Visits the lines in ascending order. False: they cannot be read. No heap, no lock of libc's; any
 * thread. */
bool process_map_read(map_visit *visit, void *arg);

#endif
