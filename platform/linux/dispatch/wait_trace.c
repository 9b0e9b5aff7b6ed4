/* SPDX-License-Identifier: MIT
 *
 * wait_trace.c - what a trace says of a worker's wait, as the worker leaves its processor.
 *
 * A wait for one object, at an address or for time alone has its lock still, so what is last on the list is the
 * worker's own. One for several objects is to be found in `armed`.
 */
#include "platform/layout.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/linux/trace/trace.h"

void wait_trace(struct plat_context *worker)
{
    const struct plat_thread *thread = worker->thread;
    struct plat_context *scheduler = engine_core->scheduler_of(worker);
    uintptr_t at = atomic_load_explicit(&thread->waits_at, memory_order_relaxed);
    if (at == WAITS_FOR_TIME) {
        trace_record(scheduler, TRACE_WAIT_TIME, worker, 0, 0, 0);
    } else if (at & WAITS_AT_BUCKET) {
        const struct wait *wait = ((const struct bucket *)(at & ~(uintptr_t)WAITS_AT_BUCKET))->last;
        trace_record(scheduler, TRACE_WAIT_ADDRESS, worker, (uintptr_t)wait->address,
                     layout_wait_index(wait->why), 0);
    } else if (at) {
        trace_record(scheduler, TRACE_WAIT_OBJECT, worker, at, ((const struct object *)at)->type,
                     thread->armed ? thread->armed->count : 1);
    }
}
