/* SPDX-License-Identifier: MIT
 *
 * cancel.c - letting go a worker that waits in a system call and is to be ended.
 *
 * Whoever sees the call through lets go of it in its own way and completes it with EINTR; nobody will
 * look at the result. Only a helper cannot be called back: its worker ends when the call returns.
 */
#include <errno.h>

#include "platform/linux/calls.h"
#include "platform/linux/engine.h"
#include "platform/linux/raw.h"

void call_cancel(struct call *call)
{
    struct lane *lane = call->lane;
    if (!call->in_flight)
        return;
    if (call->how == CALL_TIMER) {
        if (timer_cancel(&call->timer))
            call_complete(call, -EINTR);
    } else if (call->how == CALL_SIGNAL) {
        if (service_cancel(call))
            call_complete(call, -EINTR);
    } else if (poller_cancel(lane, call)) {
        call_complete(call, -EINTR);
    } else {
        bool first = !atomic_exchange_explicit(&call->cancelled, true, memory_order_acq_rel);
        /* Each time: a call that grew up just now was on its way to the poller, who did not see it. */
        uint64_t one = 1;
        RAW3(SYS_write, lane->cancel_fd, &one, sizeof one);
        if (first)
            reactor_cancel(lane, call);
    }
}
