/* SPDX-License-Identifier: MIT
 *
 * signal_scheduler.h - signals that libc's functions send to the thread of a scheduler.
 *
 * While a scheduler executes a worker, no kernel thread can run a handler as that scheduler. Its
 * home is parked, and the worker runs on its carrier, or without the filter on its own thread. So
 * such a signal is
 *   refused      (ENOTSUP) where the program has a handler and the sender is the very worker that
 *                the scheduler executes. A run time that stops threads by signals waits for that
 *                handler, which the scheduler could not run meanwhile
 *   the process's, if any other thread sends it; without the filter libc sends it to the
 *                scheduler's thread, where it meets the worker that runs there
 * A line on stderr tells of each case once, where the program has a handler: it may run on another
 * thread than the sender expects.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_SCHEDULER_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_SCHEDULER_H

#include <signal.h>
#include <stdbool.h>

struct plat_context;

/* Not for the calling scheduler itself. False: libc is to send it; else *error is 0 or an errno. */
bool signal_to_scheduler(const struct plat_context *scheduler, const siginfo_t *info, int *error);

#endif
