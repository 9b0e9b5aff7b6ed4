/* SPDX-License-Identifier: MIT
 *
 * start.c - bringing the engine up: the seam's plat_init, what the parts ask of each other, the
 * threads.
 */
#include "platform/check.h"
#include "platform/linux/async/ready_set.h"
#include "platform/linux/async/shared_bell.h"
#include "platform/linux/calls/broker.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/calls/file_sleep.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/set_sleep.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/calls/watched.h"
#include "platform/linux/current.h"
#include "platform/linux/inspect/standstill.h"
#include "platform/linux/inspect/trace_start.h"
#include "platform/linux/switch/hold.h"
#include "platform/linux/interrupt/home_signals.h"
#include "platform/linux/interrupt/handler_thread.h"
#include "platform/linux/interrupt/signal_send.h"
#include "platform/linux/interrupt/signal_thread.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/start.h"
#include "platform/linux/traps/filter.h"
#include "platform/platform.h"
#include "platform/switches/switches.h"
#include "platform/trace/file.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/own_memory.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/unwinding.h"
#include "platform/linux/libc/redirect.h"
#include "platform/linux/libc/trap.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/traps/fault_watch.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/threads/thread.h"

static PLAT_LOCK(START) init_lock;
static _Atomic int state; /* 0 not yet, 1 up, 2 refused */
static bool threads_up;

/* The threads that look at schedulers. The engine's threads may be older than the core: a program
 * may make a process or a named pipe before it uses UMS. With the lock, when there are both. */
static void look_on(void)
{
    standstill_watch();
    trace_start();
}

int plat_init(const struct plat_core *core)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (UMS_UNLIKELY(!now)) {
        plat_lock(&init_lock);
        now = atomic_load_explicit(&state, memory_order_relaxed);
        if (!now) {
            engine_core = core;
            unwinding_calls(UNWINDING_WORKER, core->worker_unwound);
            unwinding_calls(UNWINDING_ENTRY, core->entry_unwound);
            switches_check(SWITCHES_OF_LINUX);
            own_files_room();
            now = caps_probe() ? 1 : 2;
            if (now == 1)
                libc_try();
            if (now == 1)
                trace_begin();
            if (now == 1 && threads_up)
                look_on();
            atomic_store_explicit(&state, now, memory_order_release);
        }
        plat_unlock(&init_lock);
    }
    return now == 1 ? 0 : 50;
}

enum { FUTEX_HASH = 78, SET_SLOTS = 1, GET_SLOTS = 2, SLOTS = 4096 }; /* prctl's */

/* From Linux 6.16 on a process has its own table of futexes, sized by its processors: 16 slots on
 * two. Every parked home waits in one, so with thousands of workers each wake-up would walk past
 * hundreds. Where the call is not known, the table is the system's and large.
 *
 * The kernel makes the small table with a process's second thread. To replace it takes 30 ms, so a
 * process that has none yet gets the large one when it loads this library. */
static void widen_futex_table(bool unless_there_is_one)
{
    long slots = RAW5(SYS_prctl, FUTEX_HASH, GET_SLOTS, 0, 0, 0);
    if (slots == 0 || (slots > 0 && slots < SLOTS && !unless_there_is_one))
        RAW5(SYS_prctl, FUTEX_HASH, SET_SLOTS, SLOTS, 0, 0);
}

int engine_start(void)
{
    int error = 0;
    /* Called before init_lock is taken, for it may need the dynamic linker's lock. A thread that
     * opens a library has that one, and the library's constructor may come here. */
    if (!atomic_load_explicit(&engine_threads, memory_order_acquire))
        redirect_modules(); /* also what libc itself has loaded since */
    plat_lock(&init_lock);
    if (!threads_up) {
        widen_futex_table(false);
        atomic_store_explicit(&engine_threads, true, memory_order_release);
        own_process_note();
        own_memory_note();
        bare_thread_init();
        kthread_name_begin();
        error = stop_start() || broker_start() || timer_start() || handler_thread_start() ||
                        signals_start()
                    ? 8
                    : 0;
        threads_up = !error;
        if (threads_up)
            fault_watch();
        if (threads_up && engine_core)
            look_on();
    }
    plat_unlock(&init_lock);
    return error;
}

static void scheduler_sleeps(struct plat_context *scheduler)
{
    if (scheduler->lane) {
        futex_table_arm(scheduler->lane);
        watched_before_sleep(scheduler->lane);
    }
    fault_watch_sleep(scheduler);
}

static bool scheduler_sleeps_on(struct plat_context *scheduler, _Atomic uint32_t *go,
                                uint64_t deadline)
{
    struct lane *lane = scheduler->lane;
    if (lane && deadline == PLAT_FOREVER && set_sleep(lane, scheduler->runs.hosted, go))
        return true;
    if (lane) {
        /* One under a real-time policy does not wait until another one has a processor. */
        if (deadline != PLAT_FOREVER || scheduler->runs.real_time || !file_sleep_join(lane))
            poller_arm_all(lane);
        watched_sleeps_elsewhere(lane);
    }
    return false;
}

static void scheduler_wakes(struct plat_context *scheduler)
{
    if (scheduler->lane)
        watched_after_sleep(scheduler->lane);
    fault_watch_wake(scheduler);
}

static void run_signals(struct plat_context *worker)
{
    signals_run(worker, NULL);
}

/* Ahead of this library's other constructors, and of those of all that depend on it. */
static __attribute__((constructor(101))) void set_hooks(void)
{
    widen_futex_table(true);
    redirect_ours = front_ours;
    filter_before = trap_take;
    signals_rest = signals_tell;
    signals_stand = home_signals_stand;
    hold_handlers = run_signals;
    dispatch_hooks = (struct dispatch_hooks){.start = engine_start,
                                             .join = shared_bell_join,
                                             .before_sleep = scheduler_sleeps,
                                             .after_sleep = scheduler_wakes,
                                             .sleep = scheduler_sleeps_on,
                                             .after_wait = thread_stop_point,
                                             .signals_due = run_signals,
                                             .port_empty = ready_look,
                                             .place_free = port_settle,
                                             .thread_ended = thread_ended};
}

void engine_forget(void)
{
    atomic_store_explicit(&engine_threads, false, memory_order_relaxed);
    plat_lock_forget(&init_lock);
    threads_up = false;
}
