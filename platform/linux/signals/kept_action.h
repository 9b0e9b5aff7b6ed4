/* SPDX-License-Identifier: MIT
 *
 * kept_action.h - the program's actions for signals of faults, for which the kernel has the
 * library's handlers.
 *
 * The library keeps a signal's action from the first filter on (traps/filter.c), for good; those of
 * faults also from the first scheduler without a filter on:
 *   SIGSYS          the kernel's action is the library's
 *   SIGSEGV         the same if carriers' thread pointers are guarded (os/thread_pointer.h)
 *   the others that a fault raises, and SIGABRT
 *                   the library's handler takes the place of the program's, which it calls on the
 *                   right stack (libc/signal_frame.h). The kernel has default actions and SIG_IGN
 * This file keeps the action that the program sets. libc/kept_run.c carries it out for signals that
 * are not meant for the library. The kernel gets an empty mask: a kept signal that comes while it
 * is blocked would end the process.
 *
 * A vfork's child has its parent's memory, and actions of its own in the kernel. It begins with the
 * library's handlers there. An action that it sets goes to the kernel, and none is kept.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_KEPT_ACTION_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_KEPT_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "platform/linux/os/kernel_signals.h"

struct kernel_action;

/* Called once for each signal of faults. From now on the kernel has this handler for it: always, or
 * whenever the program has a handler of its own. False: that is not possible. */
bool kept_action_take(int number, void (*handler)(int, siginfo_t *, void *), bool always);
/* The set of kept signals, and whether this signal is one. */
uint64_t kept_signals(void);
bool is_kept(int number);

/* sigaction for the program. For a kept signal it reads and changes the kept action. -1 and errno,
 * as in libc. */
int kept_action_change(int number, const struct sigaction *action, struct sigaction *old);
/* The handler was for one signal (SA_RESETHAND) and is about to run: the default from now on. */
void kept_action_spend(int number);
/* Changes signal_action's answer to what the program has set. */
void kept_action_tell(int number, struct kernel_action *action);
/* The program's action for a kept signal. Takes no lock and makes no call. Valid for the next
 * dozens of changes. */
const struct sigaction *kept_action(int number);

#endif
