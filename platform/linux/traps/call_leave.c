/* SPDX-License-Identifier: MIT
 *
 * call_leave.c - see call_leave.h.
 *
 * Of what completes calls only the ring belongs to one thread, the lane's reactor. So a worker that leaves in
 * user mode gives its call to poller, table of futexes, timer, signals or a helper itself, and asks the reactor
 * for the rest.
 */
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/traps/call_leave.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/signals/worker_signals.h"

/* A call that would wait with a mask of its own is interrupted by what the mask lets through. */
enum outcome call_attempt(struct call *call)
{
    int error = call_mask_begin(call);
    if (UMS_UNLIKELY(error))
        return call_done(call, error);
    enum outcome outcome = call->entry->ops->attempt(call);
    if (UMS_LIKELY(!call->masked))
        return outcome;
    if ((outcome != CALL_DONE || call->result == 0) && signals_due(call_worker(call))) {
        call->interrupted = true;
        outcome = call_done(call, -EINTR);
    }
    if (outcome == CALL_DONE)
        call_mask_end(call, call->result);
    return outcome;
}

static void timer_fired(struct plat_timer *timer)
{
    struct call *call = (struct call *)((char *)timer - offsetof(struct call, timer));
    call_complete(call, 0);
}

void call_entrust(struct call *call, enum outcome outcome)
{
    call->how = (uint8_t)outcome;
    switch (outcome) {
    case CALL_TIMER:
        call->timer.deadline = call->deadline;
        call->timer.fire = timer_fired;
        timer_add_in(call->lane, &call->timer);
        break;
    case CALL_SIGNAL:
        signal_wait_start(call);
        break;
    default:
        helper_submit(call);
        break;
    }
}

void call_leave(struct lane *lane, struct call *call, enum outcome outcome)
{
    if (outcome == CALL_WAIT) {
        call->how = CALL_WAIT;
        if (poller_watch(lane, call) ||
            (call->entry->ops == &ops_futex && futex_table_enter(lane, call)))
            return;
    }
    if (outcome == CALL_OLD ||
        (outcome == CALL_WAIT && lane->have_ring && call->entry->ops->submit))
        lane_post(lane, call, outcome);
    else
        call_entrust(call, outcome == CALL_WAIT ? CALL_HELPER : outcome);
}
