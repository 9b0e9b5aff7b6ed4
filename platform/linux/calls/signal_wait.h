/* SPDX-License-Identifier: MIT
 *
 * signal_wait.h - calls that wait for a signal.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_SIGNAL_WAIT_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_SIGNAL_WAIT_H

#include "platform/linux/plat_types.h"

/* The call has to wait: its worker is registered among those that wait for signals. */
void signal_wait_start(struct call *call);
/* Under signals_lock: this call is the caller's to complete with this result. */
bool signal_wait_decide(struct call *call, long result);
/* Ends the worker's call, a wait for signals that no thread has decided yet. */
bool signal_wait_cancel(struct call *call);

#endif
