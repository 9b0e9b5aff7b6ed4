/* SPDX-License-Identifier: MIT
 *
 * signal_scheduler.h - signals that libc's functions send to the thread of a scheduler.
 *
 * Where the program has a handler it is queued at the scheduler, whose home runs the handler
 * (interrupt/home_signals.h). The worker that the scheduler executes may send it: then the
 * scheduler is held before the function returns. A signal without a handler goes to the process.
 *
 * Without the filter a scheduler's own thread carries its workers, so no kernel thread can run a
 * handler as that scheduler meanwhile. There such a signal is
 *   refused      (ENOTSUP) where the sender is the very worker that the scheduler executes. A run
 *                time that stops threads by signals waits for that handler
 *   libc's, if any other thread sends it: it meets the worker that runs there
 * A line on stderr tells of each case once.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_SCHEDULER_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_SCHEDULER_H

#include <signal.h>
#include <stdbool.h>

struct plat_context;

/* Whether a signal of this number is queued at the scheduler. */
bool scheduler_handles(const struct plat_context *scheduler, int number);
/* For the others; not for the calling scheduler itself. False: libc is to send it; else *error is 0
 * or an errno. */
bool signal_to_scheduler(const struct plat_context *scheduler, const siginfo_t *info, int *error);

#endif
