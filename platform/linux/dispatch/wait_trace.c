/* SPDX-License-Identifier: MIT
 *
 * wait_trace.c - writes into a trace what a worker waits for, as the worker leaves its processor.
 *
 * A worker that waits for one object, at an address or for time alone still has the lock of its
 * wait, so the last wait on the list is its own. `armed` has a wait for several objects.
 */
#include "platform/layout.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"
#include "platform/trace/trace.h"

void wait_trace(struct plat_context *worker)
{
    const struct plat_thread *thread = worker->thread;
    struct plat_context *scheduler = worker->scheduler;
    uintptr_t at = atomic_load_explicit(&thread->waits_at, memory_order_relaxed);
    if (at == WAITS_FOR_TIME) {
        trace_record(scheduler, TRACE_WAIT_TIME, worker, 0, 0, 0);
    } else if (at == WAITS_FOR_ANY && thread->armed->count) {
        const struct wait *wait = thread->armed;
        const struct object *object = wait->blocks[0].object;
        trace_record(scheduler, TRACE_WAIT_OBJECT, worker, (uintptr_t)object, object->type,
                     wait->count);
    } else if (at == WAITS_FOR_ANY) {
        return; /* decided while it was about to wait */
    } else if (at & WAITS_AT_BUCKET) {
        const struct wait *wait = ((const struct bucket *)(at & ~(uintptr_t)WAITS_AT_BUCKET))->last;
        trace_record(scheduler, TRACE_WAIT_ADDRESS, worker, (uintptr_t)wait->address,
                     layout_wait_index(wait->why), 0);
    } else if (at) {
        trace_record(scheduler, TRACE_WAIT_OBJECT, worker, at, ((const struct object *)at)->type,
                     thread->armed ? thread->armed->count : 1);
    }
}
