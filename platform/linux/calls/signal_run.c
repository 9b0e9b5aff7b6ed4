/* SPDX-License-Identifier: MIT
 *
 * signal_run.c - runs a worker's signal handlers on the worker, on its own stack, as the kernel
 * would.
 *
 * The kernel cannot do it: it would change the carrier's mask, which must stay as it is for the
 * context that the carrier runs next. So this file reads the action from the kernel, changes the
 * worker's own mask by it, and calls the handler. A worker comes here
 *     by itself        when it signals itself, opens its mask, or leaves a wait of this library's
 *     in on_stop       interrupted where it ran, or on its way out of a system call (stop.c)
 *     by the detour    executed again after a yield, ahead of going on there
 *                      (plat_worker_signalled)
 * The worker may leave its scheduler in a handler, and a handler may jump out. So this file holds
 * no lock while it calls one.
 */
#include <errno.h>
#include <string.h>

#include "platform/check.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/lent_gate.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/current.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/os/signal_stack.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/kept_action.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/linux/signals/worker_signals.h"

void (*signals_rest)(struct plat_context *worker);
bool (*signals_stand)(struct plat_context *scheduler);

typedef void handler_fn(int number, siginfo_t *info, void *context);

/* signal_call.S: calls fn(number, info, context) on the stack that ends at sp. */
void signal_call_on(void *sp, void *fn, long number, siginfo_t *info, void *context);

void signal_natively(int number, const siginfo_t *info)
{
    uint64_t open = SIGNAL_BIT(number), old;
    long self = own_pid(), thread = own_tid();
    /* Sent before it is unblocked: the kernel delivers what is pending for the thread before what
     * is pending for the process, whose handler might not return. */
    long r = RAW4(SYS_rt_tgsigqueueinfo, self, thread, number, info);
    if (r == -EAGAIN) {
        siginfo_t bare =
            *info; /* the user's queue is full: a signal with SI_USER needs no room in it */
        bare.si_code = SI_USER;
        RAW4(SYS_rt_tgsigqueueinfo, self, thread, number, &bare);
    } else if (UMS_UNLIKELY(call_was_refused(r))) {
        RAW3(SYS_tgkill, self, thread, number); /* without what the sender told */
    }
    RAW4(SYS_rt_sigprocmask, SIG_UNBLOCK, &open, &old, 8);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
}

/* ---- One handler ----------------------------------------------------------------------------- */

/* Calls it on the alternate stack, if the action asks for one and the thread has one. */
static void call_handler(const struct kernel_action *action, siginfo_t *info, void *context)
{
    const stack_t *stack = &plat_tls.altstack;
    if (action->flags & SA_ONSTACK && stack->ss_size &&
        !stack_holds(stack, (uintptr_t)__builtin_frame_address(0)))
        signal_call_on((char *)stack->ss_sp + stack->ss_size, action->handler, info->si_signo, info,
                       context);
    else
        ((handler_fn *)action->handler)(info->si_signo, info, context);
}

static void run_handler(struct plat_context *self, struct kernel_action *action, siginfo_t *info,
                        ucontext_t *interrupted)
{
    struct plat_signals *own = &self->signals;
    ucontext_t local;
    if (!interrupted) {
        interrupted = &local;
        LIBC(getcontext)(interrupted);
    }
    if (action->flags & SA_RESETHAND && is_kept(info->si_signo)) {
        kept_action_spend(info->si_signo);
    } else if (action->flags & SA_RESETHAND) {
        struct kernel_action reset = *action;
        reset.handler = (void *)SIG_DFL;
        RAW4(SYS_rt_sigaction, info->si_signo, &reset, 0, 8);
    }
    uint64_t before = *mask_of(self), held = action->mask;
    bool had_saved = own->has_saved;
    uint64_t back = had_saved ? own->saved_mask : before;
    if (!(action->flags & SA_NODEFER))
        held |= SIGNAL_BIT(info->si_signo);
    own->has_saved = false;
    signals_replace_mask(self, before | held);
    memcpy(&interrupted->uc_sigmask, &back, sizeof back);
    interrupted->uc_stack = plat_tls.altstack;

    call_handler(action, info, interrupted);

    memcpy(&back, &interrupted->uc_sigmask, sizeof back);
    if (plat_tls.current != self) { /* the handler has forked: this is the child's plain thread */
        RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &back, 0, 8);
        return;
    }
    if (had_saved) {
        own->saved_mask = back;
        own->has_saved = true;
        back = before;
    }
    signals_replace_mask(self, back);
}

/* libc's handler unwinds the stack and does not return, or it does nothing. It changes no mask. */
static void run_cancellation(const struct kernel_action *action, siginfo_t *info,
                             ucontext_t *interrupted)
{
    ucontext_t local;
    if (action->handler == (void *)SIG_DFL)
        return; /* libc has never cancelled a thread */
    if (!interrupted) {
        interrupted = &local;
        LIBC(getcontext)(interrupted);
    }
    ((handler_fn *)action->handler)(info->si_signo, info, interrupted);
}

/* Ends however fast signals come. The worker handles those that are queued at first, those that it
 * sends to itself meanwhile, and MORE of those that others send. The rest comes with the next nudge
 * (signals_rest), and until then the worker goes on. */
struct signals_ran signals_run(struct plat_context *self, ucontext_t *interrupted)
{
    enum { MORE = 16 };
    struct signals_ran ran = {false, true};
    struct plat_signals *own = &self->signals;
    siginfo_t info;
    unsigned left = __atomic_load_n(&own->queued, __ATOMIC_RELAXED) + MORE;
    bool own_doing;
    if (UMS_UNLIKELY(own->ran)) {
        ran = (struct signals_ran){true, own->ran == RAN_RESTARTS};
        own->ran = RAN_NOTHING;
    }
    while (left && plat_tls.current == self && !plat_tls.locks) {
        signals_enter();
        if (self->is_scheduler && self->runs.hosted && signals_for_home(self)) {
            plat_unlock(&signals_lock);
            signals_stand(self);
            left--;
            continue;
        }
        bool found = atomic_load_explicit(&own->listed, memory_order_relaxed) &&
                     signal_dequeue(self, ~*mask_of(self), &info, &own_doing);
        plat_unlock(&signals_lock);
        if (!found)
            break;
        left -= !own_doing;
        struct kernel_action action;
        if (!signal_action(info.si_signo, &action) || signal_ignored(info.si_signo, &action))
            continue;
        if (info.si_signo == SIGNAL_CANCEL) {
            run_cancellation(&action, &info, interrupted);
            continue;
        }
        if (action.handler == (void *)SIG_DFL) {
            signal_natively(info.si_signo, &info);
            continue;
        }
        ran.any = true;
        ran.restarts = ran.restarts && action.flags & SA_RESTART;
        run_handler(self, &action, &info, interrupted);
    }
    if (own->has_saved && plat_tls.current == self && !plat_tls.locks) {
        own->has_saved = false;
        signals_set_mask(self, own->saved_mask);
    }
    if (!left && plat_tls.current == self && signals_due(self))
        signals_rest(self);
    return ran;
}

void signals_set_mask(struct plat_context *self, uint64_t mask)
{
    signals_replace_mask(self, mask);
    signals_look(self);
}

/* ---- Where the kernel interrupted the worker ------------------------------------------------- */

void signals_run_interrupted(struct plat_context *self, ucontext_t *interrupted)
{
    greg_t *registers = interrupted->uc_mcontext.gregs;
    struct signals_ran ran = signals_run(self, interrupted);
    /* The kernel would restart the call, for the stop signal has SA_RESTART. */
    if (lent_gate_restarts(interrupted) &&
        ((ran.any && !ran.restarts) ||
         (lent_gate_cancellable(interrupted) && cancellation_due(self)))) {
        registers[REG_RIP] += 2;
        registers[REG_RAX] = -EINTR;
    }
}

/* In the stop signal's handler on a helper. A helper makes all its calls at one instruction. Where
 * a cancelled call is about to be made or restarted there, the handler moves past it. */
bool helper_interrupted(ucontext_t *interrupted)
{
    struct call *call = plat_tls.helping;
    greg_t *registers = interrupted->uc_mcontext.gregs;
    if (!call)
        return false;
    if (registers[REG_RIP] == (greg_t)raw_syscall_ip - 2 &&
        registers[REG_RAX] != SYS_process_vm_readv && registers[REG_RAX] != SYS_process_vm_writev &&
        atomic_load_explicit(&call->cancelled, memory_order_acquire)) {
        registers[REG_RIP] += 2;
        registers[REG_RAX] = -EINTR;
    }
    return true;
}

/* ---- The detour ------------------------------------------------------------------------------ */

/* signal_detour.S calls it on the worker; the result is the thread pointer to go on with. */
uintptr_t signals_detour(void);
uintptr_t signals_detour(void)
{
    struct plat_context *self = plat_current();
    uintptr_t own = thread_pointer();
    signals_run(self, NULL);
    return own;
}
