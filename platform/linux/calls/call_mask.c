/* SPDX-License-Identifier: MIT
 *
 * call_mask.c - calls with a signal mask among their arguments: it is the worker's mask until the
 * call is over.
 *
 * Where the call ends by itself, the old mask comes back at once. Where a signal ends it, the
 * handlers run first, as in the kernel, and signals_run brings the old mask back.
 */
#include <errno.h>

#include "platform/linux/calls/call_mask.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/current.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"

/* Reads the call's mask. 1: *mask has it; 0: the call has none; or -errno. Clears the argument, so
 * that the kernel does not give the mask to the thread that makes the call. rt_sigsuspend, which
 * has no other argument, must have a mask. */
static int take_mask(struct call *call, uint64_t *mask)
{
    int at = (call->entry->mask & ~MASK_IS_IN) - 1;
    long *place = &call->args[at];
    struct {
        long mask, size;
    } pair = {0, 8};
    if (call->entry->mask & MASK_IS_IN) {
        if (*place && copy_in(&pair, (void *)*place, sizeof pair))
            return -EFAULT;
    } else {
        pair.mask = place[0];
        pair.size = place[1];
    }
    if (at)
        *place = 0;
    if (!pair.mask && at)
        return 0;
    if (pair.size != 8)
        return -EINVAL;
    return copy_in(mask, (void *)pair.mask, 8) ? -EFAULT : 1;
}

int call_mask_begin(struct call *call)
{
    struct plat_context *worker = call_worker(call);
    uint64_t mask;
    int r = take_mask(call, &mask);
    if (r <= 0)
        return r;
    uint64_t opened = *mask_of(worker) & ~mask;
    if (opened)
        signals_collect(worker, opened);
    signals_enter();
    worker->signals.saved_mask = *mask_of(worker);
    worker->signals.has_saved = true;
    mask_change(worker, mask);
    bool changed = signals_wanted() != signals_active;
    plat_unlock(&signals_lock);
    call->masked = true;
    if (changed)
        signals_poke();
    return 0;
}

void call_mask_end(struct call *call, long result)
{
    struct plat_context *worker = call_worker(call);
    if (!call->masked)
        return;
    call->masked = false;
    if (call->interrupted && result == -EINTR)
        return;
    uint64_t opened = *mask_of(worker) & ~worker->signals.saved_mask;
    if (opened)
        signals_collect(worker, opened);
    signals_enter();
    worker->signals.has_saved = false;
    mask_change(worker, worker->signals.saved_mask);
    bool changed = signals_wanted() != signals_active;
    plat_unlock(&signals_lock);
    if (changed)
        signals_poke();
}
