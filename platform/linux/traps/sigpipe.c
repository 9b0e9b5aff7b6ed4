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
#include "platform/linux/os/signal_pending.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/traps/sigpipe.h"

long raise_sigpipe(struct call *call, long result)
{
    if (result != -EPIPE)
        return result;
    /* The kernel has raised SIGPIPE, too, in the thread that made the call. This function takes
     * that one back. */
    siginfo_t info;
    signal_take_pending(SIGNAL_BIT(SIGPIPE), &info);
    signal_info_tkill(&info, SIGPIPE);
    info.si_code = SI_USER;
    signal_send(call_worker(call), &info, false);
    return result;
}
