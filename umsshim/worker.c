/* SPDX-License-Identifier: MIT
 *
 * worker.c - workers: birth, waiting, completion.
 *
 * Each function here is one edge or two of the diagram in state.h. The engine calls the
 * ums__worker_* functions of struct plat_core; their comments say on which stack or thread.
 */
#include "umsshim/core.h"

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
    context->plat.scheduler = NULL;
    context->start = start;
    context->start_param = param;
    context->list_next = NULL;
    atomic_store_explicit(&context->chain_next, NULL, memory_order_relaxed);
    uint32_t retries = atomic_load_explicit(&ums__retries, memory_order_relaxed);
    atomic_store_explicit(&context->stop, suspended | (retries ? UMS_RETRIES : 0),
                          memory_order_relaxed);
    atomic_store_explicit(&context->retried, 0, memory_order_relaxed);
    context->held_back = suspended;
    atomic_store_explicit(&context->teb, NULL, memory_order_relaxed);

    int error = plat_worker_create(&context->plat, stack_bytes, thread);
    if (error) {
        ums__worker_part(context);
        atomic_store_explicit(&context->stop, 0, memory_order_relaxed);
        ums__state_set(&context->state, UMS_STARTING, UMS_EMPTY);
        return error;
    }
    return 0;
}

/* pthread_exit in a worker unwinds to its first frame and ends the worker. If the worker's thread
 * is a plain thread by now, unwinding goes on. */
void ums__worker_unwound(void)
{
    struct ums_context *worker = ums__current_worker();
    if (worker)
        ums__worker_exit(worker);
}

/* The first function that a worker runs. */
void ums__worker_main(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    plat_set_exit_code(plat, plat_call_start((void *)worker->start, worker->start_param));
    if (plat_left_alone(plat))
        plat_thread_exit();
    ums__worker_exit(worker);
}

/* Notes the worker's TEB. Its home thread calls this, or the thread that creates it. */
void ums__worker_born(struct plat_context *plat)
{
    atomic_store_explicit(&ums__of(plat)->teb, plat_worker_teb(plat), memory_order_release);
}

/* Queues the new worker. The thread that creates it calls this, or its home thread. If the worker
 * was created suspended, its resumption queues it (stop.c), and may have done so already. */
void ums__worker_ready(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    if (!(atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_HELD) &&
        ums__state_claim(&worker->state, UMS_STARTING, UMS_QUEUED))
        ums__list_push(ums__worker_arrival(worker), worker);
}

/* ---- Giving the processor away --------------------------------------------------------------- */

/* The worker has left its stack and need not wait after all: the scheduler executes it again.
 * SuspendThread only counts for a BLOCKED worker (stop.c). So this function reads `stop` again once
 * the worker is RUNNING. */
static void take_back(struct plat_context *scheduler, struct ums_context *worker)
{
    ums__state_set(&worker->state, UMS_BLOCKED, UMS_RUNNING);
    atomic_thread_fence(memory_order_seq_cst);
    if (UMS_UNLIKELY(atomic_load_explicit(&worker->stop, memory_order_acquire) & UMS_HELD))
        ums__worker_stopped(scheduler, worker);
    plat_execute(scheduler, &worker->plat, plat_ahead(&worker->plat));
}

/* The scheduler goes on here. Once left() is called, another thread may queue, execute and end the
 * worker. */
void ums__worker_after_wait(struct plat_context *scheduler, void *arg)
{
    struct ums_context *worker = arg;
    ums__worker_follow(worker);
    ums__state_set(&worker->state, UMS_RUNNING, UMS_BLOCKED);
    if (UMS_UNLIKELY(!worker->left(worker->yield_param)))
        return take_back(scheduler, worker);
    ums__activate(ums__of(scheduler), UmsSchedulerThreadBlocked, 1, NULL);
}

/* The worker calls this. It ends in a jump to plat_leave, since the processor mispredicts each
 * return after a switch. */
int ums__worker_wait(struct plat_context *plat, bool (*left)(void *), void *arg)
{
    struct ums_context *worker = ums__of(plat);
    worker->left = left;
    worker->yield_param = arg;
    return plat_leave(plat, plat->scheduler, ums__worker_after_wait, worker);
}

/* On the reactor, while the worker's carrier waits in the kernel; or on the scheduler. */
void ums__worker_blocked(struct plat_context *plat)
{
    ums__worker_follow(ums__of(plat));
    ums__state_set(&ums__of(plat)->state, UMS_RUNNING, UMS_BLOCKED);
}

/* The engine calls worker_nudge next, to see a suspension that came while the worker was
 * BLOCKED. */
void ums__worker_unblocked(struct plat_context *plat)
{
    ums__state_set(&ums__of(plat)->state, UMS_BLOCKED, UMS_RUNNING);
    atomic_thread_fence(memory_order_seq_cst);
}

/* On any thread. */
void ums__worker_completed(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    uint32_t stop = atomic_load_explicit(&worker->stop, memory_order_acquire);
    if (UMS_UNLIKELY(stop & UMS_KEPT) && ums__worker_given_back(worker))
        return;
    if (UMS_UNLIKELY(stop & UMS_TERMINATING)) {
        ums__state_set(&worker->state, UMS_BLOCKED, UMS_EXITING);
        ums__worker_end(worker, true);
        return;
    }
    trace(NULL, TRACE_COMPLETE, plat, 0, 0, 0);
    struct ums_list *list = ums__worker_arrival(worker);
    ums__state_set(&worker->state, UMS_BLOCKED, UMS_QUEUED);
    ums__list_push(list, worker);
}
