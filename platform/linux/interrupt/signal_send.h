/* SPDX-License-Identifier: MIT
 *
 * signal_send.h - sending a signal to one worker or scheduler.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_SIGNAL_SEND_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_SIGNAL_SEND_H

/* Sends to one thread; 0 or an errno. On any thread. Without `tell` the worker is not interrupted:
 * the caller is the worker itself, or answers the worker's call next. */
int signal_send(struct plat_context *target, const siginfo_t *info, bool tell);
/* Under signals_lock: sends to the context's home, which runs its handlers (home_signals.h). */
int signal_send_home(struct plat_context *target, const siginfo_t *info);
/* Makes the worker handle the signals that are due, wherever it is. No lock is held. */
void signals_tell(struct plat_context *context);

#endif
