/* SPDX-License-Identifier: MIT
 *
 * kept_action.h - the program's actions for signals whose handler is the library's: SIGSYS, SIGSEGV.
 *
 * The kernel's action for SIGSYS is the library's, for good, from the first filter that traps on (traps/filter.c); that
 * for SIGSEGV is where carriers' thread pointers are guarded (os/thread_pointer.h). The action that the program sets is
 * kept here. It is carried out for every such signal that is not the library's business (libc/kept_run.c).
 *
 * The kernel runs the handler of a fault, or of SIGABRT, on a carrier. If its sa_mask has a kept signal, the kernel is
 * not told: one that comes while it is blocked would end the process. The program is told when it asks.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_KEPT_ACTION_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_KEPT_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct kernel_action;

/* The kernel's action for SIGSYS or SIGSEGV becomes this handler, once; false: it cannot. */
bool kept_action_take(int number, void (*handler)(int, siginfo_t *, void *));
/* The kept signals, and whether this is one. */
uint64_t kept_signals(void);
bool is_kept(int number);

/* libc's sigaction for the program: the kept action of a kept signal, and masks without those for the kernel. -1 and
 * errno, as libc has it. */
int kept_action_change(int number, const struct sigaction *action, struct sigaction *old);
/* Changes signal_action's answer to what the program has set. */
void kept_action_tell(int number, struct kernel_action *action);
/* The program's action for a kept signal. Takes no lock and makes no call. Valid for the next dozens of changes. */
const struct sigaction *kept_action(int number);

#endif
