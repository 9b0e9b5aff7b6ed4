/* SPDX-License-Identifier: MIT
 *
 * signal_send.c - sending a signal to one worker or scheduler.
 */
#include <errno.h>

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/threads/thread.h"
#include "platform/linux/signals/worker_signals.h"

void signals_tell(struct plat_context *context)
{
    struct plat_thread *thread = context->thread;
    plat_lock(&thread->binding);
    thread_nudge(thread);
    plat_unlock(&thread->binding);
}

int signal_send(struct plat_context *target, const siginfo_t *info, bool tell)
{
    struct kernel_action action;
    uint64_t bit = SIGNAL_BIT(info->si_signo);
    if (bit & SIGNALS_NEVER_BLOCKED)
        return (int)-RAW2(SYS_kill, own_pid(), info->si_signo);
    bool ignored =
        signal_action(info->si_signo, &action) && signal_ignored(info->si_signo, &action);
    struct plat_thread *thread = target->thread;
    int error = 0;
    signals_enter();
    if (!target->signals.link) {
        plat_unlock(&signals_lock);
        return ESRCH;
    }
    struct call *call = &target->call;
    if (call->waits_signal && call->wait_set & bit) {
        bool mine = copy_out((void *)call->args[1], info, call->args[1] ? sizeof *info : 0) == 0;
        mine = signal_wait_decide(call, mine ? info->si_signo : -EFAULT);
        plat_unlock(&signals_lock);
        if (mine)
            call_complete(call, call->result);
        return 0;
    }
    if (!ignored || *mask_of(target) & bit)
        error = signal_queue(target, info, false) ? 0 : EAGAIN;
    tell = tell && signals_due(target);
    if (tell)
        object_hold(&thread->object);
    plat_unlock(&signals_lock);
    if (tell) {
        signals_tell(target);
        object_drop(&thread->object);
    }
    return error;
}
