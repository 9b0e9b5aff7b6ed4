/* SPDX-License-Identifier: MIT
 *
 * disk_file.h - reads of disk files: whether one has to wait for the disk.
 *
 * A disk file is a regular file, a directory or a block device: what a read of one waits for is a
 * disk, and no signal ends it. Any thread.
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

/* Where an open disk file stands. */
struct disk_place {
    int fd;
    long position; /* not asked for where the file was seen */
    enum disk_seen seen;
    struct stat file;
};

/* False: it is no disk file. One has a position, which a regular file of the kernel's may lack:
 * that is read as a stream. */
bool disk_place_of(int fd, struct disk_place *place);
/* Whether so many bytes from there on are in memory, or will never be known to be: then a read
 * does not wait for the disk, as far as anybody can tell. The vector is where they are to go,
 * and may be written to. A file that is seen to be in memory as a whole is remembered. */
bool disk_has(struct disk_place *place, const struct iovec *iov, long count, long length);
/* Whether the file is a disk file that has something at this position. */
bool disk_goes_on(int fd, long position);
/* Whether the read stopped after so many bytes only for having been asked not to wait: /dev/zero
 * and its like end it between two pages then, where another thread is to have the processor. The
 * call can be made as it stands; it loses nothing, and waits for nobody. */
bool device_gave_way(int fd, long got);
/* What becomes of a read that names its position, and has to wait for the disk. */
enum outcome disk_waits(const struct call *call);

#endif
