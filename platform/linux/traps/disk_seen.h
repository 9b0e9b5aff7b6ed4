/* SPDX-License-Identifier: MIT
 *
 * disk_seen.h - disk files that were in memory as a whole a moment ago.
 *
 * To find out whether a read has to wait for the disk takes more system calls than the read. So
 * the answer holds for a second, for all who read the same file, whatever its descriptors: small
 * files are read again and again. It is a guess as the look itself is one: pages may go at any
 * moment, and a wrong guess costs a wait for the disk that the scheduler does not hear of. It never
 * stands for the question what kind of file a descriptor has.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_DISK_SEEN_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_DISK_SEEN_H

#include <stdbool.h>
#include <sys/stat.h>

enum disk_seen {
    SEEN_NOT,
    SEEN_WHOLE,
    SEEN_MUTE, /* the same, in a file system that knows no read that does not wait */
};

enum { SEEN_LARGEST = 1 << 20 }; /* larger files are not remembered */

enum disk_seen disk_seen(const struct stat *file);
void disk_see(const struct stat *file, enum disk_seen how);

#endif
