/* SPDX-License-Identifier: MIT
 *
 * call.c - completes a call, with its result or for a signal, and waits until no other thread looks
 * at its record.
 *
 * A call begins on its worker (user_call.c). It is in flight from the moment when it blocks. The
 * thread that sees it through, any, completes it once: that thread stores the result and queues the
 * worker.
 */
#include <errno.h>

#include "platform/check.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_mask.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/switch/baton.h"
#include "platform/linux/os/raw.h"

void call_complete(struct call *call, long result)
{
    if (UMS_UNLIKELY(call->masked))
        call_mask_end(call, result);
    call->result = result;
    call->in_flight = false;
    baton_post(call->baton);
}

/* ---- Letting go ------------------------------------------------------------------------------ */

void call_interrupt(struct call *call)
{
    if (call->progress) {
        call_complete(call, call->progress);
        return;
    }
    if (call->entry->ops->interrupted)
        call->entry->ops->interrupted(call);
    call->interrupted = true;
    call_complete(call, -EINTR);
}

/* The reactor may still have the call in its queue of calls to cancel. After this the call's
 * context may be another worker's. */
void call_forget(struct call *call)
{
    while (atomic_load_explicit(&call->futex.in_cancel_queue, memory_order_acquire))
        futex_wait(&call->futex.in_cancel_queue, 1);
}
