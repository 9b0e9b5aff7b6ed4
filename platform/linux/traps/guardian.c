/* SPDX-License-Identifier: MIT
 *
 * guardian.c - answers for children that outlive us.
 *
 * A process forked from inside the filter keeps it, and so does the program that a worker turns this
 * one into with exec. When the last copy of a listener goes, every trapped call of such a process fails
 * with ENOSYS. So before the first such fork or exec a small process is made that holds the listener.
 * It sleeps until we are gone, then waves everything through until the last filtered process has
 * ended. It is no child that wait() would find: it has no exit signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

#include "platform/linux/engine.h"
#include "platform/linux/os/raw.h"

enum { PARENT_GONE = SIGUSR1 };

static void close_all_but(int keep)
{
    if (keep > 0)
        RAW3(SYS_close_range, 0, keep - 1, 0);
    RAW3(SYS_close_range, keep + 1, ~0u, 0);
}

static _Noreturn void guard(int listener, long parent, int armed)
{
    sigset_t all, gone;
    sigfillset(&all);
    sigemptyset(&gone);
    sigaddset(&gone, PARENT_GONE);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, 8);
    RAW0(SYS_setsid);
    RAW1(SYS_chdir, "/");
    RAW5(SYS_prctl, PR_SET_NAME, "umsshim-guard", 0, 0, 0);
    RAW5(SYS_prctl, PR_SET_PDEATHSIG, PARENT_GONE, 0, 0, 0);
    RAW3(SYS_write, armed, "", 1);
    close_all_but(listener);
    /* The signal means that the reactor has ended: the process with it, or it has become another
     * program by exec, under the same id. */
    if (RAW0(SYS_getppid) == parent)
        while (RAW4(SYS_rt_sigtimedwait, &gone, 0, 0, 8) != PARENT_GONE)
            ;
    for (;;) {
        struct pollfd fd = {listener, POLLIN, 0};
        RAW5(SYS_ppoll, &fd, 1, 0, 0, 8);
        struct notification n;
        if (fd.revents & POLLIN && notify_receive(listener, &n) == 0)
            notify_continue(listener, n.id);
        else if (fd.revents & (POLLHUP | POLLERR))
            RAW1(SYS_exit_group, 0);
    }
}

void guardian_ensure(struct lane *lane)
{
    if (lane->guarded)
        return;
    lane->guarded = true;
    long parent = RAW0(SYS_getpid);
    int armed[2] = {-1, -1};
    RAW2(SYS_pipe2, armed, O_CLOEXEC);
    long r = RAW5(SYS_clone, 0, 0, 0, 0, 0);
    if (r == 0)
        guard(lane->listener, parent, armed[1]);
    /* The call that we were asked for may be an exec, which ends this thread: not before the guardian is
     * told of that. */
    RAW1(SYS_close, armed[1]);
    char byte;
    if (r > 0)
        while (RAW3(SYS_read, armed[0], &byte, 1) == -EINTR)
            ;
    RAW1(SYS_close, armed[0]);
    if (r < 0)
        plat_log("no process to answer for children that outlive this one (error %ld): their "
                 "blocking calls would fail after we end",
                 -r);
}
