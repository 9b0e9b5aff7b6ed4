/* SPDX-License-Identifier: MIT
 *
 * handler_thread.h - the thread on which the program's handlers run that no worker can run.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_HANDLER_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_HANDLER_THREAD_H

#include <signal.h>

int handler_thread_start(void); /* 0 or errno */
/* Has the kernel act on a signal there: handler or default action. Neither blocks nor allocates. */
void handler_thread_signal(const siginfo_t *info);
void handler_thread_forget(void);

#endif
