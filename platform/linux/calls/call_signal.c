/* SPDX-License-Identifier: MIT
 *
 * call_signal.c - what a signal does to a call that waits: signal(7).
 */
#include <sys/socket.h>
#include <sys/syscall.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/signals/worker_signals.h"

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

bool call_interruptible(const struct call *call)
{
    switch (call->entry->nr) {
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
        return !fd_is_disk_file((int)call->args[0]);
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync:
    case SYS_syncfs:
    case SYS_sync_file_range:
    case SYS_msync:
    case SYS_copy_file_range:
    case -1: /* home_function_call */
        return false;
    default:
        return true;
    }
}

bool call_restarts(const struct call *call)
{
    struct call limit = {.deadline = PLAT_FOREVER};
    switch (call->entry->nr) {
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
    case SYS_semtimedop:
        return false;
    case SYS_futex:
    case SYS_futex_waitv:
        return call->deadline == PLAT_FOREVER;
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_read:
    case SYS_readv:
    case SYS_accept:
    case SYS_accept4:
        deadline_of_socket(&limit, (int)call->args[0], SO_RCVTIMEO);
        return limit.deadline == PLAT_FOREVER;
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_connect:
        deadline_of_socket(&limit, (int)call->args[0], SO_SNDTIMEO);
        return limit.deadline == PLAT_FOREVER;
    default:
        return true;
    }
}
