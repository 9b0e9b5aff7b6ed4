/* SPDX-License-Identifier: MIT
 *
 * signal_thread.h - the thread that takes signals that are sent to the process.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_SIGNAL_THREAD_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_SIGNAL_THREAD_H

#include <stdbool.h>

struct plat_context;

int signals_start(void);
/* Notes a timer that was made for one worker. The signal thread gets its signals. */
bool signal_timer_add(int timer, struct plat_context *worker, int number);
void signal_timer_remove(int timer);
/* Finds a worker for a signal of the process. False: there is none. */
bool signal_to_process(const siginfo_t *info);

#endif
