/* SPDX-License-Identifier: MIT
 *
 * own_files.c - see own_files.h.
 */
#include "platform/linux/os/own_files.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>

#include "platform/linux/engine.h"
#include "platform/linux/os/raw.h"

enum { ROOM = 64, LARGE_LIMIT = 4096 };

_Atomic uint64_t own_files[OWN_FILES / 64];
static PLAT_LOCK(LIMIT) limit_lock; /* the limit of the process, while it is raised */

void own_file_note(int fd)
{
    if ((unsigned)fd < OWN_FILES)
        atomic_fetch_or_explicit(&own_files[fd / 64], UINT64_C(1) << fd % 64, memory_order_relaxed);
}

int own_file_from(unsigned fd)
{
    for (; fd < OWN_FILES; fd++) {
        uint64_t rest = atomic_load_explicit(&own_files[fd / 64], memory_order_relaxed) >> fd % 64;
        if (rest)
            return (int)fd + __builtin_ctzll(rest);
        fd |= 63;
    }
    return -1;
}

/* Before it is closed: the next moment the number may be the program's. */
void own_file_close(long fd)
{
    if ((unsigned long)fd < OWN_FILES)
        atomic_fetch_and_explicit(&own_files[fd / 64], ~(UINT64_C(1) << fd % 64),
                                  memory_order_relaxed);
    RAW1(SYS_close, fd);
}

static long duplicate_from(int fd, rlim_t number)
{
    return RAW3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, number);
}

/* -1: the limit cannot be raised, or is so high that the kernel's table would be large. */
static long duplicate_above(int fd, const struct rlimit *limit)
{
    rlim_t top = limit->rlim_cur + ROOM;
    struct rlimit raised = {top, limit->rlim_max < top ? top : limit->rlim_max};
    if (limit->rlim_cur > LARGE_LIMIT || RAW4(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, 0))
        return -1;
    long high = duplicate_from(fd, limit->rlim_cur);
    RAW4(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, 0);
    return high;
}

int fd_move_high(int fd)
{
    if (fd < 0)
        return fd;
    struct rlimit limit = {1024, 1024};
    plat_lock(&limit_lock);
    RAW4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit);
    long high = duplicate_above(fd, &limit);
    plat_unlock(&limit_lock);
    if (high < 0) {
        rlim_t top = limit.rlim_cur < LARGE_LIMIT ? limit.rlim_cur : LARGE_LIMIT;
        /* Not at the end, where programs look for room as well. */
        high = duplicate_from(fd, top > 2 * ROOM ? top - top / 4 - ROOM : top / 2);
    }
    if (high >= 0)
        RAW1(SYS_close, fd);
    else
        high = fd; /* none left */
    own_file_note((int)high);
    return (int)high;
}

void own_files_room(void)
{
    if (__libc_single_threaded)
        own_file_close(fd_move_high((int)RAW2(SYS_eventfd2, 0, EFD_CLOEXEC)));
}
