/* SPDX-License-Identifier: MIT
 *
 * signal_scheduler.h - what libc's functions send to the thread of a scheduler.
 *
 * While a scheduler executes a worker no kernel thread is the scheduler's: its home is parked, and
 * its carrier, without the filter its own thread, is the worker's. No handler can run on it then.
 * So such a signal is
 *   refused      (ENOTSUP) where the program has a handler and the sender is the very worker that
 *                the scheduler executes. A run time that stops threads by signals waits for that
 *                handler, and the scheduler could not execute it meanwhile
 *   the process's, sent by anybody else; without the filter libc sends it to the scheduler's
 *                thread, where it finds the worker that runs there
 * A line tells of each once, where the program has a handler: it may run on another thread than
 * the sender expects.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_SCHEDULER_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_SCHEDULER_H

#include <signal.h>
#include <stdbool.h>

struct plat_context;

/* Not for the calling scheduler itself. False: libc is to send it; else *error is 0 or an errno. */
bool signal_to_scheduler(const struct plat_context *scheduler, const siginfo_t *info, int *error);

#endif
