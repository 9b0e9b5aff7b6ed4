/* SPDX-License-Identifier: MIT
 *
 * stop_point.c - the places at which a thread that is suspended or ended stops by itself, without a
 * signal: stop.h.
 */
#include <errno.h>

#include "platform/linux/calls/signal_run.h"
#include "platform/linux/current.h"
#include "platform/linux/interrupt/home_signals.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/os/libc_text.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/switch/fiber.h"
#include "platform/platform.h"

void thread_stand_still(struct plat_thread *thread)
{
    /* A handler of the program's may be on top of a wait, which has set `stopped` for itself. */
    bool waits = atomic_load(&thread->stopping.stopped);
    while (thread_must_stand(thread)) {
        atomic_store(&thread->stopping.stopped, true);
        uint32_t count;
        while ((count = atomic_load(&thread->stopping.count)) &&
               !atomic_load_explicit(&thread->stopping.ending, memory_order_acquire))
            futex_wait(&thread->stopping.count, count);
        atomic_store(&thread->stopping.stopped, false);
    }
    if (waits)
        atomic_store(&thread->stopping.stopped, true);
}

_Noreturn void thread_end_here(struct plat_thread *thread)
{
    struct plat_context *self = plat_current();
    if (self && self->is_scheduler)
        plat_scheduler_leave(self, true);
    thread_exit(thread->exit_code);
}

void thread_stop_point(struct plat_thread *self)
{
    atomic_store(&self->stopping.stopped, false);
    thread_stand_still(self);
    if (UMS_UNLIKELY(atomic_load_explicit(&self->stopping.ending, memory_order_acquire)) &&
        !plat_tls.ending)
        thread_end_here(self);
}

int plat_stop_point(struct plat_context *scheduler)
{
    bool elsewhere = fiber_is_elsewhere(scheduler);
    atomic_store_explicit(&scheduler->stop_due, elsewhere, memory_order_relaxed);
    if (UMS_UNLIKELY(scheduler->runs.real_time))
        RAW0(SYS_sched_yield);
    thread_stop_point(scheduler->thread);
    return elsewhere ? 50 : 0;
}

static bool thread_is_due(struct plat_thread *thread)
{
    return thread_must_stand(thread) ||
           atomic_load_explicit(&thread->stopping.ending, memory_order_acquire);
}

/* A copy of the process that a bare clone made has no engine. The code asks the kernel last whether
 * this is one, for a thread that yields comes here each time. */
static void worker_look(struct plat_context *worker, bool from_libc)
{
    struct plat_thread *carried = worker->scheduler->thread;
    home_signals_hold(worker->scheduler);
    enum plat_nudge nudge = engine_core->worker_due(worker);
    if ((nudge == NUDGE_NOTHING && !thread_is_due(carried) && !signals_due(worker)) ||
        own_process_is_another())
        return;
    thread_stand_still(carried);
    nudge = engine_core->worker_due(worker);
    if (nudge == NUDGE_END && from_libc)
        plat_tls.stop_due = true;
    else if (atomic_load_explicit(&carried->stopping.ending, memory_order_acquire))
        engine_core->worker_detach(worker);
    else if (nudge == NUDGE_SIGNAL || nudge == NUDGE_END)
        engine_core->worker_stop(worker);
    signals_look(worker);
}

static void thread_look(struct plat_thread *thread, bool from_libc)
{
    struct plat_context *scheduler = plat_current();
    if (scheduler && signals_due(scheduler) && !own_process_is_another())
        home_signals_met(scheduler);
    if (!thread_is_due(thread) || own_process_is_another())
        return;
    thread_stand_still(thread);
    plat_tls.stop_due = atomic_load_explicit(&thread->stopping.ending, memory_order_acquire);
    if (plat_tls.stop_due && !from_libc)
        thread_end_here(thread);
}

void stop_look_closely(const void *caller)
{
    struct plat_context *self = plat_current();
    int saved = errno;
    if (library_holds(caller))
        return; /* the function that called that one looks */
    plat_tls.stop_due = false;
    if (plat_tls.locks || plat_tls.ending)
        return; /* if the stop is still wanted, the next signal sets it again */
    if (self && !self->is_scheduler) {
        if (self->scheduler)
            worker_look(self, libc_holds(caller));
    } else if (plat_tls.thread && (!self || self->runs.entered)) {
        thread_look(plat_tls.thread, libc_holds(caller));
    }
    errno = saved;
}
