/* SPDX-License-Identifier: MIT
 *
 * hold.c - see hold.h.
 */
#include "platform/linux/switch/hold.h"

#include "platform/linux/current.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/switch/switch.h"
#include "platform/trace/trace.h"

/* Lies on the worker's stack. */
struct held_leave {
    struct plat_context *worker, *scheduler;
    void (*after)(struct plat_context *scheduler, void *arg);
    void *arg;
};

void hold_tell(struct plat_context *scheduler)
{
    futex_wake(&scheduler->runs.hold, 1);
}

void plat_worker_is_back(struct plat_context *scheduler)
{
    atomic_fetch_add(&scheduler->runs.hold, HOLD_NEWS);
    hold_tell(scheduler);
}

void hold_await(struct plat_context *scheduler)
{
    uint32_t seen;
    while (hold_lasts(seen = atomic_load_explicit(&scheduler->runs.hold, memory_order_acquire)))
        futex_wait(&scheduler->runs.hold, seen);
}

void hold_carried(struct plat_context *scheduler)
{
    scheduler->runs.was_held = true;
    cpu_time_unloads(scheduler);
}

static bool is_over(struct plat_context *scheduler)
{
    if (hold_lasts(atomic_load_explicit(&scheduler->runs.hold, memory_order_acquire)))
        return false;
    scheduler->runs.was_held = false;
    cpu_time_loads(scheduler);
    return true;
}

void (*hold_handlers)(struct plat_context *worker);

/* The worker leaves by a yield, or is to stop: waits on the worker's stack, and handles its
 * signals, until something has changed. The worker may have another scheduler then. False: the
 * worker has ended. */
static bool wait_before(struct plat_context *worker)
{
    struct plat_context *scheduler = worker->scheduler;
    if (!scheduler)
        return false;
    uint32_t seen = atomic_load_explicit(&scheduler->runs.hold, memory_order_acquire);
    if (atomic_load_explicit(&worker->signals.due, memory_order_relaxed))
        engine_core->held.handles(worker, hold_handlers);
    else if (hold_lasts(seen))
        futex_wait(&scheduler->runs.hold, seen); /* a signal to the worker ends it, too: stop.c */
    return true;
}

/* On the scheduler. */
static void activate_blocked(struct plat_context *scheduler, void *unused)
{
    (void)unused;
    engine_core->activate(scheduler, PLAT_ENTRY_CALL);
}

static _Noreturn void enter(struct plat_context *scheduler,
                            void (*after)(struct plat_context *, void *), void *arg)
{
    hold_await(scheduler);
    is_over(scheduler);
    cpu_time_start(scheduler);
    ctx_jump((void *)after, scheduler, arg, scheduler->sp, scheduler->fs_base);
}

/* Returns when the worker runs again, or, false, when its scheduler may be entered first. */
static bool comes_back(struct plat_context *scheduler, struct plat_context *worker)
{
    if (!engine_core->held.keep(worker))
        return true;
    for (;;) {
        uint32_t seen = atomic_load(&scheduler->runs.hold);
        if (engine_core->held.is_back(worker))
            return true;
        if (!hold_lasts(seen) && engine_core->held.let_go(worker))
            return false;
        futex_wait(&scheduler->runs.hold, seen);
    }
}

/* On the carrier's own stack. The worker's was left. */
static _Noreturn void left(struct carrier *carrier, void *record)
{
    (void)carrier;
    const struct held_leave leave = *(struct held_leave *)record;
    struct plat_context *scheduler = leave.scheduler, *worker = leave.worker;
    if (leave.after != engine_core->held.after_wait)
        enter(scheduler, leave.after, leave.arg);
    if (!comes_back(scheduler, worker))
        enter(scheduler, activate_blocked, NULL);
    if (engine_core->held.must_stop(worker))
        enter(scheduler, engine_core->held.stops, leave.arg);
    plat_execute_counted(scheduler, worker);
}

static void leave_held(struct plat_context *worker, struct plat_context *scheduler,
                       void (*after)(struct plat_context *, void *), void *arg)
{
    struct carrier *carrier = scheduler->runs.carrier;
    struct held_leave leave = {worker, scheduler, after, arg};
    cpu_time_stop(worker);
    if (trace_recording())
        trace_leave(scheduler, worker);
    carrier->context = NULL;
    ctx_leave((void *)left, carrier, &leave, carrier->base_sp, carrier->fs_base, &worker->sp);
}

int plat_leave_slowly(struct plat_context *worker, struct plat_context *scheduler,
                      void (*after)(struct plat_context *, void *), void *arg)
{
    while (UMS_UNLIKELY(scheduler->runs.was_held) && !is_over(scheduler)) {
        if (after == engine_core->held.after_wait || !wait_before(worker)) {
            leave_held(worker, scheduler, after, arg);
            return 1;
        }
        scheduler = worker->scheduler;
    }
    return plat_leave_counted(worker, scheduler, after, arg);
}
