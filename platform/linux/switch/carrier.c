/* SPDX-License-Identifier: MIT
 *
 * carrier.c - carriers: their idle loop, and how they get and lose a scheduler.
 *
 * An idle carrier runs on its own small stack with its own thread pointer, and sleeps on its word.
 * When it gets a scheduler it loads that one's stack and thread pointer. It comes back to its own
 * stack when the scheduler ends, or is taken away while the carrier sleeps in a page fault or a
 * lent call of a worker (interrupt/fault.h).
 */
#include <errno.h>
#include <string.h>

#include "platform/check.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/port_limit.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/niceness.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/switch/switch.h"
#include "platform/platform.h"
#include "platform/trace/trace.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/thread_pointer.h"
#include "platform/linux/os/signal_stack.h"

/* The processors that a scheduler's carriers should have: its lane's one, if the scheduler may run
 * there. */
static void wanted_affinity(const struct plat_context *scheduler, cpu_set_t *want)
{
    const struct lane *lane = scheduler->lane;
    if (CPU_ISSET(lane->cpu, &scheduler->runs.allowed)) {
        CPU_ZERO(want);
        CPU_SET(lane->cpu, want);
    } else {
        *want = scheduler->runs.allowed;
    }
}

/* Moves a carrier to processors on which its new scheduler may run. Makes no system call if it is
 * there already. */
static void follow_affinity(struct carrier *carrier, const struct plat_context *scheduler)
{
    cpu_set_t want;
    lane_show(scheduler);
    wanted_affinity(scheduler, &want);
    if (memcmp(&want, &carrier->affinity, sizeof want) == 0)
        return;
    carrier->affinity = want;
    RAW3(SYS_sched_setaffinity, carrier->tid, sizeof want, &want);
}

/* The scheduler gets other processors: the carrier that has it follows at once, later ones when
 * they take it. */
void scheduler_affinity(struct plat_context *scheduler, const cpu_set_t *allowed)
{
    scheduler->runs.allowed = *allowed;
    for (int cpu = 0; trace_on() && cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, allowed))
            continue;
        trace_record(NULL, TRACE_LANE, scheduler, (uint64_t)cpu + 1, (uint32_t)CPU_COUNT(allowed),
                     0);
        break;
    }
    if (scheduler->runs.carrier)
        follow_affinity(scheduler->runs.carrier, scheduler);
}

/* The carrier goes on as the scheduler: on its stack, with its thread pointer. */
static _Noreturn void enter_scheduler(struct plat_context *scheduler, void *unused)
{
    (void)unused;
    enum plat_entry why = !scheduler->runs.entered ? PLAT_ENTRY_FIRST
                          : scheduler->by_fault    ? PLAT_ENTRY_FAULT
                                                   : PLAT_ENTRY_CALL;
    scheduler->runs.entered = true;
    cpu_time_start(scheduler);
    engine_core->activate(scheduler, why);
    UMS_FATAL("an activation returned", scheduler, 0);
}

static _Noreturn void carrier_idle(struct carrier *carrier, void *unused)
{
    (void)unused;
    struct lane *lane = carrier->lane;
    struct plat_context *scheduler;
    carrier->context = NULL;
    carrier->scheduler = NULL;
    niceness_take(&carrier->niceness, 0); /* else it would wake up late for its next scheduler */

    plat_lock(&lane->hosting.lock);
    if (!carrier->seen) {
        carrier->seen = true;
        lane->hosting.coming--;
        lane->hosting.carriers++;
    }
    scheduler = lane->hosting.starving;
    if (scheduler) {
        lane->hosting.starving = scheduler->runs.next;
        if (!lane->hosting.starving)
            lane->hosting.starving_end = &lane->hosting.starving;
        lane->hosting.starving_count--;
    } else {
        carrier->next_idle = lane->hosting.idle;
        lane->hosting.idle = carrier;
        lane->hosting.idle_count++;
    }
    plat_unlock(&lane->hosting.lock);

    if (!scheduler) {
        while (!atomic_load_explicit(&carrier->word, memory_order_acquire))
            futex_wait(&carrier->word, 0);
        atomic_store_explicit(&carrier->word, 0, memory_order_relaxed);
        scheduler = carrier->assigned;
    }
    carrier->scheduler = scheduler;
    cpu_time_carry(scheduler, carrier);
    follow_affinity(carrier, scheduler);
    niceness_take(&carrier->niceness, scheduler->runs.steps);
    ctx_jump((void *)enter_scheduler, scheduler, NULL, scheduler->sp, scheduler->fs_base);
}

/* The carrier goes on here, on its own stack, and has the worker arrive. */
static _Noreturn void arrived(struct carrier *carrier, void *arg)
{
    struct plat_context *worker = arg;
    engine_core->worker_completed(worker); /* from here on the worker may run elsewhere */
    carrier_idle(carrier, NULL);
}

void carrier_arrive(struct plat_context *worker)
{
    struct carrier *carrier = worker->kernel_at;
    struct plat_context *scheduler = worker->scheduler;
    worker->call.in_flight = false;
    worker->kernel_at = NULL;
    if (scheduler && lane_unhost(scheduler->lane, scheduler, worker)) {
        engine_core->worker_unblocked(worker);
    } else {
        cpu_time_stop(worker);
        ctx_leave((void *)arrived, carrier, worker, carrier->base_sp, carrier->fs_base,
                  &worker->sp);
    }
    place_take(worker->thread);
}

void *carrier_main(void *arg)
{
    kthread_name("ums:carrier");
    struct lane *lane = arg;
    struct carrier *carrier = plat_reserve(sizeof *carrier);
    if (!carrier)
        return NULL;
    carrier->lane = lane;
    carrier->tid = own_tid();
    carrier->fs_base = thread_pointer();
    carrier->base_sp = stack_below(__builtin_frame_address(0), 512);
    niceness_find(&carrier->niceness, carrier->tid);
    RAW3(SYS_sched_getaffinity, carrier->tid, sizeof carrier->affinity, &carrier->affinity);
    if (tid_map_carrier(carrier->tid, carrier))
        return NULL;
    thread_pointer_guard_own();
    if (engine_caps.trapped)
        signal_stack_of_carrier(carrier->base_sp);
    ctx_jump((void *)carrier_idle, carrier, NULL, carrier->base_sp, carrier->fs_base);
}

/* ---- Waking a home --------------------------------------------------------------------------- */

void worker_go_home(struct plat_context *worker)
{
    struct home *home = worker->home;
    atomic_store_explicit(&home->word, HOME_RETURN, memory_order_release);
    futex_wake(&home->word, 1); /* the home may be gone: nobody is there to wake */
}

/* On the carrier's own stack. The scheduler's stack was left, and its home thread may return
 * through it. The home may be gone before the wake-up, which then wakes no thread. */
static _Noreturn void leave_scheduler(struct carrier *carrier, struct plat_context *scheduler)
{
    struct home *home = scheduler->home;
    atomic_store_explicit(&home->word, scheduler->runs.last_word, memory_order_release);
    futex_wake(&home->word, 1);
    carrier_idle(carrier, NULL);
}

/* In a process that the scheduler's entry point forked no home is parked. So its only thread goes
 * back to the home's frames itself. */
static _Noreturn void leave_alone(struct plat_context *scheduler)
{
    __builtin_longjmp(scheduler->runs.enter_sp, 1);
}

_Noreturn void plat_scheduler_leave(struct plat_context *scheduler, bool exit_thread)
{
    struct carrier *carrier = scheduler->runs.carrier;
    cpu_time_stop(scheduler);
    scheduler->runs.last_word = exit_thread ? HOME_EXIT : HOME_RETURN;
    if (scheduler->runs.hosted && plat_left_alone(scheduler))
        leave_alone(scheduler);
    if (!carrier) {
        atomic_store_explicit(&scheduler->home->word, scheduler->runs.last_word,
                              memory_order_release);
        ctx_load(scheduler->runs.enter_sp, scheduler->fs_base);
    }
    ctx_jump((void *)leave_scheduler, carrier, scheduler, carrier->base_sp, carrier->fs_base);
}
