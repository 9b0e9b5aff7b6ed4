/* SPDX-License-Identifier: MIT
 *
 * disk_file.h - whether a read of a disk file has to wait for the disk.
 *
 * A disk file is a regular file, a directory or a block device. A read of such a file waits for a
 * disk, and no signal ends that wait. Any thread may call these functions.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_DISK_FILE_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_DISK_FILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/disk_seen.h"

struct call;

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

/* An open disk file and its position. */
struct disk_place {
    int fd;
    long position; /* not set if `seen` */
    enum disk_seen seen;
    struct stat file;
};
/* Whether `length` bytes from the position on are in memory. True as well if that cannot be known.
 * The function may read into the vector to find out. It remembers a file that is in memory as a
 * whole. */
bool disk_has(struct disk_place *place, const struct iovec *iov, long count, long length);
/* Whether the file is a disk file that has data at this position. */
bool disk_goes_on(int fd, long position);
/* Whether the read stopped after `got` bytes only because it was asked not to wait. /dev/zero and
 * its like then end a read between two pages if another thread is to have the processor. The caller
 * can make the call again as it stands: that loses nothing and waits for no other party. */
bool device_gave_way(int fd, long got);
/* The way of a read that names its position and has to wait for the disk: to the ring, or to a
 * helper. */
enum outcome disk_waits(const struct call *call);

#endif
