/* SPDX-License-Identifier: MIT
 *
 * exit.c - the end of a worker: it ends itself, or another thread ends it while it does not run.
 * The worker's home thread calls ums__worker_gone last.
 */
#include "umsshim/core.h"

/* The scheduler goes on here. The home thread owns the worker's context already and may be done
 * with it. */
static void after_exit(struct plat_context *scheduler, void *arg)
{
    (void)arg;
    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 1, NULL);
}

_Noreturn void ums__worker_exit(struct ums_context *worker)
{
    struct plat_context *scheduler = worker->plat.scheduler;
    ums__worker_follow(worker);
    worker->plat.scheduler = NULL;
    ums__state_set(&worker->state, UMS_RUNNING, UMS_EXITING);
    plat_worker_exit(&worker->plat, scheduler, after_exit);
}

void ums__worker_end(struct ums_context *worker, bool queue)
{
    worker->plat.scheduler = NULL;
    if (!queue)
        ums__worker_part(worker);
    if (!(atomic_fetch_or(&worker->stop, UMS_KILLED) & UMS_ASIDE))
        plat_worker_kill(&worker->plat);
}

/* The worker's home thread calls this, after its destructors. The scheduler does, if the worker
 * leaves nothing to destroy. */
void ums__worker_gone(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    if (!atomic_load_explicit(&worker->list, memory_order_relaxed)) { /* not to arrive */
        ums__state_set(&worker->state, UMS_EXITING, UMS_TERMINATED);
        return;
    }
    struct ums_list *list = ums__worker_arrival(worker);
    ums__list_hold(list);
    ums__worker_part(worker);
    ums__state_set(&worker->state, UMS_EXITING, UMS_TERM_QUEUED);
    ums__list_push(list, worker);
    ums__list_drop(list);
}
