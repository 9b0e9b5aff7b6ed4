/* SPDX-License-Identifier: MIT
 *
 * close_front.c - fronts of functions that close descriptors, or put a file on a number of the
 * caller's choice. They neither close the library's own descriptors (own_files.h) nor put a file in
 * their place.
 *
 * To the program the library's descriptors are closed: close fails with EBADF, and close_range goes
 * around them. dup2 may want the number of a duplicate that a wait holds (watched.c): the duplicate
 * moves away. The engine uses its other descriptors all the time, so dup2 onto one fails with
 * EBUSY.
 *
 * A call that waits by a number that is closed goes on with its file, as in the kernel. If it does
 * not hold the file yet, lanes_hold makes it do so first.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/known_file.h"
#include "platform/linux/traps/known_stream.h"
#include "platform/platform.h"

static int fails(int error)
{
    errno = error;
    return -1;
}

/* These numbers may be other files' in a moment. Workers that wait for them do so by duplicates
 * from here on, and the calling worker forgets what it knows of their files. */
static void give_away(unsigned first, unsigned last)
{
    struct plat_context *self = plat_tls.current;
    if (self) {
        known_end_forget(self);
        known_files_closed(self, first, last);
    }
    lanes_hold(first, last);
}

/* True: the descriptor is the library's. False: the program may close it. */
static bool is_refused(int fd)
{
    if (file_is_own(fd))
        return true;
    give_away((unsigned)fd, (unsigned)fd);
    return false;
}

int close(int fd)
{
    return UMS_UNLIKELY(is_refused(fd)) ? fails(EBADF) : LIBC(close)(fd);
}

__typeof__(close) __close FRONT_EXPORT;

int __close(int fd)
{
    return UMS_UNLIKELY(is_refused(fd)) ? fails(EBADF) : LIBC(__close)(fd);
}

/* Clears the number `to`, where the library uses it and can give it up. 0, or errno. */
static int make_way(int from, int to)
{
    if (file_is_own(from))
        return EBADF;
    if (from != to)
        give_away((unsigned)to, (unsigned)to);
    if (from == to || !file_is_own(to) || own_file_give_up_spare(to) || lanes_move_duplicate(to))
        return 0;
    plat_log_once(
        "the descriptor %d, which the program puts a file on, is in use by the library: "
        "the call fails with EBUSY. Its descriptors lie above the limit (ulimit -n) if the "
        "hard limit is higher",
        to);
    return EBUSY;
}

int dup2(int from, int to)
{
    int error = make_way(from, to);
    return error ? fails(error) : LIBC(dup2)(from, to);
}

int dup3(int from, int to, int flags)
{
    int error = make_way(from, to);
    return error ? fails(error) : LIBC(dup3)(from, to, flags);
}

enum { UNSHARES = 2 }; /* CLOSE_RANGE_UNSHARE */

/* Whether the call would give the carrier a table of files of its own: no other thread could
 * complete the worker's calls then. */
static bool unshares_carrier(int flags)
{
    if (!(flags & UNSHARES) || !plat_tls.current)
        return false;
    plat_log_once("refused to a worker or scheduler (EPERM): close_range with CLOSE_RANGE_UNSHARE "
                  "would act on the kernel thread that carries it");
    return true;
}

int close_range(unsigned first, unsigned last, int flags)
{
    int own;
    if (unshares_carrier(flags))
        return fails(EPERM);
    give_away(first, last);
    while (first <= last && (own = own_file_from(first)) >= 0 && (unsigned)own <= last) {
        if ((unsigned)own > first && LIBC(close_range)(first, (unsigned)own - 1, flags))
            return -1;
        first = (unsigned)own + 1;
        if (first > last)
            return 0;
    }
    return LIBC(close_range)(first, last, flags);
}

void closefrom(int lowest)
{
    give_away(lowest < 0 ? 0 : (unsigned)lowest, ~0u);
    int own = own_file_from(lowest < 0 ? 0 : (unsigned)lowest);
    for (int saved = errno; own >= 0; own = own_file_from((unsigned)lowest)) {
        for (int fd = lowest < 0 ? 0 : lowest; fd < own; fd++)
            LIBC(close)(fd);
        lowest = own + 1;
        errno = saved;
    }
    LIBC(closefrom)(lowest);
}
