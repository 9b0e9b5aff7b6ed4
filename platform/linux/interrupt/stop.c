/* SPDX-License-Identifier: MIT
 *
 * stop.c - stopping threads that run, by a signal to the kernel thread that carries them; and when
 * the signal's handler may act.
 *
 * To suspend or end a thread from outside, another thread has to interrupt it. It sends a signal to
 * the kernel thread that carries it. The handler runs on the thread's own stack, and
 *     a worker        leaves its scheduler from within the handler, and returns from it when it is
 *                     executed again. It handles its signals there, too (signal_run.c)
 *     a plain thread  or a scheduler waits in the handler, or ends from there
 *
 * The handler may act only where a block, too, could have switched the thread away: outside this
 * library's own code, and not while the library calls libc or the vDSO with a lock held, or for a
 * worker's system call (`barred`). In the library a register may hold a scheduler's address, or the
 * thread may hold a lock. A handler's own calls use the worker's one record. A lent call counts as
 * outside (lent_gate.h), and so does a call that is made for the program as it stands
 * (program_gate.h). A thread that becomes a scheduler, or ceases to be one, may be in the clock's
 * code in the vDSO, which is not the library's. So `entered` says when the handler may act
 * (scheduler.c). A thread that is to end must be outside of libc, too: it could hold the heap's
 * lock, which its own destructors need (libc_place.h).
 *
 * Elsewhere the handler only sets `stop_due` in the thread's own block. The thread looks at that on
 * its way back to the program from functions that a loop may call: a wait, a signal, the release of
 * a lock, a clock, a system call by way of the library (stop_point.c). So a thread stops, too, that
 * no signal finds outside.
 *
 * The *nudge*, a timer, sends the signal again each millisecond until it has had its effect.
 * Threads that wait inside the library need no signal: they look when their wait is over. A
 * scheduler whose workers only yield is hardly ever found outside. Its `stop_due` makes it stop at
 * its next ExecuteUmsThread, and before and after a system call by way of the library. A stop that
 * is meant for the worker is in the worker's own word, which ExecuteUmsThread reads as well.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "platform/check.h"
#include "platform/container_of.h"
#include "platform/linux/calls/call_signal.h"
#include "platform/linux/calls/cancel.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/object.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/interrupt/fault.h"
#include "platform/linux/interrupt/home_signals.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/interrupt/libc_place.h"
#include "platform/linux/interrupt/registers.h"
#include "platform/linux/calls/lent_gate.h"
#include "platform/linux/calls/open_gate.h"
#include "platform/linux/calls/program_gate.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/libc_text.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/os/under_tool.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/fiber.h"
#include "platform/linux/switch/hold.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/platform.h"

enum { NUDGE_NS = 1000000 };

/* ---- In the handler -------------------------------------------------------------------------- */

static sigset_t handler_mask; /* the signals that the kernel blocks while the handler runs */
static void set_mask(const sigset_t *mask)
{
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, mask, 0, 8);
}

/* Stands still in the handler while the thread is suspended. Other threads may read the interrupted
 * registers meanwhile. `worker` is the worker that a scheduler has loaded, or the thread itself. */
static void stand_still_at(struct plat_thread *thread, struct plat_thread *worker,
                           ucontext_t *interrupted)
{
    if (!thread_must_stand(thread))
        return;
    ucontext_t *worker_before = registers_stand(worker, interrupted);
    ucontext_t *before = registers_stand(thread, interrupted);
    thread_stand_still(thread);
    registers_stand(thread, before);
    registers_stand(worker, worker_before);
}

/* The context is to look for its signals: a sleep of the library's own ends, and then goes on.
 * Other calls that sleep end with any signal. */
static void wake_up(ucontext_t *interrupted)
{
    greg_t *registers = interrupted->uc_mcontext.gregs;
    if (registers[REG_RIP] != (greg_t)raw_syscall_ip - 2 || registers[REG_RAX] != SYS_futex)
        return;
    registers[REG_RIP] += 2;
    registers[REG_RAX] = -EINTR;
}

static void stop_worker(struct plat_context *worker, ucontext_t *interrupted)
{
    struct plat_context *scheduler = worker->scheduler;
    sigset_t *mask = &interrupted->uc_sigmask;
    if (!scheduler)
        return;
    struct plat_thread *carried = scheduler->thread;
    stand_still_at(carried, worker->thread, interrupted);
    enum plat_nudge nudge = engine_core->worker_nudge(worker);
    if (nudge == NUDGE_END && busy_in_libc(interrupted)) {
        plat_tls.stop_due = true;
        return;
    }
    ucontext_t *stood_at = registers_stand(worker->thread, interrupted);
    if (atomic_load_explicit(&carried->stopping.ending, memory_order_acquire)) {
        set_mask(mask);
        engine_core->worker_detach(worker);
    } else if (nudge == NUDGE_SIGNAL || nudge == NUDGE_END) {
        /* The kernel thread goes on as the scheduler's. Another kernel thread may return here. */
        set_mask(mask);
        engine_core->worker_stop(worker);
    } else if (!signals_due(worker)) {
        registers_stand(worker->thread, stood_at);
        return;
    } else {
        set_mask(mask);
    }
    registers_stand(worker->thread, stood_at);
    signals_run_interrupted(worker, interrupted);
    /* The worker's handler has forked, and this thread is the child's plain one: the kernel has its
     * mask already. */
    if (plat_current() != worker)
        return;
    /* Blocks signals until the handler has returned, so that the next one interrupts the program's
     * code, and not the way back to it. */
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &handler_mask, mask, 8);
    RAW2(SYS_sigaltstack, 0, &interrupted->uc_stack);
}

static uintptr_t code_of(const ucontext_t *interrupted)
{
    return (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
}

static bool outside(const ucontext_t *interrupted)
{
    return !library_holds((const void *)code_of(interrupted)) ||
           lent_gate_holds(code_of(interrupted)) || program_gate_holds(interrupted);
}

/* `worker`: the worker that was interrupted, or NULL. */
static bool may_act(const ucontext_t *interrupted, struct plat_context *worker)
{
    return outside(interrupted) && !plat_tls.locks && !plat_tls.ending &&
           !(worker && worker->signals.barred);
}

/* Stops or ends a plain thread or a scheduler. */
static void act_on_thread(struct plat_context *self, ucontext_t *interrupted)
{
    struct plat_thread *thread = self ? self->thread : plat_tls.thread;
    if (!thread || (self && !self->runs.entered))
        return;
    if (self && signals_due(self))
        home_signals_met(self);
    stand_still_at(thread, thread, interrupted);
    if (!atomic_load_explicit(&thread->stopping.ending, memory_order_acquire))
        return;
    if (busy_in_libc(interrupted)) {
        plat_tls.stop_due = true;
        return;
    }
    set_mask(&interrupted->uc_sigmask);
    thread_end_here(thread);
}

static void on_stop(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    ucontext_t *interrupted = context;
    if (cancellation_trial(interrupted) || helper_interrupted(interrupted))
        return;
    struct plat_context *self = plat_current();
    bool is_worker = self && !self->is_scheduler;
    struct plat_thread *thread = self ? self->thread : plat_tls.thread;
    registers_answer(thread, interrupted);
    if (self && signals_due(self))
        wake_up(interrupted);
    if (!is_worker && outside(interrupted) && !plat_tls.locks)
        sync_call_leave(thread, interrupted);
    if (is_worker && self->scheduler)
        registers_answer(self->scheduler->thread, interrupted);
    if (is_worker)
        open_gate_leave(self, interrupted);
    if (is_worker && fault_was_noticed(self))
        fault_over(self, interrupted, may_act(interrupted, self));
    if (!may_act(interrupted, is_worker ? self : NULL)) {
        plat_tls.stop_due = true;
        return;
    }
    if (!is_worker) {
        act_on_thread(self, interrupted);
        return;
    }
    if (self->scheduler)
        home_signals_hold(self->scheduler);
    stop_worker(self, interrupted);
    if (lent_gate_holds(code_of(interrupted)) && plat_current() == self)
        fault_lend(self);
}

/* ---- The nudge ------------------------------------------------------------------------------- */

static void interrupt(pid_t tid)
{
    if (tid)
        RAW3(SYS_tgkill, own_pid(), tid, stop_signal);
}

/* The id of the kernel thread that carries a scheduler now; 0: none. */
static pid_t carried_by(const struct plat_context *scheduler)
{
    struct carrier *carrier = scheduler->runs.carrier;
    return carrier ? carrier->tid : scheduler->runs.hosted ? 0 : scheduler->tid;
}

/* With thread->binding held. Takes the next step to stop, end or interrupt the worker. False:
 * nothing is left to do. */
static bool nudge_worker(struct plat_thread *thread, struct plat_context *worker)
{
    struct plat_context *scheduler;
    switch (engine_core->worker_nudge(worker)) {
    case NUDGE_SIGNAL:
    case NUDGE_END:
        scheduler = worker->scheduler;
        if (scheduler)
            interrupt(carried_by(scheduler));
        return true;
    case NUDGE_CANCEL:
        if (!wait_cancel(thread))
            call_cancel(&worker->call);
        return true;
    case NUDGE_INTERRUPT:
        if (tls_at(worker->fs_base)->locks)
            return home_signals_wanted(); /* the worker looks when it goes on */
        if (!worker->call.in_flight)
            return wait_interrupt(thread) || home_signals_wanted();
        if (!call_interruptible(&worker->call))
            return home_signals_wanted();
        call_cancel(&worker->call);
        return true;
    case NUDGE_AGAIN:
        return true;
    case NUDGE_WAITS:
        if (sync_call_is_asked(thread) && worker->call.in_flight &&
            call_interruptible(&worker->call))
            call_cancel(&worker->call);
        return false;
    default:
        return home_signals_aside(worker);
    }
}

void thread_interrupt(const struct plat_thread *thread)
{
    const struct plat_context *scheduler = thread->context;
    interrupt(scheduler ? carried_by(scheduler) : thread->tid);
}

/* Whether the thread's call is to end and may be a system call. A thread that stands still gets no
 * signal, and one that waits at an address is woken instead (sync_call_wake). A call on top of
 * another wait needs the signal, though that wait has set `stopped`. */
static bool call_needs_signal(const struct plat_thread *thread, bool stopped, bool suspended)
{
    bool woken = atomic_load_explicit(&thread->stopping.sync_at, memory_order_relaxed);
    return sync_call_is_asked(thread) && !(stopped && (suspended || woken));
}

/* Its home is to run handlers: the thread that carries it begins that. */
static void interrupt_signalled(struct plat_context *scheduler)
{
    atomic_store_explicit(&scheduler->stop_due, true, memory_order_relaxed);
    interrupt(carried_by(scheduler));
}

static bool nudge_thread(struct plat_thread *thread)
{
    struct plat_context *scheduler = thread->context;
    bool stopped = atomic_load_explicit(&thread->stopping.stopped, memory_order_acquire);
    bool ending = atomic_load_explicit(&thread->stopping.ending, memory_order_acquire);
    bool suspended = atomic_load_explicit(&thread->stopping.count, memory_order_acquire);
    bool signalled = scheduler && scheduler->runs.hosted && signals_due(scheduler);
    if (signalled && !hold_is_on(scheduler))
        interrupt_signalled(scheduler);
    if (ending && stopped) {
        futex_wake(&thread->stopping.count, 1);
        wait_cancel(thread);
    } else if (ending || (suspended && !stopped)) {
        if (scheduler)
            atomic_store_explicit(&scheduler->stop_due, true, memory_order_relaxed);
        thread_interrupt(thread);
    } else {
        if (call_needs_signal(thread, stopped, suspended))
            thread_interrupt(thread);
        return signalled;
    }
    return true;
}

static bool nudge_once(struct plat_thread *thread)
{
    struct plat_context *context = thread->context;
    if (thread->ended)
        return false;
    bool again =
        context && !context->is_scheduler ? nudge_worker(thread, context) : nudge_thread(thread);
    if (!sync_call_is_asked(thread))
        return again;
    sync_call_wake(thread);
    return true;
}

static void nudge_again(struct plat_timer *timer)
{
    struct plat_thread *thread = CONTAINER_OF(timer, struct plat_thread, stopping.nudge);
    plat_lock(&thread->binding);
    bool again = nudge_once(thread);
    atomic_store_explicit(&thread->stopping.nudging, again, memory_order_relaxed);
    plat_unlock(&thread->binding);
    if (again) {
        timer->deadline = plat_now() + NUDGE_NS;
        timer_add(timer);
    } else {
        address_wake(&thread->stopping.nudging, UINT_MAX, NULL, NULL);
        object_drop(&thread->object);
    }
}

void thread_nudge(struct plat_thread *thread)
{
    if (thread->stopping.nudging || !nudge_once(thread))
        return;
    thread->stopping.nudging = true;
    object_hold(&thread->object);
    thread->stopping.nudge.fire = nudge_again;
    thread->stopping.nudge.deadline = plat_now() + NUDGE_NS;
    timer_add(&thread->stopping.nudge);
}

/* ---- The signal ------------------------------------------------------------------------------ */

static bool take_signal(int number)
{
    struct sigaction action;
    if (LIBC(sigaction)(number, NULL, &action) || action.sa_handler != SIG_DFL)
        return false;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_stop;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&handler_mask);
    sigdelset(&handler_mask, SIGSYS); /* these two end a process that blocks them: kept_action.h */
    sigdelset(&handler_mask, SIGSEGV);
    action.sa_mask = handler_mask;
    if (LIBC(sigaction)(number, &action, NULL))
        return false;
    stop_signal = number;
    return true;
}

/* Uses SIGSTKFLT, which Linux never sends on this processor: a real-time signal is refused (EAGAIN)
 * while the user's queue of signals is full. Where the program has a handler for SIGSTKFLT, or runs
 * under gdb, which does not deliver signals that it does not know, this uses a real-time signal.
 * Programs count from both ends of these, so the search begins in between. */
int stop_start(void)
{
    enum { FROM_THE_END = 5 };
    int count = SIGRTMAX - SIGRTMIN + 1;
    if (stop_signal)
        return 0;
    libc_locate();
    if (!tracer_found() && take_signal(SIGSTKFLT))
        return 0;
    for (int i = 0; i < count; i++)
        if (take_signal(SIGRTMIN + (2 * count - 1 - FROM_THE_END - i) % count))
            return 0;
    plat_log(
        "SIGSTKFLT and every real-time signal have handlers already: running threads cannot be "
        "suspended");
    return 0;
}
