/* SPDX-License-Identifier: MIT
 *
 * signal_pending.c - see signal_pending.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>

#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/os/signal_pending.h"

/* Fills in the fields that this kind of signal has. */
static void restore_info(siginfo_t *info, const struct signalfd_siginfo *from)
{
    memset(info, 0, sizeof *info);
    info->si_signo = (int)from->ssi_signo;
    info->si_errno = from->ssi_errno;
    info->si_code = from->ssi_code;
    if (from->ssi_code == SI_TIMER) {
        info->si_timerid = (int)from->ssi_tid;
        info->si_overrun = (int)from->ssi_overrun;
        info->si_value.sival_ptr = (void *)from->ssi_ptr;
    } else if (from->ssi_signo == SIGPOLL && from->ssi_code > 0) {
        info->si_band = from->ssi_band;
        info->si_fd = from->ssi_fd;
    } else {
        info->si_pid = (pid_t)from->ssi_pid;
        info->si_uid = from->ssi_uid;
        if (from->ssi_signo == SIGCHLD && from->ssi_code > 0) {
            info->si_status = from->ssi_status;
            info->si_utime = (clock_t)from->ssi_utime;
            info->si_stime = (clock_t)from->ssi_stime;
        } else if (from->ssi_code < 0 && from->ssi_code != SI_TKILL) {
            info->si_value.sival_ptr = (void *)from->ssi_ptr;
        }
    }
}

static long take_by_file(uint64_t set, siginfo_t *info, int flags)
{
    struct signalfd_siginfo record;
    int fd = (int)RAW4(SYS_signalfd4, -1, &set, sizeof set, SFD_CLOEXEC | flags);
    if (fd < 0)
        return fd;
    fd = fd_move_high(fd);
    long r = RAW3(SYS_read, fd, &record, sizeof record);
    own_file_close(fd);
    if (r < 0)
        return r;
    restore_info(info, &record);
    return info->si_signo;
}

long signal_await(uint64_t set, siginfo_t *info)
{
    long r = RAW4(SYS_rt_sigtimedwait, &set, info, NULL, sizeof set);
    return call_was_refused(r) ? take_by_file(set, info, 0) : r;
}

long signal_take_pending(uint64_t set, siginfo_t *info)
{
    static const struct timespec no_time;
    long r = RAW4(SYS_rt_sigtimedwait, &set, info, &no_time, sizeof set);
    return call_was_refused(r) ? take_by_file(set, info, SFD_NONBLOCK) : r;
}
