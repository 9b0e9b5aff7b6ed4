/* SPDX-License-Identifier: MIT
 *
 * signal_wait.h - calls that wait for a signal.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_SIGNAL_WAIT_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_SIGNAL_WAIT_H

#include "platform/linux/plat_types.h"

/* Registers a call that has to wait among those that wait for signals. */
void signal_wait_start(struct call *call);
/* Under signals_lock. Decides the wait, with this result. True: the caller is to complete the
 * call. */
bool signal_wait_decide(struct call *call, long result);
/* Ends a call that waits for a signal. False: another thread has decided it, and completes it. */
bool signal_wait_cancel(struct call *call);

#endif
