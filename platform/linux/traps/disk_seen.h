/* SPDX-License-Identifier: MIT
 *
 * disk_seen.h - disk files that were in memory as a whole a moment ago.
 *
 * To find out whether a read has to wait for the disk takes more system calls than the read, and
 * programs read small files again and again. So the library keeps the answer for a second, for all
 * threads and all descriptors of the same file. The answer is a guess, as the look itself is: pages
 * may leave memory at any moment. A wrong guess costs a wait for the disk that the scheduler does
 * not notice. The answer never says what kind of file a descriptor has.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_DISK_SEEN_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_DISK_SEEN_H

#include <stdbool.h>
#include <sys/stat.h>

enum disk_seen {
    SEEN_NOT,
    SEEN_WHOLE,
    SEEN_MUTE, /* the same, in a file system without RWF_NOWAIT */
};

enum { SEEN_LARGEST = 1 << 20 }; /* bytes; larger files are not remembered */

enum disk_seen disk_seen(const struct stat *file);
void disk_see(const struct stat *file, enum disk_seen how);

#endif
