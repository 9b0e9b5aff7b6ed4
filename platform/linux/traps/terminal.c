/* SPDX-License-Identifier: MIT
 *
 * terminal.c - see terminal.h.
 */
#include "platform/linux/traps/terminal.h"

#include <asm/termbits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/proc_text.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/traps/open_call.h"
#include "platform/linux/traps/sigpipe.h"

static bool settings_of(int fd, struct termios *settings)
{
    return RAW3(SYS_ioctl, fd, TCGETS, settings) == 0;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Whether the calling process is in a background job of this terminal. */
static bool in_background(int fd)
{
    int foreground = 0, number;
    if (RAW3(SYS_ioctl, fd, TIOCGPGRP, &foreground) != 0 || !foreground)
        return false; /* another session's */
    return foreground != RAW1(SYS_getpgid, 0) &&
           RAW3(SYS_ioctl, fd, TIOCGPTN, &number) != 0; /* the other end of one asks nobody */
}

/* The third word behind the name, which is in brackets. 0: there is no /proc. */
static pid_t parent_of(pid_t process)
{
    char name[40], text[256];
    snprintf(name, sizeof name, "/proc/%d/stat", process);
    proc_text(name, text, sizeof text);
    const char *bracket = strrchr(text, ')');
    return bracket && strlen(bracket) > 4 ? (pid_t)strtol(bracket + 4, NULL, 10) : 0;
}

/* Whether a process that could continue the job, of its session and outside of it, is known: the
 * nearest one of the calling process's ancestors that is not in the job. The kernel asks this of
 * the whole job, whose processes mostly have one parent. */
static bool has_somebody(void)
{
    enum { MOST = 64 };
    long job = RAW1(SYS_getpgid, 0), session = RAW1(SYS_getsid, 0);
    pid_t process = (pid_t)RAW0(SYS_getppid);
    for (int i = 0; i < MOST && process > 0; i++) {
        if (RAW1(SYS_getpgid, process) != job)
            return RAW1(SYS_getsid, process) == session;
        process = parent_of(process);
    }
    return false;
}

static bool takes_signal(struct call *call)
{
    struct kernel_action action;
    return !(*mask_of(call_worker(call)) & SIGNAL_BIT(SIGTTIN)) &&
           signal_action(SIGTTIN, &action) && action.handler != (void *)SIG_IGN;
}

static bool is_cancelled(const struct call *call)
{
    return atomic_load_explicit(&call->cancelled, memory_order_acquire);
}

/* Until the process was stopped and continued, or the call is cancelled: both end this wait of the
 * kernel's, but for one that comes just before it. Where a handler runs elsewhere nothing ends it,
 * and the signal is sent again. */
static void await_signal(struct call *call)
{
    enum { TIMES = 20 };
    static const struct timespec some = {0, 10000000};
    static const uint64_t none;
    for (int i = 0; i < TIMES; i++)
        if (RAW4(SYS_rt_sigtimedwait, &none, 0, &some, sizeof none) == -EINTR ||
            is_cancelled(call) || !in_background((int)call->args[0]))
            return;
}

long terminal_block_read(struct call *call)
{
    bool again = false;
    for (;;) {
        long r = call_as_it_stands(call);
        if (UMS_LIKELY(r != -EIO))
            return r;
        if (!in_background((int)call->args[0])) {
            if (again)
                return r;
            again = true; /* it may have come to the foreground just now */
            continue;
        }
        if (!takes_signal(call) || !has_somebody())
            return r;
        again = false;
        RAW2(SYS_kill, 0, SIGTTIN);
        await_signal(call);
        if (is_cancelled(call))
            return -EINTR;
    }
}

/* ---- Settings -------------------------------------------------------------------------------- */

static bool is_performance_counter(int fd)
{
    uint64_t id;
    return RAW3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &id) == 0;
}

bool device_reads_unready(int fd, long length)
{
    struct termios settings;
    if (!settings_of(fd, &settings))
        return is_performance_counter(fd);
    if (in_background(fd))
        return true;
    if (settings.c_lflag & ICANON)
        return false;
    return !settings.c_cc[VMIN] || (!settings.c_cc[VTIME] && length < settings.c_cc[VMIN]);
}

bool is_terminal(int fd)
{
    struct termios settings;
    return settings_of(fd, &settings);
}

bool tells_room(int fd)
{
    struct stat file;
    return (fd_stat(fd, &file) && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode))) ||
           is_terminal(fd);
}

enum outcome terminal_write(struct call *call, long length, bool room)
{
    if (!room)
        return CALL_WAIT;
    if (call->in_flight || !open_can_be_ended(call) || !open_made(call))
        return CALL_HELPER;
    if (call->result < 0)
        return call_done(call, raise_sigpipe(call, call->result));
    call->progress = call->result;
    return call->progress < length ? CALL_HELPER : call_done(call, call->progress);
}
