/* SPDX-License-Identifier: MIT
 *
 * user_call.h - a worker's system call in user mode: the attempt, the hand-over to poller, ring,
 * timer or helper if it has to wait, and the end.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_USER_CALL_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_USER_CALL_H

/* A system call of the calling worker, which leaves its scheduler in user mode if it has to wait:
 * the result or -errno, no cancellation point. A scheduler's is simply made. */
long user_call(struct plat_context *self, long nr, const long args[6]);
/* And -EINTR for one that is cancelled meanwhile. */
long user_call_cancellable(struct plat_context *self, long nr, const long args[6]);
/* The same for a function of libc's that is a cancellation point. */
long user_call_of_libc(struct plat_context *self, long nr, const long args[6]);
/* The same for a home_function (errand.h), args[0]: its result. */
long user_call_at_home(struct plat_context *self, struct lane *lane, const long args[5]);

/* ---- For the reactor, too -------------------------------------------------------------------- */

/* The attempt, with the mask that the call brings along. On the reactor, or on the worker. */
enum outcome call_attempt(struct call *call);
/* Hands the call to the timer, the signals or a helper. From here on it may be over at any moment.
 * Any thread. */
void call_entrust(struct call *call, enum outcome outcome);

#endif
