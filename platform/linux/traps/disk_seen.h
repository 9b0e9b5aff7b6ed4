/* SPDX-License-Identifier: MIT
 *
 * disk_seen.h - disk files that were in memory as a whole a moment ago.
 *
 * To find out whether a read has to wait for the disk takes more system calls than the read, and
 * programs read small files again and again. So the library keeps the answer for a second, for all
 * threads and all descriptors of the same file. The answer is a guess, as the look itself is: pages
 * may leave memory at any moment. A wrong guess costs a wait for the disk that the scheduler does
 * not notice. The answer never says what kind of file a descriptor has.
 *
 * A file has a name here, a number of 64 bits. One name comes from the file's device, number and
 * size, another from the path that a worker opened it by (known_file.h).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_DISK_SEEN_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_DISK_SEEN_H

#include <stdint.h>
#include <sys/stat.h>

enum disk_seen {
    SEEN_NOT,
    SEEN_WHOLE,
    SEEN_MUTE, /* the same, in a file system without RWF_NOWAIT */
};

enum { SEEN_LARGEST = 1 << 20 }; /* bytes; larger files are not remembered */

static inline uint64_t disk_name_mixed(uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}
uint64_t disk_name(const struct stat *file);
enum disk_seen disk_seen(uint64_t name);
void disk_see(uint64_t name, enum disk_seen how);
/* Remembers for `name` what is remembered for `other`, and no longer. */
void disk_see_alike(uint64_t name, uint64_t other);
void disk_see_no_more(uint64_t name);

#endif
