/* SPDX-License-Identifier: MIT
 *
 * directory_entry.h - an entry as getdents64 writes them, one after the other (getdents(2)).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_DIRECTORY_ENTRY_H
#define UMSSHIM_PLATFORM_LINUX_OS_DIRECTORY_ENTRY_H

#include <stdint.h>

struct directory_entry {
    uint64_t inode;
    int64_t next;
    uint16_t bytes; /* of this entry: the next one begins behind them */
    uint8_t type;
    char name[];
};

#endif
