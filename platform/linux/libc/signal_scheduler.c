/* SPDX-License-Identifier: MIT
 *
 * signal_scheduler.c - see signal_scheduler.h.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#pragma GCC visibility pop

#include "platform/linux/libc/signal_scheduler.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/platform.h"

static bool has_handler(int number)
{
    struct kernel_action action;
    return signal_action(number, &action) && action.handler != (void *)SIG_DFL &&
           action.handler != (void *)SIG_IGN;
}

static int refuse(void)
{
    plat_log_once("refused to a worker (ENOTSUP): a signal for the scheduler that executes it, for "
                  "no thread could run the handler as that scheduler meanwhile; leave schedulers "
                  "unregistered with a run time that stops threads by signals "
                  "(docs/differences.md, Signals)");
    return ENOTSUP;
}

static void tell(void)
{
    plat_log_once("a signal sent to a scheduler's thread may be handled by any thread that has it "
                  "open, for a scheduler that executes a worker runs no handler; leave schedulers "
                  "unregistered with a run time that stops threads by signals "
                  "(docs/differences.md, Signals)");
}

bool scheduler_handles(const struct plat_context *scheduler, int number)
{
    return scheduler->runs.hosted && has_handler(number);
}

bool signal_to_scheduler(const struct plat_context *scheduler, const siginfo_t *info, int *error)
{
    const struct plat_context *self = plat_tls.current;
    int number = info->si_signo;
    if (has_handler(number)) {
        if (self && self->scheduler == scheduler) {
            *error = refuse();
            return true;
        }
        tell();
    }
    if (!scheduler->runs.hosted)
        return false;
    long r = -ENOSYS;
    if (info->si_code == SI_QUEUE)
        r = RAW3(SYS_rt_sigqueueinfo, own_pid(), number, info);
    if (call_was_refused(r))
        r = RAW2(SYS_kill, own_pid(), number);
    *error = (int)-r;
    return true;
}
