/* SPDX-License-Identifier: MIT
 *
 * call.c - a call's record: its end, and where somebody else looks at it.
 *
 * A call begins on its worker (user_call.c), and is in flight from the block on. Whoever sees it
 * through completes it, once, on any thread: stores the result and queues the worker.
 */
#include <errno.h>

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/switch/baton.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/worker_signals.h"

void call_complete(struct call *call, long result)
{
    if (UMS_UNLIKELY(call->masked))
        call_mask_end(call, result);
    call->result = result;
    call->in_flight = false;
    baton_post(call->baton);
}

/* ---- Letting go ------------------------------------------------------------------------------ */

/* How much of a sleep is left. */
static void tell_remainder(struct call *call)
{
    long *a = call->args;
    bool plain = call->entry->nr == SYS_nanosleep;
    long where = plain ? a[1] : call->entry->nr == SYS_clock_nanosleep && !(a[1] & 1) ? a[3] : 0;
    if (call->how != CALL_TIMER || !where)
        return;
    uint64_t now = plat_now(), left = call->deadline > now ? call->deadline - now : 0;
    int64_t ts[2] = {(int64_t)(left / 1000000000u), (int64_t)(left % 1000000000u)};
    copy_out((void *)where, ts, sizeof ts);
}

void call_interrupt(struct call *call)
{
    if (call->progress) {
        call_complete(call, call->progress);
        return;
    }
    tell_remainder(call);
    call->interrupted = true;
    call_complete(call, -EINTR);
}

/* Its context may be another worker's after this. */
void call_forget(struct call *call)
{
    while (atomic_load_explicit(&call->in_cancel_queue, memory_order_acquire))
        futex_wait(&call->in_cancel_queue, 1);
}
