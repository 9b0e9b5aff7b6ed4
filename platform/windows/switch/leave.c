/* SPDX-License-Identifier: MIT
 *
 * leave.c - a worker that its own thread carries leaves its scheduler: one half of plat_leave.
 *
 * In place its thread leaves the worker's stack, on which its registers stay, so that any thread
 * can execute it. Pinned, its thread waits in here.
 */
#include "platform/trace/trace.h"
#include "platform/windows/engine.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/switch/short_calls.h"
#include "platform/windows/switch/thread_switch.h"

static void left_home(struct plat_context *worker)
{
    struct plat_context *scheduler = worker->to;
    thread_switch_give(scheduler, scheduler->after, scheduler->arg);
}

int leave_own_thread(struct plat_context *worker, struct plat_context *scheduler,
                     void (*after)(struct plat_context *, void *), void *arg)
{
    /* A frozen worker cannot run. The thread that froze it calls this in its place, and goes on. */
    if (UMS_UNLIKELY(worker->frozen != NULL)) {
        trace(scheduler, TRACE_LEAVE, worker, 0, 0, 0);
        thread_switch_give(scheduler, after, arg);
        return 1;
    }
    /* An APC calls, while the worker waits in the kernel. Its scheduler is busy elsewhere. */
    if (UMS_UNLIKELY(worker->inside || short_call_is_made(worker))) {
        plat_set_last_error(ERROR_INVALID_PARAMETER);
        return 0;
    }
    worker->inside = true;
    if (trace_on())
        trace_leave(scheduler, worker);
    if (engine_in_place && !inplace_stays_home(worker)) {
        scheduler->after = after;
        scheduler->arg = arg;
        worker->to = scheduler;
        inplace_leave_home(worker, left_home);
    } else {
        atomic_store_explicit(&worker->word, HAND_EMPTY, memory_order_relaxed);
        thread_switch_give(scheduler, after, arg);
        thread_switch_park(worker, false);
    }
    worker->inside = false;
    return 1;
}
