/* SPDX-License-Identifier: MIT
 *
 * stop_thread.c - asking plain threads and schedulers to stop, to go on or to end, and any thread's
 * synchronous call to end. stop.c sees that they do.
 */
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/os/raw.h"

enum { MOST_SUSPENDS = 127 };

int32_t thread_suspend(struct plat_thread *thread)
{
    uint32_t before = atomic_load_explicit(&thread->stopping.count, memory_order_relaxed);
    do
        if (before >= MOST_SUSPENDS)
            return -1;
    while (!atomic_compare_exchange_weak_explicit(&thread->stopping.count, &before, before + 1,
                                                  memory_order_acq_rel, memory_order_relaxed));
    if (thread != plat_tls.thread)
        thread_nudge(thread);
    return (int32_t)before;
}

uint32_t thread_resume(struct plat_thread *thread)
{
    uint32_t before = atomic_load_explicit(&thread->stopping.count, memory_order_relaxed);
    do
        if (!before)
            return 0;
    while (!atomic_compare_exchange_weak_explicit(&thread->stopping.count, &before, before - 1,
                                                  memory_order_acq_rel, memory_order_relaxed));
    futex_wake(&thread->stopping.count, 1);
    return before;
}

void thread_end(struct plat_thread *thread, uint32_t code)
{
    thread->exit_code = code;
    atomic_store_explicit(&thread->stopping.ending, true, memory_order_release);
    futex_wake(&thread->stopping.count, 1);
    thread_nudge(thread);
}

bool sync_call_cancel(struct plat_thread *thread)
{
    uint32_t seen = SYNC_MAKES;
    if (!atomic_compare_exchange_strong_explicit(&thread->stopping.sync_call, &seen, SYNC_ASKED,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return seen == SYNC_ASKED;
    thread_nudge(thread);
    return true;
}

/* If the outer call is to end, its nudges have stopped when the call on top of it began: so this
 * nudges the thread again. */
void sync_call_go_on(struct plat_thread *self, const struct sync_call *outer)
{
    atomic_store_explicit(&self->stopping.sync_at, outer->at, memory_order_relaxed);
    atomic_store_explicit(&self->stopping.sync_call, outer->call, memory_order_release);
    if (outer->call != SYNC_ASKED)
        return;
    plat_lock(&self->binding);
    thread_nudge(self);
    plat_unlock(&self->binding);
}
