/* SPDX-License-Identifier: MIT
 *
 * kept_run.c - see kept_run.h.
 *
 * On a plain thread the handler's mask becomes the kernel's, and goes with the return. A carrier's mask stays what it
 * is. Under syscall user dispatch a call made here would come back as a SIGSYS: then none is made.
 */
#pragma GCC visibility push(default)
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#pragma GCC visibility pop

#include "platform/linux/calls/signal_run.h"
#include "platform/linux/libc/kept_run.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/kept_action.h"
#include "platform/linux/signals/worker_signals.h"

enum { DISPATCHED = 2 /* SYS_USER_DISPATCH */, KERNEL_SET = 8 };

/* As the kernel does it: what raised the signal would otherwise go on. A fault is made again after the return, so the
 * core file has its registers. */
static void end_of_process(int number, const siginfo_t *info)
{
    struct kernel_action standard = {.handler = (void *)SIG_DFL};
    RAW4(SYS_rt_sigaction, number, &standard, 0, KERNEL_SET);
    if (number == SIGSYS || info->si_code <= 0)
        signal_natively(number, info);
}

void kept_action_run(int number, siginfo_t *info, void *context)
{
    struct sigaction own = *kept_action(number);
    struct kernel_action action = {.handler = (void *)own.sa_handler,
                                   .flags = (unsigned)own.sa_flags};
    bool dispatched = number == SIGSYS && info->si_code == DISPATCHED;
    if (own.sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (own.sa_handler == SIG_DFL || own.sa_handler == SIG_IGN) {
        end_of_process(number, info);
        return;
    }
    if (own.sa_flags & (int)SA_RESETHAND) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        kept_action_change(number, &standard, NULL);
    }
    if (!plat_tls.current && !dispatched) {
        memcpy(&action.mask, &own.sa_mask, sizeof action.mask);
        action.mask |= own.sa_flags & SA_NODEFER ? 0 : SIGNAL_BIT(number);
        RAW4(SYS_rt_sigprocmask, SIG_BLOCK, &action.mask, 0, KERNEL_SET);
    }
    if (number == SIGSEGV && carried())
        signal_call_handler(&action, info, context);
    else
        own.sa_sigaction(number, info, context);
}
