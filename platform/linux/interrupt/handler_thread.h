/* SPDX-License-Identifier: MIT
 *
 * handler_thread.h - the thread that runs the program's handlers when no worker can.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_HANDLER_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_HANDLER_THREAD_H

#include <signal.h>

int handler_thread_start(void); /* 0 or errno */
/* Gives the signal to that thread, where the kernel runs the handler or the default action. It does
 * not block and allocates nothing. */
void handler_thread_signal(const siginfo_t *info);
void handler_thread_forget(void);

#endif
