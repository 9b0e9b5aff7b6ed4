/* SPDX-License-Identifier: MIT
 *
 * sys_action.h - the program's action for SIGSYS, while the kernel has ours.
 *
 * From the first filter that traps on (traps/filter.c) the kernel's action is the library's, for good. The action that the
 * program sets is kept here. It is carried out for every SIGSYS that is not a trap of ours: one that a thread sent,
 * that another filter raised, or syscall user dispatch.
 *
 * The kernel runs the handler of a fault, or of SIGABRT, on a carrier. If its sa_mask has SIGSYS, the kernel is not
 * told, since a trapped call of the handler's would then end the process. The program is told when it asks.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SYS_ACTION_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SYS_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

struct kernel_action;

/* The kernel's action for SIGSYS becomes this handler, once; false: it cannot. */
bool sys_action_take(void (*handler)(int, siginfo_t *, void *));
bool sys_action_taken(void);

/* libc's sigaction for the program: the virtual one of SIGSYS, and masks without SIGSYS for the kernel. -1 and
 * errno, as libc has it. */
int sys_action_change(int number, const struct sigaction *action, struct sigaction *old);
/* Changes signal_action's answer to what the program has set. */
void sys_action_tell(int number, struct kernel_action *action);
/* The program's action for SIGSYS. Takes no lock and makes no call. Valid for the next dozens of changes. */
const struct sigaction *sys_action_programs(void);

#endif
