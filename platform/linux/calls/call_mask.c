/* SPDX-License-Identifier: MIT
 *
 * call_mask.c - calls that bring a mask of their own, which is the worker's until they are over.
 *
 * Where the call ends by itself the old mask comes back at once, where a signal ends it the
 * handlers run first (signals_run), as in the kernel.
 */
#include <errno.h>

#include "platform/linux/calls/call_ops.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/signals/worker_signals.h"

/* Where the call has its mask: 0 none. Takes it away, so that nobody else looks at it. */
static int take_mask(struct call *call, uint64_t *mask)
{
    long *a = call->args;
    struct {
        long mask, size;
    } pair = {0, 8};
    int at;
    switch (call->entry->nr) {
    case SYS_rt_sigsuspend:
        at = 0;
        break;
    case SYS_ppoll:
        at = 3;
        break;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
        at = 4;
        break;
    case SYS_pselect6:
        if (a[5] && copy_in(&pair, (void *)a[5], sizeof pair))
            return -EFAULT;
        a[5] = 0;
        at = -1;
        break;
    default:
        return 0;
    }
    if (at >= 0) {
        pair.mask = a[at];
        pair.size = a[at + 1];
        if (at)
            a[at] = 0;
    }
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
