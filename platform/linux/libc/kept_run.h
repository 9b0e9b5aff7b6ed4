/* SPDX-License-Identifier: MIT
 *
 * kept_run.h - carrying out the program's action for a signal whose handler is the library's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_KEPT_RUN_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_KEPT_RUN_H

#include <signal.h>

/* In the library's handler of SIGSYS or SIGSEGV: the signal is none of the library's business. */
__attribute__((used)) void kept_action_run(int number, siginfo_t *info, void *context);

#endif
