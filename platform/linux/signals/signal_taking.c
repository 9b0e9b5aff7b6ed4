/* SPDX-License-Identifier: MIT
 *
 * signal_taking.c - see signal_taking.h.
 */
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/signal_pending.h"
#include "platform/linux/signals/signal_taking.h"

bool signal_take(struct signal_round *round, siginfo_t *info)
{
    const uint64_t standard = SIGNAL_BIT(SIGNAL_FIRST_QUEUED) - 1;
    if (!round->set || signal_take_pending(round->set, info) <= 0)
        return false;
    if (info->si_signo < SIGNAL_FIRST_QUEUED)
        round->set &= ~SIGNAL_BIT(info->si_signo);
    else if (++round->queued == SIGNAL_QUEUE_ROOM)
        round->set &= standard;
    return true;
}
