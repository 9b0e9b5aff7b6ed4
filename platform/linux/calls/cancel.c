/* SPDX-License-Identifier: MIT
 *
 * cancel.c - ends the wait of a worker in a system call, where the worker is to end or to run a
 * handler.
 *
 * The part of the library that sees the call through (timer, table, poller, ring, helper) lets go
 * of it in its own way. It completes the call with EINTR, or with what the call has done so far. A
 * helper is interrupted by a signal.
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
        /* A page fault cannot be called off: the page comes. A carrier in a lent call gets the stop
         * signal, and the call ends where the kernel lets a signal end it (interrupt/fault.h). */
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
        /* The call may be on its way to the poller or into the ring, where this thread does not
         * find it yet. So the caller asks again at each nudge. */
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
