/* SPDX-License-Identifier: MIT
 *
 * user_call.h - a worker's system call in user mode: the attempt, the hand-over to poller, ring,
 * timer or helper if the call has to wait, and the end.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_USER_CALL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_USER_CALL_H

#include "platform/linux/calls/call_ops.h"

/* Makes a system call of the calling worker. If the call has to wait the worker leaves its
 * scheduler in user mode. Returns the result or -errno. No cancellation point. If the caller is a
 * scheduler, the call is simply made. */
long user_call(struct plat_context *self, long nr, const long args[6]);
/* The same, but -EINTR if the worker is cancelled meanwhile and the function that makes the call
 * looks for that: `at` is the address behind its `syscall`, or NULL if it is known to look. */
long user_call_cancellable(struct plat_context *self, long nr, const long args[6], const void *at);
/* The same for a function of libc's that is a cancellation point. */
long user_call_of_libc(struct plat_context *self, long nr, const long args[6]);
/* The same by this row (call_ops.h), which is not asked whether it is about the call. */
long user_call_by_row(struct plat_context *self, const struct call_row *row, const long args[6]);
/* The same for a home_function (errand.h): args[0]. Returns the function's result. */
long user_call_at_home(struct plat_context *self, struct lane *lane, const long args[5]);

/* ---- For the reactor, too -------------------------------------------------------------------- */

/* Hands the call to the timer, the signals or a helper. From here on the call may be over at any
 * moment. Any thread may call this. */
void call_entrust(struct call *call, enum outcome outcome);

#endif
