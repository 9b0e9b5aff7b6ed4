/* SPDX-License-Identifier: MIT
 *
 * kernel_signals.h - sets of signals as the kernel has them, and the special signals.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_KERNEL_SIGNALS_H
#define UMSSHIM_PLATFORM_LINUX_OS_KERNEL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define SIGNAL_BIT(number) (1ull << ((number)-1))

/* The kernel's sigaction, which is shorter than libc's. */
struct kernel_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

/* SIGKILL and SIGSTOP. */
#define SIGNALS_NEVER_BLOCKED (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))
/* Signals that engine threads do not block: faults, and abort. The kernel runs their handlers. */
#define SIGNALS_OF_FAULTS                                                                          \
    (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGILL) |          \
     SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSYS) | SIGNAL_BIT(SIGABRT))

/* libc's own two, which are for kernel threads: cancellation, and changes of ids (credentials.c).
 * They act in the kernel thread to which they were sent, except a cancellation that the library
 * itself queues at a worker (cancel_front.c). */
enum { SIGNAL_CANCEL = 32, SIGNAL_SETXID = 33 };
#define SIGNALS_OF_LIBC (SIGNAL_BIT(SIGNAL_CANCEL) | SIGNAL_BIT(SIGNAL_SETXID))
/* Signals that no worker blocks, and that no thread takes out of the kernel for a worker, whatever
 * a set says. */
#define SIGNALS_UNTOUCHED (SIGNALS_NEVER_BLOCKED | SIGNALS_OF_LIBC)

/* Whether programs may send it: not libc's own. */
static inline bool signal_for_programs(int number)
{
    return number > 0 && number < NSIG && number != SIGNAL_CANCEL && number != SIGNAL_SETXID;
}

#endif
