/* SPDX-License-Identifier: MIT
 *
 * stop.c - workers that are suspended, resumed, or ended from outside.
 *
 * `stop` in the context says what is wanted: a suspend count, UMS_TERMINATING, and UMS_SIGNALLED.
 * UMS_SIGNALLED does not stop the worker: it makes ExecuteUmsThread call plat_worker_signalled
 * first. Any thread changes `stop` at any time. The consequence depends on the worker's state
 * (state.h):
 *     RUNNING     the engine interrupts the worker. It leaves its scheduler: STOPPED, or it ends
 *     BLOCKED     a suspended worker completes as ever. A terminating worker's wait is ended, and
 *                 the worker ends. For a worker that need not wait after all `stop` is read again
 *                 when it is RUNNING: STOPPED
 *     QUEUED, READY   nothing: ExecuteUmsThread refuses the worker. If it is terminating,
 *                     ums__worker_nudge claims it and ends it
 *     STOPPED     the thread that takes the suspend count to 0 queues it
 *
 * Two threads meet here without a lock. One writes `stop` and then reads `state`. The other changes
 * `state` and then reads `stop`. Each has a locked instruction in between. So at least one of them
 * sees the other, and where both do, a compare-exchange on `state` decides.
 */
#include "umsshim/core.h"

/* ---- Suspending ------------------------------------------------------------------------------ */

int32_t ums__worker_suspend(struct ums_context *worker)
{
    uint32_t stop = atomic_load_explicit(&worker->stop, memory_order_relaxed);
    do
        if ((stop & UMS_SUSPENDS) == UMS_SUSPENDS)
            return -1;
    while (!atomic_compare_exchange_weak(&worker->stop, &stop, stop + 1));
    return (int32_t)(stop & UMS_SUSPENDS);
}

static void queue_stopped(struct ums_context *worker, uint32_t from)
{
    if (!ums__state_claim(&worker->state, from, UMS_QUEUED))
        return;
    ums__list_push(ums__worker_arrival(worker),
                   worker); /* until then no thread can take the worker off its list */
}

uint32_t ums__worker_resume(struct ums_context *worker)
{
    uint32_t stop = atomic_load_explicit(&worker->stop, memory_order_relaxed);
    do
        if (!(stop & UMS_SUSPENDS))
            return 0;
    while (!atomic_compare_exchange_weak(&worker->stop, &stop, stop - 1));
    uint32_t state = ums__state(worker);
    if ((stop & UMS_HELD) == 1 && (state == UMS_STOPPED || state == UMS_STARTING))
        queue_stopped(worker, state);
    return stop & UMS_SUSPENDS;
}

void ums__worker_stopped(struct plat_context *scheduler, struct ums_context *worker)
{
    bool stopped = ums__state_claim(&worker->state, UMS_RUNNING, UMS_STOPPED);
    UMS_CHECK(stopped, worker, ums__state(worker));
    (void)stopped;
    if (!(atomic_load(&worker->stop) & UMS_HELD))
        queue_stopped(worker, UMS_STOPPED); /* the resumption came first */
    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 0, NULL);
}

/* The scheduler goes on here, with the worker's stack left. */
static void after_stop(struct plat_context *scheduler, void *arg)
{
    struct ums_context *worker = arg;
    ums__worker_follow(worker);
    ums__worker_stopped(scheduler, worker);
}

void ums__worker_stop_self(struct ums_context *worker)
{
    if (atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_HELD)
        plat_leave(&worker->plat, worker->plat.scheduler, after_stop, worker);
}

void ums__worker_stop(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    if (atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_TERMINATING)
        ums__worker_exit(worker);
    ums__worker_stop_self(worker);
}

/* ---- Ending ---------------------------------------------------------------------------------- */

void ums__worker_terminate(struct ums_context *worker)
{
    atomic_fetch_or(&worker->stop, UMS_TERMINATING);
}

/* Clause LF-5: a READY worker, which the application holds, is not queued again. Any other arrives
 * once, as terminated; but not one that was created suspended and never resumed. */
static enum plat_nudge end_parked(struct ums_context *worker, uint32_t state)
{
    bool queue = state != UMS_READY && (state != UMS_STARTING || !worker->held_back);
    if (state == UMS_QUEUED) {
        if (!ums__list_take(worker))
            return NUDGE_AGAIN; /* another thread has just taken it off its list */
        ums__state_set(&worker->state, UMS_QUEUED, UMS_READY);
        state = UMS_READY;
    }
    if (!ums__state_claim(&worker->state, state, UMS_EXITING))
        return NUDGE_AGAIN;
    ums__worker_end(worker, queue);
    return NUDGE_NOTHING;
}

/* The engine's part: it interrupts a worker that runs, or ends the wait of a blocked one. */
static enum plat_nudge for_the_engine(uint32_t stop, uint32_t state)
{
    bool terminating = stop & UMS_TERMINATING, signalled = stop & UMS_SIGNALLED;
    if (state == UMS_RUNNING && stop & (UMS_HELD | UMS_SIGNALLED))
        return terminating ? NUDGE_END : NUDGE_SIGNAL;
    if (state == UMS_BLOCKED)
        return terminating ? NUDGE_CANCEL : signalled ? NUDGE_INTERRUPT : NUDGE_WAITS;
    return NUDGE_NOTHING;
}

enum plat_nudge ums__worker_due(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    uint32_t stop = atomic_load(&worker->stop);
    return for_the_engine(stop, ums__state(worker));
}

enum plat_nudge ums__worker_nudge(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    uint32_t stop = atomic_load(&worker->stop), state = ums__state(worker);
    switch (state) {
    case UMS_QUEUED:
    case UMS_READY:
    case UMS_STOPPED:
    case UMS_STARTING:
        return stop & UMS_TERMINATING ? end_parked(worker, state) : NUDGE_NOTHING;
    default:
        return for_the_engine(stop, state);
    }
}

/* ---- Something for the worker to do before it goes on ---------------------------------------- */

void ums__worker_signalled(struct plat_context *worker, bool due)
{
    if (due)
        atomic_fetch_or(&ums__of(worker)->stop, UMS_SIGNALLED);
    else
        atomic_fetch_and(&ums__of(worker)->stop, ~UMS_SIGNALLED);
}

/* ---- A scheduler that is ended while a worker runs on it ------------------------------------- */

static void after_detach(struct plat_context *scheduler, void *arg)
{
    struct ums_context *worker = arg;
    ums__worker_follow(worker);
    struct ums_list *list = ums__worker_arrival(worker);
    ums__state_set(&worker->state, UMS_RUNNING, UMS_QUEUED);
    ums__list_push(list, worker);
    plat_scheduler_leave(scheduler, true);
}

void ums__worker_detach(struct plat_context *plat)
{
    plat_leave(plat, plat->scheduler, after_detach, ums__of(plat));
}
