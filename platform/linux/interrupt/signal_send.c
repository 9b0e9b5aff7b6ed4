/* SPDX-License-Identifier: MIT
 *
 * signal_send.c - sending a signal to one worker or scheduler.
 */
#include <errno.h>

#include "platform/check.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/signal_wait.h"
#include "platform/linux/dispatch/object.h"
#include "platform/linux/interrupt/signal_send.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/platform.h"

void signals_tell(struct plat_context *context)
{
    struct plat_thread *thread = context->thread;
    plat_lock(&thread->binding);
    thread_nudge(thread);
    plat_unlock(&thread->binding);
}

/* Whether the worker's home calls a function of libc for it (traps/errand.c), which cannot be
 * interrupted. */
static bool waits_in_function(const struct plat_context *target)
{
    const struct call_row *entry = target->call.entry;
    return target->call.in_flight && entry && entry->nr < 0;
}

static void tell_of_function(void)
{
    plat_log_once("a worker that waits in a lock, a condition, a semaphore or pthread_join handles "
                  "a signal when that returns, for calls are not detected; a run time that stops "
                  "threads by signals may wait for ever (docs/differences.md, Signals)");
}

int signal_send_home(struct plat_context *target, const siginfo_t *info)
{
    struct kernel_action action;
    struct plat_signals *own = &target->signals;
    pid_t pid = own_pid(), tid = target->tid;
    int number = info->si_signo;
    long r = -ENOSYS;
    if (info->si_code == SI_QUEUE)
        r = RAW4(SYS_rt_tgsigqueueinfo, pid, tid, number, info);
    if (call_was_refused(r))
        r = RAW3(SYS_tgkill, pid, tid, number);
    own->sent_home |= SIGNAL_BIT(number);
    if (target->call.interrupted && signal_action(number, &action))
        own->ran = action.flags & SA_RESTART ? own->ran | RAN_RESTARTS : RAN;
    return (int)-r;
}

int signal_send(struct plat_context *target, const siginfo_t *info, bool tell)
{
    struct kernel_action action = {.handler = (void *)SIG_DFL};
    uint64_t bit = SIGNAL_BIT(info->si_signo);
    if (bit & SIGNALS_NEVER_BLOCKED)
        return (int)-RAW2(SYS_kill, own_pid(), info->si_signo);
    bool ignored =
        signal_action(info->si_signo, &action) && signal_ignored(info->si_signo, &action);
    struct plat_thread *thread = target->thread;
    int error = 0;
    signals_enter();
    if (!atomic_load_explicit(&target->signals.listed, memory_order_relaxed)) {
        plat_unlock(&signals_lock);
        return ESRCH;
    }
    if (UMS_UNLIKELY(target->signals.at_home)) {
        error = signal_send_home(target, info);
        plat_unlock(&signals_lock);
        return error;
    }
    struct call *call = &target->call;
    if (call->signal.waits && call->signal.set & bit) {
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
    bool late = tell && info->si_signo != SIGNAL_CANCEL && action.handler != (void *)SIG_DFL &&
                waits_in_function(target);
    if (tell)
        object_hold(&thread->object);
    plat_unlock(&signals_lock);
    if (UMS_UNLIKELY(late))
        tell_of_function();
    if (tell) {
        signals_tell(target);
        object_drop(&thread->object);
    }
    return error;
}
