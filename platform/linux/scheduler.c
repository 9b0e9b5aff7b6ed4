/* SPDX-License-Identifier: MIT
 *
 * scheduler.c - a thread turned scheduler, and back: its home parks meanwhile (home.c).
 *
 * A scheduler that its own thread carries has its signals open, also while it enters and leaves.
 * `runs.enter_sp` can be gone back to only while `runs.entered` is set: outside of that the handler
 * of stop.c does nothing. The scheduler looks at signals due then as it leaves, and the nudge asks
 * for them again.
 */
#include <string.h>

#include "platform/check.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/interrupt/home_run.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/libc/unseen.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/os/decoder.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/niceness.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/start.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/switch/give_way.h"
#include "platform/linux/os/policy.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/switch/switch.h"
#include "platform/linux/traps/errand.h"
#include "platform/linux/traps/fault_watch.h"
#include "platform/linux/os/program_threads.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/signal_stack.h"
#include "platform/linux/libc/redirect.h"
#include "platform/linux/libc/sites.h"
#include "platform/linux/libc/trap.h"
#include "platform/linux/threads/thread.h"
#include "platform/linux/traps/lanes.h"
#include "platform/platform.h"
#include "platform/trace/trace.h"

/* Without a listener the thread carries its scheduler itself. */
static void enter_in_place(struct plat_context *scheduler, void *unused)
{
    (void)unused;
    scheduler->runs.entered = true;
    atomic_signal_fence(memory_order_seq_cst); /* on_stop reads it */
    engine_core->activate(scheduler, PLAT_ENTRY_FIRST);
}

static __attribute__((noinline)) uint32_t enter_and_wait(struct plat_context *scheduler)
{
    struct home home = {.word = HOME_PARKED};
    scheduler->home = &home;
    if (!scheduler->runs.hosted) {
        ctx_leave((void *)enter_in_place, scheduler, NULL, scheduler->sp, scheduler->fs_base,
                  &scheduler->runs.enter_sp);
    } else {
        void *frame[5];
        if (__builtin_setjmp(frame))
            return scheduler->runs.last_word; /* leave_alone */
        scheduler->runs.enter_sp = frame;
        lane_host(scheduler->lane, scheduler);
    }
    return home_park(&home);
}

static void bind_thread(struct plat_thread *thread, struct plat_context *context)
{
    plat_lock(&thread->binding);
    thread->context = context;
    plat_unlock(&thread->binding);
}

int plat_scheduler_enter(struct plat_context *scheduler)
{
    sigset_t old;
    cpu_set_t allowed;
    if (engine_start())
        return 8;
    long n = RAW3(SYS_sched_getaffinity, 0, sizeof allowed, &allowed);
    if (n > 0 && (size_t)n < sizeof allowed)
        memset((char *)&allowed + n, 0, sizeof allowed - (size_t)n);
    scheduler->runs.allowed = allowed;
    scheduler->runs.real_time = policy_of_scheduler();
    scheduler->lane = lane_for(&allowed);
    scheduler->runs.hosted = scheduler->lane && lane_hosts(scheduler->lane);
    if (scheduler->lane && !scheduler->runs.hosted)
        redirect_unseen(unseen_rows);
    if (scheduler->lane)
        sites_start(scheduler->runs.hosted && !fault_watch_wanted());
    void *fault_stack = NULL;
    if (!scheduler->runs.hosted && faults_take()) {
        fault_stack = fault_stack_begin();
        engine_caps.fault_stacks = true;
    }
    if (fault_watch_wanted())
        decoder_open(); /* also without sites */
    scheduler->fs_base = thread_pointer();
    scheduler->tid = own_tid();
    scheduler->sp = stack_below(__builtin_frame_address(0), SHARED_STACK_GAP);
    scheduler->thread = thread_current();
    if (!scheduler->thread)
        return 8;
    atomic_store_explicit(&scheduler->stop_due, false, memory_order_relaxed);
    niceness_find(&scheduler->runs.own, scheduler->tid);

    trace_enter(scheduler, (uint32_t)scheduler->tid,
                scheduler->lane ? (unsigned)scheduler->lane->cpu + 1 : 0);
    signals_block(&old);
    plat_tls.sigmask = old;
    plat_tls.tid = scheduler->tid;
    plat_tls.current = scheduler;
    cpu_time_scheduler_enters(scheduler);
    bind_thread(scheduler->thread, scheduler);
    thread_set_priority(scheduler->thread, scheduler->thread->priority);
    thread_tell_name(scheduler->thread);
    tid_map_home(scheduler->tid, scheduler);
    if (scheduler->runs.hosted)
        signals_join(scheduler);
    if (scheduler->runs.hosted)
        rseq_leave();
    else
        signals_restore(&old); /* it stays an ordinary thread */

    program_scheduler_entered();
    if (UMS_UNLIKELY(scheduler->runs.real_time))
        give_way_begin();
    fault_watch_wake(scheduler);
    engine_clock_set(plat_now());
    bool stays = !scheduler->runs.hosted || home_run_earlier(scheduler);
    uint32_t word = stays ? enter_and_wait(scheduler) : HOME_RETURN;
    if (UMS_UNLIKELY(scheduler->runs.real_time))
        give_way_end();
    program_scheduler_left();
    fault_watch_sleep(scheduler);
    scheduler->runs.entered = false;
    atomic_signal_fence(memory_order_seq_cst); /* on_stop reads it */

    if (scheduler->runs.hosted)
        signals_leave(scheduler);
    if (scheduler->lane)
        lane_leave(scheduler->lane);
    if (scheduler->runs.hosted) {
        rseq_join();
        old = plat_tls.sigmask;
    }
    tid_map_home(scheduler->tid, NULL);
    trace_left(scheduler);
    cpu_time_scheduler_left(scheduler);
    bind_thread(scheduler->thread, NULL);
    niceness_take(&scheduler->runs.own, 0);
    plat_tls.current = NULL;
    fault_stack_end(fault_stack);
    signals_restore(&old);
    struct plat_thread *thread = scheduler->thread;
    if (word == HOME_EXIT || atomic_load_explicit(&thread->stopping.ending, memory_order_acquire))
        return PLAT_EXIT_THREAD;
    /* A thread that enters and leaves all the time is seldom outside when it is to stop. */
    thread_stop_point(thread);
    return 0;
}

_Noreturn void plat_thread_exit(void)
{
    thread_exit(thread_current()->exit_code);
}
