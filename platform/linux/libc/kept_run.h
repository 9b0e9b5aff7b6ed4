/* SPDX-License-Identifier: MIT
 *
 * kept_run.h - carries out the program's action for a signal whose handler is the library's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_KEPT_RUN_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_KEPT_RUN_H

#include <signal.h>
#include <stdbool.h>

/* fault_entry.S calls it, on the stack of the program's handler, for a signal that is none of the
 * library's business. */
__attribute__((used)) void kept_action_serve(int number, siginfo_t *info, void *context);
/* Whether syscall user dispatch has raised the signal. Then the library makes no system call for
 * the handler: it might be dispatched, too. */
bool is_dispatched(int number, const siginfo_t *info);
/* Ends the process by the signal's default action: at once, or when the fault happens again. */
void kept_action_end(int number, const siginfo_t *info);

#endif
