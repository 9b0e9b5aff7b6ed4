/* SPDX-License-Identifier: MIT
 *
 * The handler of the stop signal (platform/linux/interrupt/stop.c): it acts where the thread could
 * have been switched away, and nowhere else; there the thread looks itself (stop_point.c).
 */
#include "platform/linux/interrupt/stop.c"
#include "platform/linux/interrupt/stop_point.c"

#include "stop_doubles.h"

/* The thread stands still until it is resumed: at once. */
static long kernel(long nr, const long args[6])
{
    if (nr == SYS_futex && args[0] == (long)&thread.stopping.count) {
        EXPECT_EQ(atomic_load(&thread.stopping.stopped), true);
        stood++;
        atomic_store(&thread.stopping.count, 0);
    }
    return 0;
}

static uintptr_t stack[4];

/* The calling thread is suspended, and interrupted at this instruction. */
static void interrupt_at(const void *code)
{
    siginfo_t info;

    memset(&info, 0, sizeof info);
    memset(&interrupted, 0, sizeof interrupted);
    interrupted.uc_mcontext.gregs[REG_RIP] = (greg_t)code;
    interrupted.uc_mcontext.gregs[REG_RSP] = (greg_t)stack;
    atomic_store(&thread.stopping.count, thread.stopping.ending ? 0 : 1);
    stood = 0;
    stopped_workers = 0;
    left_calls = 0;
    held_schedulers = home_handled = 0;
    if (!setjmp(at_end))
        on_stop(stop_signal, &info, &interrupted);
    else
        ended++;
}

static const void *outside_the_library(void)
{
    const void *code = (const void *)(uintptr_t)0x1000;

    EXPECT_EQ(library_holds(code), false);
    return code;
}

static const void *inside_the_library(void)
{
    const void *code = (const void *)(uintptr_t)&on_stop;

    EXPECT_EQ(library_holds(code), true);
    return code;
}

static void start(void)
{
    memset(&thread, 0, sizeof thread);
    memset(&plat_tls, 0, sizeof plat_tls);
    plat_tls.thread = &thread;
    in_libc = false;
    ended = 0;
    double_syscall = kernel;
}

TEST(StopHandler, a_thread_stands_still_outside_the_library_only)
{
    start();
    interrupt_at(outside_the_library());
    EXPECT_EQ(stood, 1u);
    interrupt_at(inside_the_library());
    EXPECT_EQ(stood, 0u);
    interrupt_at((const void *)(uintptr_t)&lent_gate);
    EXPECT_EQ(stood, 1u); /* it waits there as in a call of its own */
}

TEST(StopHandler, a_thread_with_a_lock_or_on_its_way_out_goes_on)
{
    start();
    plat_tls.locks = 1;
    interrupt_at(outside_the_library());
    EXPECT_EQ(stood, 0u);
    plat_tls.locks = 0;
    plat_tls.ending = true;
    interrupt_at(outside_the_library());
    EXPECT_EQ(stood, 0u);
}

/* A system call of the library's own is made whoever has asked for the program's call to end. */
TEST(StopHandler, a_call_is_left_outside_the_library_only)
{
    start();
    interrupt_at(outside_the_library());
    EXPECT_EQ(left_calls, 1u);
    interrupt_at(inside_the_library());
    EXPECT_EQ(left_calls, 0u);
    plat_tls.locks = 1;
    interrupt_at(outside_the_library());
    EXPECT_EQ(left_calls, 0u);
}

TEST(StopHandler, a_thread_that_waits_stands_on_top_and_waits_on)
{
    start();
    interrupt_at(outside_the_library());
    EXPECT_EQ(atomic_load(&thread.stopping.stopped), false);
    atomic_store(&thread.stopping.stopped, true);
    interrupt_at(outside_the_library());
    EXPECT_EQ(stood, 1u);
    EXPECT_EQ(atomic_load(&thread.stopping.stopped), true);
}

TEST(StopHandler, a_thread_ends_outside_the_library_and_libc)
{
    start();
    thread.stopping.ending = true;
    interrupt_at(inside_the_library());
    EXPECT_EQ(ended, 0u);
    in_libc = true;
    interrupt_at(outside_the_library());
    EXPECT_EQ(ended, 0u);
    in_libc = false;
    interrupt_at(outside_the_library());
    EXPECT_EQ(ended, 1u);
}

/* The thread is a worker, and is to be stopped. */
static void start_worker(void)
{
    static struct plat_context worker, scheduler;
    static struct plat_thread schedulers;

    start();
    scheduler.thread = &schedulers;
    worker.scheduler = &scheduler;
    plat_tls.current = &worker;
    wanted = NUDGE_SIGNAL;
}

TEST(StopHandler, a_worker_stops_outside_the_library_only)
{
    start_worker();
    interrupt_at(outside_the_library());
    EXPECT_EQ(stopped_workers, 1u);
    EXPECT_EQ(held_schedulers, 1u); /* which looks whether a signal was sent to it */
    interrupt_at(inside_the_library());
    EXPECT_EQ(stopped_workers, 0u);
    EXPECT_EQ(held_schedulers, 0u);
    plat_tls.locks = 1;
    interrupt_at(outside_the_library());
    EXPECT_EQ(stopped_workers, 0u);
    plat_tls.locks = 0;
    plat_tls.current->signals.barred = true; /* a handler would make a call in its call's place */
    interrupt_at(outside_the_library());
    EXPECT_EQ(stopped_workers, 0u);
    EXPECT_EQ(plat_tls.stop_due, true);
    plat_tls.current->signals.barred = false;
    in_libc = true; /* it may hold the heap's lock, and goes on later */
    interrupt_at(outside_the_library());
    EXPECT_EQ(stopped_workers, 1u);
    wanted = NUDGE_END;
    interrupt_at(outside_the_library());
    EXPECT_EQ(stopped_workers, 0u);
    plat_tls.current = NULL;
}

/* A worker whose scheduler is taken leaves with its call's record. */
TEST(StopHandler, a_worker_is_moved_out_of_a_fault_only_where_it_could_stop)
{
    start_worker();
    atomic_store(&plat_tls.current->fault.lent, FAULT_ASKED);
    interrupt_at(outside_the_library());
    EXPECT_EQ(could_move, true);
    interrupt_at(inside_the_library());
    EXPECT_EQ(could_move, false);
    plat_tls.current->signals.barred = true;
    interrupt_at(outside_the_library());
    EXPECT_EQ(could_move, false);
    plat_tls.current->signals.barred = false;
    atomic_store(&plat_tls.current->fault.lent, FAULT_NO);
    plat_tls.current = NULL;
}

/* A signal was sent to the scheduler, which runs its entry point. */
TEST(StopHandler, a_scheduler_lets_its_home_handle_outside_the_library_only)
{
    static struct plat_context scheduler = {.is_scheduler = true, .thread = &thread};

    start();
    plat_tls.current = &scheduler;
    scheduler.runs.entered = true;
    interrupt_at(outside_the_library());
    EXPECT_EQ(home_handled, 0u);
    atomic_store(&scheduler.signals.due, true);
    interrupt_at(outside_the_library());
    EXPECT_EQ(home_handled, 1u);
    interrupt_at(inside_the_library());
    EXPECT_EQ(home_handled, 0u);
    plat_tls.current = NULL;
}

TEST(StopHandler, a_worker_met_inside_stops_at_the_end_of_its_call)
{
    start_worker();
    interrupt_at(inside_the_library());
    stop_look_behind(inside_the_library()); /* which may hold something */
    EXPECT_EQ(stopped_workers, 0u);
    stop_look_behind(outside_the_library());
    EXPECT_EQ(stopped_workers, 1u);
    stop_look_behind(outside_the_library());
    EXPECT_EQ(stopped_workers, 1u);
    wanted = NUDGE_END;
    interrupt_at(inside_the_library());
    in_libc = true; /* libc may hold a lock */
    stop_look_behind(outside_the_library());
    EXPECT_EQ(stopped_workers, 0u);
    in_libc = false;
    stop_look_behind(outside_the_library());
    EXPECT_EQ(stopped_workers, 1u);
    wanted = NUDGE_NOTHING;
    interrupt_at(inside_the_library());
    stop_look_behind(outside_the_library());
    EXPECT_EQ(stopped_workers, 0u);
    plat_tls.current = NULL;
}
