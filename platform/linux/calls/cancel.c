/* SPDX-License-Identifier: MIT
 *
 * cancel.c - letting go a worker that waits in a system call and is to be ended, or to run a
 * handler.
 *
 * The part that sees the call through lets go of it in its own way and completes it with EINTR, or
 * with what it has done so far. A helper is interrupted by a signal.
 */
#include <errno.h>

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/cancel.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/signal_wait.h"
#include "platform/linux/current.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/lane.h"

void call_cancel(struct call *call)
{
    struct lane *lane = call->lane;
    bool sleeper_does = false;
    if (!call->in_flight)
        return;
    if (call->how == CALL_FAULT) {
        /* A page comes, and cannot be called off. A lent call ends as the kernel lets it
         * (interrupt/fault.h). */
        struct carrier *carrier = __atomic_load_n(&call_worker(call)->kernel_at, __ATOMIC_RELAXED);
        if (call->args[1] >= 0 && carrier)
            RAW3(SYS_tgkill, own_pid(), carrier->tid, stop_signal);
        return;
    }
    if (call->how == CALL_TIMER) {
        if (timer_cancel(&call->timer))
            call_interrupt(call);
    } else if (call->how == CALL_SIGNAL) {
        signal_wait_cancel(call);
    } else if (futex_table_cancel(call) || poller_cancel(lane, call, &sleeper_does)) {
        call_interrupt(call);
    } else if (!sleeper_does) {
        /* Asked again at each nudge: the call may be on its way to the poller or into the ring,
         * where a thread that looks now would not find it. */
        uint64_t one = 1;
        atomic_store_explicit(&call->cancelled, true, memory_order_release);
        if (helper_cancel(call)) {
            call_interrupt(call);
            return;
        }
        RAW3(SYS_write, lane->cancel_fd, &one, sizeof one);
        lane_cancel(lane, call);
    }
}
