/* SPDX-License-Identifier: MIT
 *
 * sigpipe.c - a write to a closed pipe or socket raises SIGPIPE in its worker.
 */
#include <errno.h>
#include <signal.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/current.h"
#include "platform/linux/interrupt/signal_send.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/traps/sigpipe.h"

long raise_sigpipe(struct call *call, long result)
{
    if (result != -EPIPE)
        return result;
    /* The kernel has raised it, too, in the thread that made the call. */
    static const struct timespec no_time;
    uint64_t set = SIGNAL_BIT(SIGPIPE);
    siginfo_t info;
    RAW4(SYS_rt_sigtimedwait, &set, &info, &no_time, 8);
    signal_info_tkill(&info, SIGPIPE);
    info.si_code = SI_USER;
    signal_send(call_worker(call), &info, false);
    return result;
}
