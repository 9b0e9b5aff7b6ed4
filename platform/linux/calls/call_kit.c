/* SPDX-License-Identifier: MIT
 *
 * call_kit.c - see call_kit.h.
 */
#include "platform/linux/calls/call_kit.h"
#include "platform/check.h"
#include "platform/linux/os/front_behind.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "platform/linux/os/copy.h"
#include "platform/linux/os/proc_text.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/platform.h"

long call_as_it_stands(const struct call *call)
{
    const long *a = call->args;
    return raw_syscall(call->entry->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long call_block(struct call *call)
{
    return call->entry->ops->block ? call->entry->ops->block(call) : call_as_it_stands(call);
}

/* For sandboxes that refuse fcntl. The second line of the file is "flags:" and an octal number. 0:
 * it does not say. */
static long flags_in_proc(int fd)
{
    char name[40], text[256];
    snprintf(name, sizeof name, "/proc/self/fdinfo/%d", fd);
    proc_text(name, text, sizeof text);
    const char *flags = strstr(text, "flags:");
    return flags ? strtol(flags + 6, NULL, 8) : 0;
}

static bool fd_may_wait(int fd)
{
    long flags = RAW3(SYS_fcntl, fd, F_GETFL, 0);
    if (UMS_UNLIKELY(call_was_refused(flags)))
        flags = flags_in_proc(fd);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

bool call_may_wait(const struct call *call)
{
    return call->in_flight || fd_may_wait((int)call->args[0]);
}

bool fd_stat(int fd, struct stat *file)
{
    long r = RAW2(SYS_fstat, fd, file);
    if (UMS_UNLIKELY(call_was_refused(r)))
        r = RAW4(SYS_newfstatat, fd, "", file, AT_EMPTY_PATH);
    return r == 0;
}

bool fd_is_disk_file(int fd)
{
    struct stat st;
    return fd_stat(fd, &st) && mode_is_disk_file(st.st_mode);
}

static int read_timespec(const void *timespec, struct timespec *ts)
{
    if (copy_in(ts, timespec, sizeof *ts))
        return -EFAULT;
    if (ts->tv_sec < 0 || ts->tv_nsec < 0 || ts->tv_nsec > 999999999)
        return -EINVAL;
    return 0;
}

static uint64_t nanoseconds(const struct timespec *ts)
{
    if ((uint64_t)ts->tv_sec > UINT64_MAX / 4 / 1000000000u)
        return UINT64_MAX / 4;
    return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
}

int deadline_after(struct call *call, const void *timespec)
{
    struct timespec ts;
    if (!timespec || call->deadline != PLAT_FOREVER)
        return 0;
    int error = read_timespec(timespec, &ts);
    if (!error)
        call->deadline = plat_now() + nanoseconds(&ts);
    return error;
}

int deadline_at(struct call *call, const void *timespec, bool realtime)
{
    struct timespec ts;
    call->deadline = PLAT_FOREVER;
    call->realtime = realtime;
    if (!timespec)
        return 0;
    int error = read_timespec(timespec, &ts);
    if (!error)
        call->deadline = nanoseconds(&ts);
    return error;
}

uint64_t deadline_left(const struct call *call)
{
    struct timespec ts;
    uint64_t now = 0;
    if (!call->realtime)
        now = plat_now();
    else if (LIBC(clock_gettime)(CLOCK_REALTIME, &ts) == 0)
        now = nanoseconds(&ts);
    return call->deadline > now ? call->deadline - now : 0;
}

struct timespec deadline_rest(const struct call *call)
{
    uint64_t left = deadline_left(call);
    return (struct timespec){(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
}

void deadline_in_ms(struct call *call, long ms)
{
    if (ms >= 0 && call->deadline == PLAT_FOREVER)
        call->deadline = plat_now() + (uint64_t)ms * 1000000u;
}

void deadline_of_socket(struct call *call, int fd, int option)
{
    struct timeval tv;
    socklen_t length = sizeof tv;
    if (RAW5(SYS_getsockopt, fd, SOL_SOCKET, option, &tv, &length) == 0 &&
        (tv.tv_sec || tv.tv_usec))
        call->deadline =
            plat_now() + (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
}

void deadline_of_wait(struct call *call, int fd)
{
    deadline_of_socket(call, fd,
                       call->entry->ops->readiness == EPOLLIN ? SO_RCVTIMEO : SO_SNDTIMEO);
}
