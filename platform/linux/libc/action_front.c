/* SPDX-License-Identifier: MIT
 *
 * action_front.c - libc's functions that set a signal's action, for every thread.
 *
 * libc's own functions of this kind (signal, sigset and others) call its sigaction inside libc,
 * past the front of sigaction. So each of them has a front here. In a program that is compiled as
 * strict C `signal` is one of them, __sysv_signal. There are three kinds of signals:
 *   the stop signal   its action in the kernel is the library's from the start on, as those of
 *                     libc's own two signals are libc's. A program may set the default or SIG_IGN,
 *                     which the library remembers and tells, without effect: run times set every
 *                     signal's action to the default before they start a program, and give up
 *                     where that fails
 *   kept signals      see signals/kept_action.h
 *   the others        libc sets the action. If it is to ignore the signal, the library drops what
 *                     is pending of it
 * In the child of a vfork all actions are the kernel's: what the library keeps, and what is
 * pending, is the parent's.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <signal.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/current.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_memory.h"
#include "platform/linux/signals/kept_action.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"

/* The program's action for the stop signal: SIG_IGN, else the default. */
static _Atomic bool stop_ignored;

static bool stops_threads(int number)
{
    return UMS_UNLIKELY(number == stop_signal && number);
}

/* In the child of a vfork the kernel's action is the child's own. What the library keeps is the
 * parent's. */
static int stop_action_in_vfork(const struct sigaction *action, struct sigaction *old)
{
    struct sigaction before;
    if (LIBC(sigaction)(stop_signal, action, &before))
        return -1;
    bool ignored = before.sa_handler == SIG_DFL ? false
                   : before.sa_handler == SIG_IGN
                       ? true
                       : atomic_load_explicit(&stop_ignored, memory_order_relaxed);
    if (old)
        *old = (struct sigaction){.sa_handler = ignored ? SIG_IGN : SIG_DFL};
    return 0;
}

static int stop_action_change(const struct sigaction *action, struct sigaction *old)
{
    bool ignored = action && action->sa_handler == SIG_IGN;
    bool before = atomic_load_explicit(&stop_ignored, memory_order_relaxed);
    if (action && !ignored && action->sa_handler != SIG_DFL) {
        errno = EINVAL;
        return -1;
    }
    if (own_memory_is_anothers())
        return stop_action_in_vfork(action, old);
    if (action)
        before = atomic_exchange_explicit(&stop_ignored, ignored, memory_order_relaxed);
    if (old)
        *old = (struct sigaction){.sa_handler = before ? SIG_IGN : SIG_DFL};
    return 0;
}

/* Drops a pending signal that is ignored from now on, blocked or not. The kernel drops those that
 * it has. A plain thread blocks signals meanwhile: a handler may come here, too, and must not while
 * its thread holds the lock. */
static void discard_ignored(int number)
{
    struct kernel_action now;
    sigset_t old;
    if (!engine_core || own_memory_is_anothers() || !signal_for_programs(number) ||
        !signal_action(number, &now) || !signal_ignored(number, &now))
        return;
    bool plain = !plat_tls.current;
    if (plain)
        signals_block(&old);
    signals_discard(number);
    if (plain)
        signals_restore(&old);
}

int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
    if (stops_threads(number))
        return stop_action_change(action, old);
    int error = kept_action_change(number, action, old);
    if (!error && action)
        discard_ignored(number);
    return error;
}

FRONT_EXPORT int __sigaction(int number, const struct sigaction *restrict action,
                             struct sigaction *restrict old);
int __sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
    return sigaction(number, action, old);
}

/* Whether the signal's action in the kernel is the library's. */
static bool ours(int number)
{
    return UMS_UNLIKELY(kept_signals()) ? is_kept(number) || stops_threads(number)
                                        : stops_threads(number);
}

static __sighandler_t set_handler(int number, const struct sigaction *action)
{
    struct sigaction before;
    return sigaction(number, action, &before) ? SIG_ERR : before.sa_handler;
}

/* Sets the action by libc's function or, of a signal of the library's, as that function would. */
static __sighandler_t set_simply(int number, const struct sigaction *action,
                                 __sighandler_t (*libcs)(int, __sighandler_t))
{
    if (ours(number) && action->sa_handler != SIG_ERR)
        return set_handler(number, action);
    __sighandler_t old = libcs(number, action->sa_handler);
    if (old != SIG_ERR)
        discard_ignored(number);
    return old;
}

/* A bit for each signal that siginterrupt has told to interrupt calls: `signal` sets actions by it
 * from then on. libc remembers the same for its own `signal`. This is for signals that the library
 * keeps now or later. */
static _Atomic uint64_t interrupting;

__sighandler_t signal(int number, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    if (ours(number)) {
        sigaddset(&action.sa_mask, number);
        if (atomic_load_explicit(&interrupting, memory_order_relaxed) & SIGNAL_BIT(number))
            action.sa_flags = 0;
    }
    return set_simply(number, &action, LIBC(signal));
}

__sighandler_t ssignal(int number, __sighandler_t handler)
{
    return signal(number, handler);
}

FRONT_EXPORT __sighandler_t bsd_signal(int number, __sighandler_t handler);
__sighandler_t bsd_signal(int number, __sighandler_t handler)
{
    return signal(number, handler);
}

/* System V's signal: the handler runs for one signal, and interrupted calls are not made again. */
__sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
    enum { ONCE = SA_RESETHAND | SA_NODEFER };
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)ONCE};
    return set_simply(number, &action, LIBC(__sysv_signal));
}

__sighandler_t sysv_signal(int number, __sighandler_t handler)
{
    return __sysv_signal(number, handler);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int sigignore(int number)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    return sigaction(number, &action, NULL);
}

static int interrupt_kept(int number, bool interrupts)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action))
        return -1;
    action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return sigaction(number, &action, NULL);
}

int siginterrupt(int number, int interrupts)
{
    int error =
        ours(number) ? interrupt_kept(number, interrupts) : LIBC(siginterrupt)(number, interrupts);
    if (!error && interrupts)
        atomic_fetch_or_explicit(&interrupting, SIGNAL_BIT(number), memory_order_relaxed);
    else if (!error)
        atomic_fetch_and_explicit(&interrupting, ~SIGNAL_BIT(number), memory_order_relaxed);
    return error;
}

__sighandler_t sigset(int number, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler}, old;
    sigset_t one, before;
    if (!signal_for_programs(number) || handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    sigemptyset(&one);
    sigaddset(&one, number);
    bool hold = handler == SIG_HOLD;
    if (sigaction(number, hold ? NULL : &action, &old))
        return SIG_ERR;
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &one, &before);
    return sigismember(&before, number) == 1 ? SIG_HOLD : old.sa_handler;
}

#pragma GCC diagnostic pop
