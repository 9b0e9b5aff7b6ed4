/* SPDX-License-Identifier: MIT
 *
 * signal_send.h - sending a signal to one worker or scheduler.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_SIGNAL_SEND_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_SIGNAL_SEND_H

#include "platform/linux/signals/worker_signals.h"

/* Sends to one thread; 0 or an errno. Any thread. Without `tell` the caller sees to it that the worker
 * looks: it is the worker itself, or about to answer its call. */
int signal_send(struct plat_context *target, const siginfo_t *info, bool tell);
/* Has the worker see to what is due, wherever it is. Nothing held. */
void signals_tell(struct plat_context *context);

#endif
