/* SPDX-License-Identifier: MIT
 *
 * worker.c - contexts and the threads bound to them: birth, yield, block, completion, end.
 *
 * Each function here is one edge or two of the diagram in state.h. Those named ums__worker_* after
 * the seam are called by the engine; on which stack, their comments say.
 */
#include "umsshim/core.h"

struct ums_arena ums__contexts = {.slot = UMS_CONTEXT_SLOT,
                                   .capacity = 1 << 18,
                                   .link = offsetof(struct ums_context, list_next)};

BOOL WINAPI CreateUmsThreadContext(PUMS_CONTEXT *lpUmsThread)
{
    int error = ums__init();
    if (lpUmsThread)
        *lpUmsThread = NULL;
    if (error || !lpUmsThread)
        return ums__fail(error ? (uint32_t)error : ERROR_INVALID_PARAMETER);
    struct ums_context *context = ums__arena_alloc(&ums__contexts);
    if (!context)
        return ums__fail(ERROR_NOT_ENOUGH_MEMORY);
    ums__state_set(&context->state, UMS_FREE, UMS_EMPTY);
    *lpUmsThread = context;
    return TRUE;
}

BOOL WINAPI DeleteUmsThreadContext(PUMS_CONTEXT UmsThread)
{
    int error = ums__init();
    if (error)
        return ums__fail((uint32_t)error);
    struct ums_context *context = UmsThread;
    if (!ums__is_context(context))
        return ums__fail(ERROR_INVALID_PARAMETER);
    if (ums__state_claim(&context->state, UMS_EMPTY, UMS_FREE) ||
        ums__state_claim(&context->state, UMS_TERMINATED, UMS_FREE)) {
        ums__arena_free(&ums__contexts, context);
        return TRUE;
    }
    /* Ended, but not dequeued yet: the list lets go of it later. */
    if (ums__state_claim(&context->state, UMS_TERM_QUEUED, UMS_ZOMBIE))
        return TRUE;
    return ums__fail(ERROR_INVALID_PARAMETER);
}

int ums__worker_create(void *pointer, void *list, size_t stack_bytes, bool suspended,
                       struct plat_thread *thread, LPTHREAD_START_ROUTINE start, void *param)
{
    struct ums_context *context = pointer;
    if (!ums__is_context(context) || !ums__is_list(list))
        return ERROR_INVALID_PARAMETER;
    if (!ums__state_claim(&context->state, UMS_EMPTY, UMS_STARTING) &&
        !ums__state_claim(&context->state, UMS_TERMINATED, UMS_STARTING))
        return ERROR_INVALID_PARAMETER;
    context->first_list = list;
    ums__list_hold(context->first_list);
    atomic_store_explicit(&context->list, context->first_list, memory_order_relaxed);
    context->scheduler = NULL;
    context->start = start;
    context->start_param = param;
    context->list_next = NULL;
    atomic_store_explicit(&context->chain_next, NULL, memory_order_relaxed);
    atomic_store_explicit(&context->stop, suspended, memory_order_relaxed);
    context->held_back = suspended;

    int error = plat_worker_create(&context->plat, stack_bytes, thread);
    if (error) {
        ums__worker_part(context);
        atomic_store_explicit(&context->stop, 0, memory_order_relaxed);
        ums__state_set(&context->state, UMS_STARTING, UMS_EMPTY);
        return error;
    }
    return 0;
}

/* On the home thread, or on the thread that creates it. */
void ums__worker_born(struct plat_context *plat)
{
    ums__of(plat)->teb = plat_worker_teb(plat);
}

/* On the home thread, which is about to park. Created suspended: its resumption queues it
 * (stop.c), and may have done so before. */
void ums__worker_ready(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    if (!(atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_HELD) &&
        ums__state_claim(&worker->state, UMS_STARTING, UMS_QUEUED))
        ums__list_push(ums__worker_arrival(worker), worker);
}

/* ---- Giving the processor away ---------------------------------------------------------------- */

/* On the scheduler. The worker's stack was left: from the store on it is anybody's. */
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
    return plat_leave(&worker->plat, &worker->scheduler->plat, after_yield, worker);
}

/* On the scheduler: the worker need not wait after all, and its stack was left. Who suspended it has found
 * it BLOCKED and left it alone; so it is looked at again once it is RUNNING (stop.c). */
static _Noreturn void take_back(struct plat_context *scheduler, struct ums_context *worker)
{
    ums__state_set(&worker->state, UMS_BLOCKED, UMS_RUNNING);
    atomic_thread_fence(memory_order_seq_cst);
    if (UMS_UNLIKELY(atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_HELD))
        ums__worker_stopped(scheduler, worker);
    plat_execute(scheduler, &worker->plat, plat_ahead(&worker->plat));
}

/* On the scheduler. From left() on the worker may be queued, executed elsewhere, and gone. */
static void after_wait(struct plat_context *scheduler, void *arg)
{
    struct ums_context *worker = arg;
    ums__worker_follow(worker);
    ums__state_set(&worker->state, UMS_RUNNING, UMS_BLOCKED);
    if (UMS_UNLIKELY(!worker->left(worker->yield_param)))
        take_back(scheduler, worker);
    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 1, NULL);
}

/* On the worker. No frame of its own: when the worker goes on, each return is mispredicted. */
int ums__worker_wait(struct plat_context *plat, bool (*left)(void *), void *arg)
{
    struct ums_context *worker = ums__of(plat);
    worker->left = left;
    worker->yield_param = arg;
    return plat_leave(plat, &worker->scheduler->plat, after_wait, worker);
}

/* On the reactor, while the worker's carrier waits in the kernel; or on the scheduler. */
void ums__worker_blocked(struct plat_context *plat)
{
    ums__worker_follow(ums__of(plat));
    ums__state_set(&ums__of(plat)->state, UMS_RUNNING, UMS_BLOCKED);
}

void ums__worker_unblocked(struct plat_context *plat)
{
    ums__state_set(&ums__of(plat)->state, UMS_BLOCKED, UMS_RUNNING);
}

/* On any thread. */
void ums__worker_completed(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    if (UMS_UNLIKELY(atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_DYING)) {
        ums__state_set(&worker->state, UMS_BLOCKED, UMS_EXITING);
        ums__worker_end(worker, true);
        return;
    }
    struct ums_list *list = ums__worker_arrival(worker);
    ums__state_set(&worker->state, UMS_BLOCKED, UMS_QUEUED);
    ums__list_push(list, worker);
}

/* ---- The end ------------------------------------------------------------------------------------ */

/* On the scheduler. The home thread owns the context already and may be done with it. */
static void after_exit(struct plat_context *scheduler, void *arg)
{
    (void)arg;
    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 1, NULL);
}

_Noreturn void ums__worker_exit(struct ums_context *worker)
{
    struct ums_context *scheduler = worker->scheduler;
    ums__worker_follow(worker);
    worker->scheduler = NULL;
    ums__state_set(&worker->state, UMS_RUNNING, UMS_EXITING);
    plat_worker_exit(&worker->plat, &scheduler->plat, after_exit);
}

/* pthread_exit in a worker unwinds to here; as a plain thread, past here. */
static void unwound(struct ums_context **worker)
{
    if (*worker && !plat_left_alone(&(*worker)->plat))
        ums__worker_exit(*worker);
}

/* On the worker, first thing. */
void ums__worker_main(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    __attribute__((cleanup(unwound))) struct ums_context *guard = worker;
    plat_set_exit_code(plat, worker->start(worker->start_param));
    guard = NULL;
    if (plat_left_alone(plat))
        plat_thread_exit();
    ums__worker_exit(worker);
}

/* On the home thread, past its destructors. */
void ums__worker_gone(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    if (!atomic_load_explicit(&worker->list, memory_order_relaxed)) { /* ums__worker_end */
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
