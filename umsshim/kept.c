/* SPDX-License-Identifier: MIT
 *
 * kept.c - a worker that goes on though its scheduler is held.
 *
 * While a scheduler is held its entry point may not run. The worker that it executes then may be
 * the very one that lets the scheduler go in the end. So it waits on its carrier: it is BLOCKED as
 * ever, with UMS_KEPT. Two threads may take that bit, and the one that does decides. The thread
 * that completes the wait makes the worker RUNNING again, on the same carrier, and it arrives on no
 * list. The carrier takes the bit once its scheduler is let go: the worker arrives as ever, and the
 * entry point runs.
 */
#include "umsshim/core.h"

bool ums__worker_keep(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    ums__worker_follow(worker);
    atomic_fetch_or(&worker->stop, UMS_KEPT);
    ums__state_set(&worker->state, UMS_RUNNING, UMS_BLOCKED);
    if (worker->left(worker->yield_param))
        return true;
    atomic_fetch_and(&worker->stop, ~UMS_KEPT);
    ums__state_set(&worker->state, UMS_BLOCKED, UMS_RUNNING);
    return false;
}

bool ums__worker_given_back(struct ums_context *worker)
{
    struct plat_context *scheduler = worker->plat.scheduler;
    if (!(atomic_fetch_and(&worker->stop, ~UMS_KEPT) & UMS_KEPT))
        return false;
    ums__state_set(&worker->state, UMS_BLOCKED, UMS_RUNNING);
    plat_worker_is_back(scheduler);
    return true;
}

/* A handler's own wait uses the same two fields. */
void ums__worker_handles(struct plat_context *plat, void (*handle)(struct plat_context *))
{
    struct ums_context *worker = ums__of(plat);
    bool (*left)(void *) = worker->left;
    void *param = worker->yield_param;
    handle(plat);
    worker->left = left;
    worker->yield_param = param;
}

bool ums__worker_is_back(struct plat_context *plat)
{
    return ums__state(ums__of(plat)) == UMS_RUNNING;
}

bool ums__worker_let_go(struct plat_context *plat)
{
    return atomic_fetch_and(&ums__of(plat)->stop, ~UMS_KEPT) & UMS_KEPT;
}

bool ums__worker_must_stop(struct plat_context *plat)
{
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&ums__of(plat)->stop, memory_order_acquire) & UMS_HELD;
}

void ums__worker_stops(struct plat_context *scheduler, void *arg)
{
    ums__worker_stopped(scheduler, arg);
}
