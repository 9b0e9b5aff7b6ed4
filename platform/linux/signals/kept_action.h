/* SPDX-License-Identifier: MIT
 *
 * kept_action.h - the program's actions for signals of faults, where the kernel's handlers are the
 * library's.
 *
 * From the first filter on (traps/filter.c), and for good; those of faults also from the first
 * scheduler without a filter on:
 *   SIGSYS          the kernel's action is the library's
 *   SIGSEGV         as well where carriers' thread pointers are guarded (os/thread_pointer.h)
 *   the others that a fault raises, and SIGABRT
 *                   the library's handler stands for each of the program's, which it calls on the
 *                   right stack (libc/signal_frame.h). Default actions and SIG_IGN are the kernel's
 * The action that the program sets is kept here, and carried out for whatever is not the library's
 * business (libc/kept_run.c). The kernel is told of no mask: a kept signal that comes while it is
 * blocked would end the process.
 *
 * A vfork's child has its parent's memory, and actions of its own in the kernel. It begins with the
 * library's handlers there; an action that it sets is the kernel's, and none is kept.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_KEPT_ACTION_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_KEPT_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "platform/linux/os/kernel_signals.h"

struct kernel_action;

/* Once for each signal of faults: its handler in the kernel is this one from now on, at any time or
 * whenever the program has a handler of its own. False: it cannot. */
bool kept_action_take(int number, void (*handler)(int, siginfo_t *, void *), bool always);
/* The kept signals, and whether this is one. */
uint64_t kept_signals(void);
bool is_kept(int number);

/* libc's sigaction for the program: the kept action of a kept signal, and masks without those for
 * the kernel. -1 and errno, as libc has it. */
int kept_action_change(int number, const struct sigaction *action, struct sigaction *old);
/* The handler was for one signal (SA_RESETHAND) and is about to run: the default from now on. */
void kept_action_spend(int number);
/* Changes signal_action's answer to what the program has set. */
void kept_action_tell(int number, struct kernel_action *action);
/* The program's action for a kept signal. Takes no lock and makes no call. Valid for the next
 * dozens of changes. */
const struct sigaction *kept_action(int number);

#endif
