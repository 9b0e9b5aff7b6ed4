/* SPDX-License-Identifier: MIT
 *
 * signal_wait.c - calls that wait for a signal.
 *
 * A wait for a signal has no file and no thread behind it, only the call's record. The thread that
 * clears `signal.waits` under signals_lock completes the call. If the time-out is firing already,
 * the timer thread still looks at the record, so the completion is left to it (`signal.handed`).
 */
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "platform/container_of.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/signal_wait.h"
#include "platform/linux/current.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/platform.h"

/* ---- Waits for signals ----------------------------------------------------------------------- */

static enum outcome attempt_signal(struct call *call)
{
    call->signal.set = 0;
    return CALL_SIGNAL;
}

const struct call_ops ops_signal = {.attempt = attempt_signal};

/* Arguments: 0 the set, 1 where the information goes, 2 the time-out, 3 the set's size. */
static enum outcome attempt_sigtimedwait(struct call *call)
{
    static const struct timespec no_time;
    struct plat_context *worker = call_worker(call);
    long *a = call->args;
    siginfo_t info;
    if (a[3] != 8)
        return call_done(call, -EINVAL);
    if (copy_in(&call->signal.set, (void *)a[0], 8))
        return call_done(call, -EFAULT);
    call->signal.set &= ~SIGNALS_UNTOUCHED;
    int error = deadline_after(call, (void *)a[2]);
    if (error)
        return call_done(call, error);
    signals_enter();
    bool found = signal_dequeue(worker, call->signal.set, &info, NULL);
    plat_unlock(&signals_lock);
    long r =
        found ? info.si_signo : RAW4(SYS_rt_sigtimedwait, &call->signal.set, &info, &no_time, 8);
    if (r > 0 && a[1] && copy_out((void *)a[1], &info, sizeof info))
        return call_done(call, -EFAULT);
    if (r != -EAGAIN)
        return call_done(call, r);
    return call->deadline <= plat_now() ? call_done(call, -EAGAIN) : CALL_SIGNAL;
}

const struct call_ops ops_sigtimedwait = {.attempt = attempt_sigtimedwait};

static void time_over(struct plat_timer *timer)
{
    struct call *call = CONTAINER_OF(timer, struct call, timer);
    signals_enter();
    bool handed = call->signal.handed, mine = handed || call->signal.waits;
    long result = handed ? call->result : -EAGAIN;
    if (call->signal.waits)
        waiting_change(call->signal.set, -1);
    call->signal.handed = call->signal.waits = false;
    plat_unlock(&signals_lock);
    if (mine)
        call_complete(call, result);
}

void signal_wait_start(struct call *call)
{
    struct plat_context *worker = call_worker(call);
    siginfo_t info;
    bool mine = false;
    signals_enter();
    call->signal.handed = false;
    call->signal.waits = true;
    waiting_change(call->signal.set, 1);
    if (call->deadline != PLAT_FOREVER) {
        call->timer.deadline = call->deadline;
        call->timer.fire = time_over;
        timer_add_in(call->lane, &call->timer);
    }
    /* A signal may have come between the attempt and now. */
    if (signal_dequeue(worker, call->signal.set, &info, NULL)) {
        int error = call->args[1] ? copy_out((void *)call->args[1], &info, sizeof info) : 0;
        mine = signal_wait_decide(call, error ? error : info.si_signo);
    } else if (signals_due(worker)) {
        call->interrupted = true;
        mine = signal_wait_decide(call, -EINTR);
    }
    bool grown = signals_wanted() & ~signals_active;
    plat_unlock(&signals_lock);
    if (mine)
        call_complete(call, call->result);
    if (grown)
        signals_poke();
}

bool signal_wait_decide(struct call *call, long result)
{
    if (!call->signal.waits)
        return false;
    call->signal.waits = false;
    waiting_change(call->signal.set, -1);
    call->result = result;
    call->signal.handed = call->deadline != PLAT_FOREVER && !timer_cancel(&call->timer);
    return !call->signal.handed;
}

bool signal_wait_cancel(struct call *call)
{
    signals_enter();
    if (call->signal.waits)
        call->interrupted = true;
    bool mine = signal_wait_decide(call, -EINTR);
    plat_unlock(&signals_lock);
    if (mine)
        call_complete(call, call->result);
    return mine;
}
