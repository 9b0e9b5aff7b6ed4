/* SPDX-License-Identifier: MIT
 *
 * lane_told.c - see lane_told.h.
 */
#include <errno.h>
#include <string.h>

#include "platform/check.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/lane_told.h"
#include "platform/platform.h"

void lane_tell_less(int error)
{
    const char *what = strerror(-error);
    if (engine_caps.emulated)
        what = "valgrind makes the program's system calls, and has neither seccomp nor io_uring";
    else if (error == -ECHILD)
        what = "a sandbox refuses clone";
    else if (error == -ENOTTY)
        what = "a sandbox refuses the ioctl calls by which notifications are answered";
    else if (error == -ENOMSG)
        what = "a sandbox refuses rt_tgsigqueueinfo, by which notified calls come to their threads";
    else if (error == -EBUSY)
        what = "a seccomp listener, a sandbox's, is already installed";
    else if (error == -EACCES || error == -EPERM)
        what = "this process may not install a seccomp filter";
    else if (error == -EINVAL || error == -ENOSYS)
        what =
            "the system lacks seccomp user notification (Linux 5.9 and later have it, gVisor has "
            "not)";
    else if (error == -EAGAIN)
        what = kthread_failure(EAGAIN);
    plat_log_once(
        "blocking system calls cannot be detected: %s; going on without: a worker that blocks "
        "in one keeps its scheduler, unless it waits in one of libc's functions for I/O, sleep, "
        "mutexes or conditions (UMSSHIM_DETECT=0 says so on purpose)",
        what);
}

void lane_tell_none(int error)
{
    const char *what = error == EMFILE ? "the limit on descriptors is reached; raise it (ulimit -n)"
                                       : kthread_failure(error);
    plat_log(
        "blocking calls cannot be detected: %s; going on without: a worker that blocks keeps its "
        "scheduler, unless it waits in the Windows API",
        what);
}

void lane_found(const struct lane *lane)
{
    caps_found(!lane->hosting.hosts ? "seen in libc's functions only"
               : lane->listener < 0 ? "seen by traps"
                                    : "seen",
               lane->have_ring);
}
