/* SPDX-License-Identifier: MIT
 *
 * wake_file.c - see wake_file.h.
 */
#include "platform/linux/os/wake_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"

_Static_assert(EFD_NONBLOCK == O_NONBLOCK && EFD_CLOEXEC == O_CLOEXEC, "one set of flags");

static long open_pipe(int flags)
{
    int ends[2];
    char path[32];
    long made = RAW2(SYS_pipe2, ends, O_CLOEXEC);
    if (made < 0)
        return made;
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    long both = RAW4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | flags, 0);
    RAW1(SYS_close, ends[0]);
    RAW1(SYS_close, ends[1]);
    return both;
}

int wake_file_open(int flags)
{
    long file = RAW2(SYS_eventfd2, 0, EFD_CLOEXEC | flags);
    if (call_was_refused(file))
        file = open_pipe(flags);
    return file < 0 ? (int)file : fd_move_high((int)file);
}
