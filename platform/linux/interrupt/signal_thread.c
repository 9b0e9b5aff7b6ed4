/* SPDX-License-Identifier: MIT
 *
 * signal_thread.c - the thread that takes signals that are sent to the process, and finds a worker
 * for each.
 *
 * It waits in sigtimedwait for the signals that some worker has open or waits for, and for no
 * others. So the kernel chooses between it and the program's plain threads as between any threads.
 * A signal that every worker blocks stays pending in the kernel: sigpending shows it, plain threads
 * may take it later, and queued signals keep their order. When that set shrinks, the thread that
 * shrank it waits until this thread has seen the change (signals_sync). When it grows, the thread
 * sends a signal, the poke, and does not wait.
 *
 * A signal goes to a worker that waits for it; else to a worker that has it open and can be
 * interrupted, first to one that runs; else to the handler thread, which is always there and
 * handles it at once. The handler thread also handles signals for schedulers, and carries out
 * default actions.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/call_signal.h"
#include "platform/linux/calls/signal_wait.h"
#include "platform/linux/dispatch/object.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/interrupt/handler_thread.h"
#include "platform/linux/interrupt/home_run.h"
#include "platform/linux/interrupt/signal_send.h"
#include "platform/linux/interrupt/signal_thread.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/policy.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/os/signal_pending.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_taking.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/switch/carrier.h"

/* ---- Timers of single workers ---------------------------------------------------------------- */

enum { MOST_TIMERS = 256 };

/* Under signals_lock. The kernel's timer ids begin at 0. */
static struct {
    struct plat_context *worker; /* NULL: free */
    pid_t tid;
    int timer, number;
} timers[MOST_TIMERS];

bool signal_timer_add(int timer, struct plat_context *worker, int number)
{
    bool added = false;
    signals_enter();
    for (int i = 0; i < MOST_TIMERS && !added; i++) {
        if (timers[i].worker)
            continue;
        timers[i].worker = worker;
        timers[i].tid = worker->tid;
        timers[i].timer = timer;
        timers[i].number = number;
        waiting_change(SIGNAL_BIT(number), 1);
        added = true;
    }
    plat_unlock(&signals_lock);
    signals_poke();
    return added;
}

void signal_timer_remove(int timer)
{
    signals_enter();
    for (int i = 0; i < MOST_TIMERS; i++) {
        if (!timers[i].worker || timers[i].timer != timer)
            continue;
        timers[i].worker = NULL;
        waiting_change(SIGNAL_BIT(timers[i].number), -1);
    }
    plat_unlock(&signals_lock);
}

/* Gives a timer's signal to the timer's worker. True: the signal was a timer's. */
static bool give_to_owner(const siginfo_t *info)
{
    struct plat_context *owner = NULL;
    bool found = false;
    if (info->si_code != SI_TIMER)
        return false;
    signals_enter();
    for (int i = 0; i < MOST_TIMERS && !found; i++) {
        found = timers[i].worker && timers[i].timer == info->si_timerid &&
                timers[i].number == info->si_signo;
        if (found && timers[i].worker->tid == timers[i].tid)
            owner = timers[i].worker;
    }
    plat_unlock(&signals_lock);
    if (owner)
        signal_send(owner, info, true);
    return found;
}

/* ---- Finding a worker ------------------------------------------------------------------------ */

/* How soon the worker could run a handler. It reads without locks: a wrong guess costs time
 * only. */
static int readiness(struct plat_context *worker)
{
    struct plat_context *scheduler = worker->scheduler;
    struct carrier *carrier = scheduler ? scheduler->runs.carrier : NULL;
    if (worker->call.signal.waits)
        return 5; /* it waits for signals, in pause or sigsuspend */
    if (worker->call.in_flight)
        return call_interruptible(&worker->call) ? 3 : 0;
    if (carrier && carrier->context == worker)
        return 4;
    return atomic_load_explicit(&worker->thread->waits_at, memory_order_relaxed) ? 0
           : scheduler                                                           ? 2
                                                                                 : 1;
}

static struct plat_context *best_worker(uint64_t bit)
{
    struct plat_context *best = NULL;
    int most = 0;
    for (struct plat_context *worker = signals_all.first; worker; worker = worker->signals.next) {
        if (worker->is_scheduler || *mask_of(worker) & bit)
            continue;
        int now = readiness(worker);
        if (now > most) {
            best = worker;
            most = now;
        }
    }
    return best;
}

/* Gives the signal to a worker that waits for it. True: one did, and the lock is released. */
static bool give_to_waiter(const siginfo_t *info)
{
    for (struct plat_context *worker = signals_all.first; worker; worker = worker->signals.next) {
        struct call *call = &worker->call;
        if (!call->signal.waits || !(call->signal.set & SIGNAL_BIT(info->si_signo)))
            continue;
        int error = call->args[1] ? copy_out((void *)call->args[1], info, sizeof *info) : 0;
        bool mine = signal_wait_decide(call, error ? error : info->si_signo);
        plat_unlock(&signals_lock);
        if (mine)
            call_complete(call, call->result);
        return true;
    }
    return false;
}

bool signal_to_process(const siginfo_t *info)
{
    struct kernel_action action;
    uint64_t bit = SIGNAL_BIT(info->si_signo);
    bool known = signal_action(info->si_signo, &action);
    signals_enter();
    if (give_to_waiter(info))
        return true;
    if (!(signals_wanted() & bit) && !(bit & SIGNALS_OF_FAULTS)) {
        plat_unlock(&signals_lock);
        return false;
    }
    struct plat_context *worker = best_worker(bit);
    if (known && signal_ignored(info->si_signo, &action)) {
        plat_unlock(&signals_lock);
        return true;
    }
    if (!worker || action.handler == (void *)SIG_DFL || !signal_queue(worker, info, true)) {
        plat_unlock(&signals_lock);
        if (bit & SIGNALS_OF_FAULTS)
            return false;
        handler_thread_signal(info);
        return true;
    }
    struct plat_thread *thread = worker->thread;
    object_hold(&thread->object);
    plat_unlock(&signals_lock);
    if (worker != plat_current())
        signals_tell(worker);
    object_drop(&thread->object);
    return true;
}

/* ---- The thread ------------------------------------------------------------------------------ */

static void dispatch(const siginfo_t *info)
{
    /* If the last worker that had the signal open has just blocked it, it stays with the
     * process. */
    if (!give_to_owner(info) && !signal_to_process(info))
        signal_give_back(info);
}

/* The kernel delivers the poke before signals that were sent earlier. So after a poke this takes
 * those signals, too: their sender may wait in signals_sync. That wait ends when the set of wanted
 * signals was read again, however fast such a signal comes. */
static void catch_up(void)
{
    siginfo_t info;
    uint32_t asked;
    uint64_t sent, set = signals_look_again(&asked, &sent);
    struct signal_round round = {.set = set & sent};
    home_run_arrivals();
    while (signal_take(&round, &info))
        dispatch(&info);
    signals_looked(asked);
}

/* If the kernel had no room for the sender's siginfo, it names itself as the sender. */
static bool is_poke(const siginfo_t *info)
{
    return info->si_code == SI_TKILL || (info->si_code == SI_USER && !info->si_pid);
}

enum { LOOK_NS = 1000000 };

/* This thread can take no signals, not even pokes. So it looks from time to time for threads that
 * wait in signals_sync. */
static void without_signals(bool refused)
{
    static _Atomic uint32_t never;
    if (refused)
        plat_log_once("signals of the process do not come to workers: a sandbox refuses "
                      "rt_sigtimedwait and signalfd4; allow one of them");
    futex_wait_until(&never, 0, plat_now() + LOOK_NS);
    catch_up();
}

static void *signal_main(void *unused)
{
    kthread_name("ums:signals");
    uint64_t all = ~(SIGNALS_OF_FAULTS | SIGNALS_OF_LIBC);
    (void)unused;
    plat_tls.counting.counted = true;
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, 8); /* pokes are taken, not handled */
    policy_rises();
    signals_thread_arrives();
    for (;;) {
        siginfo_t info;
        int poke_signal = signals_poke_signal();
        uint64_t set = signals_look_again(NULL, NULL) | SIGNAL_BIT(poke_signal);
        long r = signal_await(set, &info);
        if (r == poke_signal && is_poke(&info))
            catch_up();
        else if (r > 0)
            dispatch(&info);
        else if (r < 0 && r != -EINTR) /* signalfd4 fails also when no descriptor is free */
            without_signals(call_was_refused(r));
    }
    return NULL;
}

int signals_start(void)
{
    pthread_t thread;
    signals_thread_expected(stop_signal ? stop_signal : SIGURG);
    int error = kthread_create(&thread, 128 << 10, signal_main, NULL);
    if (!error)
        signals_thread_await();
    return error;
}
