/* SPDX-License-Identifier: MIT
 *
 * scheduler.c - entering UMS mode, and the two switches: a scheduler executes a worker, a worker
 * yields.
 */
#include "umsshim/core.h"

BOOL WINAPI EnterUmsSchedulingMode(PUMS_SCHEDULER_STARTUP_INFO SchedulerStartupInfo)
{
    int error = ums__init();
    if (error)
        return ums__fail((uint32_t)error);
    if (!SchedulerStartupInfo || SchedulerStartupInfo->UmsVersion != UMS_VERSION ||
        !ums__is_list(SchedulerStartupInfo->CompletionList) || !SchedulerStartupInfo->SchedulerProc)
        return ums__fail(ERROR_INVALID_PARAMETER);
    if (plat_current())
        return ums__fail(ERROR_NOT_SUPPORTED);

    struct ums_context *scheduler = ums__arena_alloc(&ums__contexts);
    if (!scheduler)
        return ums__fail(ERROR_NOT_ENOUGH_MEMORY);
    scheduler->plat.is_scheduler = true;
    scheduler->plat.scheduler = &scheduler->plat;
    scheduler->plat.number = ums__number(scheduler);
    scheduler->proc = SchedulerStartupInfo->SchedulerProc;
    scheduler->proc_param = SchedulerStartupInfo->SchedulerParam;
    struct ums_list *list = SchedulerStartupInfo->CompletionList;
    ums__list_hold(list);
    atomic_store_explicit(&scheduler->list, list, memory_order_relaxed);
    ums__state_set(&scheduler->state, UMS_FREE, UMS_SCHEDULER);

    error = plat_scheduler_enter(&scheduler->plat);

    ums__state_set(&scheduler->state, UMS_SCHEDULER, UMS_FREE);
    ums__arena_free(&ums__contexts, scheduler);
    ums__list_drop(list);
    ums__lists_sweep();
    if (error == PLAT_EXIT_THREAD)
        plat_thread_exit();
    return error ? ums__fail((uint32_t)error) : TRUE;
}

/* Why a worker that is not READY cannot be executed. */
static uint32_t refusal(uint32_t state)
{
    switch (state) {
    case UMS_RUNNING:
    case UMS_BLOCKED:
    case UMS_EXITING:
        return ERROR_INTERNAL_ERROR; /* the worker has another owner */
    default:
        return ERROR_INVALID_PARAMETER; /* no thread yet, or none any more */
    }
}

/* READY -> RUNNING, unless `stop` has one of these bits. The check after the change of state
 * decides; stop.c says why. The check before it keeps a suspended worker from reading as a running
 * one for a moment. */
static inline bool claim(struct ums_context *worker, uint32_t unless)
{
    if (UMS_UNLIKELY(atomic_load_explicit(&worker->stop, memory_order_relaxed) & unless) ||
        UMS_UNLIKELY(!ums__state_claim(&worker->state, UMS_READY, UMS_RUNNING)))
        return false;
    if (UMS_LIKELY(!(atomic_load_explicit(&worker->stop, memory_order_seq_cst) & unless)))
        return true;
    ums__state_set(&worker->state, UMS_RUNNING, UMS_READY);
    return false;
}

/* UMSSHIM_RETRY: answers as if the system had locked the context for a moment. A worker that was
 * made under that switch keeps UMS_RETRIES in `stop`, so each execution of it comes here. */
static bool refused_for_now(struct ums_context *worker)
{
    if (!(atomic_load_explicit(&worker->stop, memory_order_relaxed) & UMS_RETRIES))
        return false;
    uint32_t times = atomic_load_explicit(&ums__retries, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&worker->retried, 1, memory_order_relaxed) < times)
        return true;
    atomic_store_explicit(&worker->retried, 0, memory_order_relaxed);
    return false;
}

/* The worker was claimed. */
static bool executable(struct ums_context *scheduler, struct ums_context *worker)
{
    if (atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_SIGNALLED)
        plat_worker_signalled(&worker->plat);
    worker->plat.scheduler = &scheduler->plat;
    plat_executes(&scheduler->plat, &worker->plat);
    return true;
}

/* Claims the worker in every case but the common one, in which it is READY and the caller is a
 * scheduler that no thread stops. True: claimed. */
static __attribute__((noinline)) bool claim_slowly(struct ums_context *scheduler, void *pointer)
{
    struct ums_context *worker = pointer;
    int error = ums__init();
    if (!error && scheduler && plat_stop_due(&scheduler->plat))
        error = plat_stop_point(&scheduler->plat);
    if (!error && worker && !scheduler)
        error = ERROR_NOT_SUPPORTED;
    if (!error && (!ums__is_context(worker) || !ums__is_worker(worker)))
        error = ERROR_INVALID_PARAMETER;
    while (!error) {
        uint32_t state = ums__state(worker);
        if (state != UMS_READY && state != UMS_QUEUED) {
            error = refusal(state);
        } else if (atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_HELD) {
            ums__worker_nudge(
                &worker->plat); /* ends a terminating worker, if the thread that called
                                 * TerminateThread has given up */
            error = ERROR_INVALID_PARAMETER;
        } else if (atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_ASIDE) {
            if (state == UMS_QUEUED && ums__list_take(worker))
                ums__state_set(&worker->state, UMS_QUEUED, UMS_READY);
            if (claim(worker, UMS_HELD) && ums__worker_await(scheduler, worker))
                return executable(scheduler, worker);
        } else if (refused_for_now(worker)) {
            error = ERROR_RETRY;
        } else {
            /* Windows executes a worker that was not dequeued, too: take it off its list. */
            if (state == UMS_QUEUED && ums__list_take(worker))
                ums__state_set(&worker->state, UMS_QUEUED, UMS_READY);
            if (claim(worker, UMS_HELD | UMS_ASIDE))
                return executable(scheduler, worker);
        }
    }
    ums__fail((uint32_t)error);
    return false;
}

BOOL WINAPI ExecuteUmsThread(PUMS_CONTEXT UmsThread)
{
    struct ums_context *scheduler = ums__current_scheduler();
    struct ums_context *worker = UmsThread;
    bool inside = ums__arena_holds(&ums__contexts, worker, UMS_CONTEXT_SLOT);
    uintptr_t ahead = UMS_LIKELY(inside) ? plat_ahead(&worker->plat) : 0;
    bool claimed = UMS_LIKELY(scheduler != NULL) && UMS_LIKELY(inside) &&
                   UMS_LIKELY(!plat_stop_due(&scheduler->plat)) &&
                   UMS_LIKELY(claim(worker, UINT32_MAX));
    if (UMS_LIKELY(claimed))
        worker->plat.scheduler = &scheduler->plat;
    else if (!claim_slowly(scheduler, worker))
        return FALSE;
    return plat_execute(&scheduler->plat, &worker->plat, ahead);
}

/* The scheduler goes on here, with the worker's stack left. Once its state is READY, another thread
 * may own the worker. */
static void after_yield(struct plat_context *scheduler, void *arg)
{
    struct ums_context *worker = arg;
    void *param = worker->yield_param;
    ums__state_set(&worker->state, UMS_RUNNING, UMS_READY);
    ums__activate(ums__of(scheduler), UmsSchedulerThreadYield, (ULONG_PTR)worker, param);
}

BOOL WINAPI UmsThreadYield(PVOID SchedulerParam)
{
    struct ums_context *worker = ums__current_worker();
    if (UMS_UNLIKELY(!worker)) {
        int error = ums__init();
        return ums__fail(error ? (uint32_t)error : ERROR_INVALID_PARAMETER);
    }
    worker->yield_param = SchedulerParam;
    return plat_leave(&worker->plat, worker->plat.scheduler, after_yield, worker);
}

PUMS_CONTEXT WINAPI GetCurrentUmsThread(VOID)
{
    struct plat_context *self = plat_current();
    if (self)
        return ums__of(self);
    plat_set_last_error(ERROR_NOT_SUPPORTED);
    return NULL;
}
