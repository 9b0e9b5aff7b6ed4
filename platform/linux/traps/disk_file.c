/* SPDX-License-Identifier: MIT
 *
 * disk_file.c - see disk_file.h.
 *
 * A look at the pages in memory is a guess about the read that follows: pages come and go. A wrong
 * guess costs a wait that the scheduler does not notice, or a helper's turn. The read itself is
 * always one whole call of the kernel's.
 */
#include "platform/linux/traps/disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/major.h>
#include <sys/sysmacros.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/known_stream.h"

enum { PAGE = 4096 };

/* The number of cachestat, which the oldest headers lack. */
enum { CACHESTAT = 451 };
struct cached {
    uint64_t pages, dirty, written_back, evicted, recently;
};

static bool is_small(const struct stat *file)
{
    return S_ISREG(file->st_mode) && file->st_size > 0 && file->st_size <= SEEN_LARGEST;
}

/* False: it is no disk file. A disk file has a position. A regular file of the kernel's may lack
 * one, and is read as a stream. */
static bool disk_place_of(int fd, struct disk_place *place)
{
    place->fd = fd;
    place->seen = SEEN_NOT;
    if (!fd_stat(fd, &place->file)) {
        place->file.st_mode = 0;
        return false;
    }
    if (!mode_is_disk_file(place->file.st_mode))
        return false;
    if (is_small(&place->file))
        place->seen = disk_seen(disk_name(&place->file));
    if (place->seen)
        return true;
    place->position = RAW3(SYS_lseek, fd, 0, SEEK_CUR);
    return place->position >= 0;
}

bool has_disk_place(struct call *call, struct disk_place *place)
{
    bool disk = disk_place_of((int)call->args[0], place);
    int number = stream_number(call) + 1;
    mode_t mode = place->file.st_mode;
    /* For an event counter and its like fstat gives a mode without a kind. */
    bool counts = mode && !(mode & S_IFMT);
    *stream_place(call) = disk             ? 0
                          : S_ISSOCK(mode) ? -number
                          : counts         ? number | STREAM_COUNTS
                                           : number;
    return disk;
}

static long read_there(const struct disk_place *place, const struct iovec *iov, long count,
                       long position)
{
    return RAW6(SYS_preadv2, place->fd, iov, count, position, 0, RWF_NOWAIT);
}

/* cachestat counts a page that is on its way from the disk as cached. The last page comes last, so
 * this function reads the last byte. */
static bool seems_cached(const struct disk_place *place, long length)
{
    uint64_t range[2] = {(uint64_t)place->position, (uint64_t)length};
    long first = place->position / PAGE, last = (place->position + length - 1) / PAGE;
    struct cached cached;
    char byte;
    struct iovec one = {&byte, 1};
    if (first != last && (RAW4(CACHESTAT, place->fd, range, &cached, 0) != 0 ||
                          cached.pages <= (uint64_t)(last - first)))
        return false;
    return read_there(place, &one, 1, place->position + length - 1) == 1;
}

/* Asks whether a small file is in memory as a whole, and remembers that. */
static bool see(struct disk_place *place)
{
    uint64_t range[2] = {0, (uint64_t)place->file.st_size};
    struct cached cached;
    char byte;
    struct iovec one = {&byte, 1};
    if (!is_small(&place->file) || RAW4(CACHESTAT, place->fd, range, &cached, 0) != 0 ||
        cached.pages < (range[1] + PAGE - 1) / PAGE)
        return false;
    long r = read_there(place, &one, 1, place->file.st_size - 1);
    if (r != 1 && r != -EOPNOTSUPP)
        return false;
    place->seen = r == 1 ? SEEN_WHOLE : SEEN_MUTE;
    disk_see(disk_name(&place->file), place->seen);
    return true;
}

bool disk_has(struct disk_place *place, const struct iovec *iov, long count, long length)
{
    if (place->seen)
        return true;
    if (S_ISREG(place->file.st_mode)) {
        /* A read behind the end needs no disk. /proc's files have the size 0, so all of them is
         * behind it. */
        if (length > place->file.st_size - place->position)
            length = place->file.st_size - place->position;
    }
    if (length <= 0 || S_ISDIR(place->file.st_mode) || see(place) || seems_cached(place, length))
        return true;
    if (RAW3(SYS_fcntl, place->fd, F_GETFL, 0) & O_DIRECT)
        return false; /* with O_DIRECT even RWF_NOWAIT waits */
    long r = read_there(place, iov, count, place->position);
    return r >= length || (r < 0 && r != -EAGAIN);
}

bool disk_goes_on(int fd, long position)
{
    struct disk_place place = {.fd = fd};
    char byte;
    struct iovec one = {&byte, 1};
    if (!fd_stat(fd, &place.file) || !mode_is_disk_file(place.file.st_mode))
        return false;
    return S_ISREG(place.file.st_mode) ? position < place.file.st_size
                                       : read_there(&place, &one, 1, position) != 0;
}

bool device_gave_way(int fd, long got)
{
    struct stat file;
    return got % PAGE == 0 && fd_stat(fd, &file) && S_ISCHR(file.st_mode) &&
           major(file.st_rdev) == MEM_MAJOR;
}

enum outcome disk_waits(const struct call *call)
{
    return call->lane->have_ring ? CALL_ARM : CALL_HELPER;
}
