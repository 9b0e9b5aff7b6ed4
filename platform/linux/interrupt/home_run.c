/* SPDX-License-Identifier: MIT
 *
 * home_run.c - see home_run.h.
 */
#include "platform/linux/interrupt/home_run.h"

#include <signal.h>

#include "platform/linux/current.h"
#include "platform/linux/dispatch/object.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/interrupt/home_signals.h"
#include "platform/linux/interrupt/signal_send.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/signal_stack.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/switch/hold.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/switch/switch.h"

static _Atomic unsigned generation; /* another value in each child of fork */

/* A hold has begun: workers whose nudges have ended, since they were to handle their signals when
 * they are executed, are looked at again. */
static void tell_workers(void)
{
    enum { AT_ONCE = 32 };
    struct plat_thread *due[AT_ONCE];
    unsigned told = 0, count;
    do {
        unsigned seen = count = 0;
        signals_enter();
        for (struct plat_context *at = signals_all.first; at && count < AT_ONCE;
             at = at->signals.next) {
            if (at->is_scheduler || !signals_due(at) || seen++ < told)
                continue;
            due[count++] = at->thread;
            object_hold(&at->thread->object);
        }
        plat_unlock(&signals_lock);
        for (unsigned i = 0; i < count; i++) {
            plat_lock(&due[i]->binding);
            thread_nudge(due[i]);
            plat_unlock(&due[i]->binding);
            object_drop(&due[i]->object);
        }
        told += count;
    } while (count == AT_ONCE);
}

/* Gives the calling thread the signals of the set that are queued at its context. */
static void take_home(struct plat_context *self, uint64_t set)
{
    siginfo_t info;
    for (;;) {
        signals_enter();
        self->signals.at_home = true;
        uint64_t open = set & ~*mask_of(self) & ~SIGNAL_BIT(SIGNAL_CANCEL);
        bool found = signal_dequeue(self, open, &info, NULL);
        if (found)
            signal_send_home(self, &info);
        plat_unlock(&signals_lock);
        if (!found)
            return;
    }
}

/* The calling thread is a plain one from here on, and handlers of the set's signals run. */
static void become_plain(struct plat_context *self, uint64_t set)
{
    uint64_t mask = *mask_of(self) | SIGNAL_BIT(SIGNAL_CANCEL);
    take_home(self, set);
    plat_tls.current = NULL;
    if (plat_tls.altstack.ss_size)
        RAW2(SYS_sigaltstack, &plat_tls.altstack, 0);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
}

/* Those that the worker has taken from the process go back as it leaves (signals_leave). */
void home_run_end(struct plat_context *worker)
{
    uint64_t own = ~UINT64_C(0);
    signals_enter();
    for (struct queued_signal *node = worker->signals.first; node; node = node->next)
        if (node->of_process)
            own &= ~SIGNAL_BIT(node->info.si_signo);
    plat_unlock(&signals_lock);
    become_plain(worker, own);
}

/* Runs what is open, as a plain thread. False: a handler has forked, and this is the child. */
static bool run_open(struct plat_context *self)
{
    unsigned before = atomic_load_explicit(&generation, memory_order_relaxed);
    uint64_t all = signals_of_engine(), mask;
    stack_t none = {.ss_flags = SS_DISABLE};
    become_plain(self, ~UINT64_C(0)); /* the handlers run in here */
    if (before != atomic_load_explicit(&generation, memory_order_relaxed))
        return false;
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, 8);
    if (plat_tls.altstack.ss_size)
        RAW2(SYS_sigaltstack, &none, 0);
    mask &= ~SIGNALS_UNTOUCHED;
    if (mask != *mask_of(self))
        signals_replace_mask(self, mask);
    return true;
}

/* Under signals_lock: queues what was sent to the home and is pending still. The thread is a plain
 * one meanwhile, so the context has not sent it to itself. */
static void take_back(struct plat_context *self)
{
    const struct timespec at_once = {0};
    siginfo_t info;
    for (uint64_t sent = self->signals.sent_home; sent; sent &= sent - 1) {
        uint64_t bit = sent & -sent;
        while (RAW4(SYS_rt_sigtimedwait, &bit, &info, &at_once, 8) > 0)
            signal_queue(self, &info, false);
    }
    self->signals.sent_home = 0;
}

/* True: nothing is left to do, and signals are queued at the context again. */
static bool finish(struct plat_context *self)
{
    signals_enter();
    take_back(self);
    bool over = !signals_for_home(self);
    if (over) {
        self->signals.at_home = false;
        plat_tls.current = self;
        if (self->is_scheduler && hold_is_on(self))
            home_signals_over(self);
    }
    plat_unlock(&signals_lock);
    return over;
}

bool home_run_earlier(struct plat_context *scheduler)
{
    do
        if (!run_open(scheduler))
            return false;
    while (!finish(scheduler));
    return true;
}

static _Noreturn void run_below(struct home *home, struct plat_context *self)
{
    home->forked = !run_open(self);
    ctx_load(home->above, thread_pointer());
}

static bool run(struct home *home, struct plat_context *self, void *below)
{
    if (!below)
        return run_open(self);
    ctx_leave((void *)run_below, home, self, below, thread_pointer(), &home->above);
    return !home->forked;
}

static _Atomic(struct plat_context *) arriving;

/* The worker may run as soon as it has arrived, with the thread pointer that this thread has. So
 * the signal thread has it arrive. */
static void let_arrive(struct plat_context *worker)
{
    struct plat_context *first = atomic_load_explicit(&arriving, memory_order_relaxed);
    do
        worker->signals.next_arriving = first;
    while (!atomic_compare_exchange_weak_explicit(&arriving, &first, worker, memory_order_release,
                                                  memory_order_relaxed));
    signals_poke();
}

void home_run_arrivals(void)
{
    struct plat_context *worker = atomic_exchange_explicit(&arriving, NULL, memory_order_acquire);
    while (worker) {
        struct plat_context *next = worker->signals.next_arriving;
        engine_core->worker_completed(worker);
        worker = next;
    }
}

/* A wait of the worker's that is over is still its thread's, for a thread that ends the worker. */
static uint32_t run_aside(struct home *home, struct plat_context *worker, void *below)
{
    struct plat_thread *thread = worker->thread;
    struct wait *armed = thread->armed;
    thread->armed = NULL;
    do
        if (!run(home, worker, below))
            return HOME_RETURN;
    while (!finish(worker));
    thread->armed = armed;
    switch (engine_core->held.aside_over(worker)) {
    case ASIDE_KILLED:
        wait_disarm(thread);
        return HOME_RETURN;
    case ASIDE_AWAITED:
        let_arrive(worker);
        return HOME_PARKED;
    default:
        return HOME_PARKED;
    }
}

uint32_t home_run_handlers(struct home *home)
{
    struct plat_context *self = plat_tls.current;
    void *below = home->below;
    atomic_store_explicit(&home->word, HOME_PARKED, memory_order_relaxed);
    if (!self->is_scheduler)
        return run_aside(home, self, below);
    tell_workers();
    do
        if (!run(home, self, below))
            return HOME_RETURN;
    while (!finish(self));
    atomic_fetch_and(&self->runs.hold, ~(uint32_t)HOLD_ENDS);
    hold_tell(self);
    return HOME_PARKED;
}

void home_run_forget(void)
{
    atomic_store_explicit(&arriving, NULL, memory_order_relaxed);
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}
