/* SPDX-License-Identifier: MIT
 *
 * kept_run.c - see kept_run.h.
 *
 * On a plain thread, or a scheduler on its own thread, the handler's mask is set in the kernel, and
 * the return from the handler takes it back. On a carrier the mask stays as it is. Under syscall
 * user dispatch a system call made here would come back as a SIGSYS, so none is made then.
 */
#pragma GCC visibility push(default)
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#pragma GCC visibility pop

#include "platform/linux/calls/signal_run.h"
#include "platform/linux/current.h"
#include "platform/linux/libc/kept_run.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/kept_action.h"
#include "platform/linux/traps/open_call.h"

enum { DISPATCHED = 2 /* SYS_USER_DISPATCH */, KERNEL_SET = 8 };

/* Sets the signal's default action, as the kernel does. A signal that was sent, or a SIGSYS, does
 * not come again, so it is raised here. A faulting instruction runs again after the return and
 * raises its signal itself, so the core file has its registers. */
void kept_action_end(int number, const siginfo_t *info)
{
    struct kernel_action standard = {.handler = (void *)SIG_DFL};
    RAW4(SYS_rt_sigaction, number, &standard, 0, KERNEL_SET);
    if (number == SIGSYS || info->si_code <= 0)
        signal_natively(number, info);
}

bool is_dispatched(int number, const siginfo_t *info)
{
    return number == SIGSYS && info->si_code == DISPATCHED;
}

static void run(int number, siginfo_t *info, void *context)
{
    struct sigaction own = *kept_action(number);
    if (own.sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (own.sa_handler == SIG_DFL || own.sa_handler == SIG_IGN) {
        kept_action_end(number, info);
        return;
    }
    if (own.sa_flags & (int)SA_RESETHAND)
        kept_action_spend(number);
    if (!carried() && !is_dispatched(number, info)) {
        uint64_t mask;
        memcpy(&mask, &own.sa_mask, sizeof mask);
        mask |= own.sa_flags & SA_NODEFER ? 0 : SIGNAL_BIT(number);
        RAW4(SYS_rt_sigprocmask, SIG_BLOCK, &mask, 0, KERNEL_SET);
    }
    own.sa_sigaction(number, info, context);
}

/* In the handler a context may have moved to another carrier or, by a fork, to another process. It
 * goes on with the alternate stack and the mask of the thread that it is on now. */
void kept_action_serve(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    bool on_carrier = carried() && !is_dispatched(number, info);
    if (on_carrier && number == SIGSYS)
        open_give_up(plat_tls.current);
    run(number, info, context);
    if (!on_carrier)
        return;
    RAW4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &interrupted->uc_sigmask, KERNEL_SET);
    RAW2(SYS_sigaltstack, 0, &interrupted->uc_stack);
}
