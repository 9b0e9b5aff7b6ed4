/* SPDX-License-Identifier: MIT
 *
 * kept_run.h - carrying out the program's action for a signal whose handler is the library's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_KEPT_RUN_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_KEPT_RUN_H

#include <signal.h>
#include <stdbool.h>

/* Called by fault_entry.S on the stack of the program's handler: the signal is none of the
 * library's business. */
__attribute__((used)) void kept_action_serve(int number, siginfo_t *info, void *context);
/* Whether syscall user dispatch has raised it. Then no call may be made for the handler: it might
 * be dispatched, too. */
bool is_dispatched(int number, const siginfo_t *info);
/* By the default action: at once, or when the fault is made again. */
void kept_action_end(int number, const siginfo_t *info);

#endif
