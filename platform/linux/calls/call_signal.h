/* SPDX-License-Identifier: MIT
 *
 * call_signal.h - whether a signal ends a call that waits, and whether the call is made again:
 * signal(7).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_CALL_SIGNAL_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_CALL_SIGNAL_H

#include "platform/linux/plat_types.h"

/* Whether a signal may end the call's wait, and whether SA_RESTART then makes the call again. */
bool call_interruptible(const struct call *call);
bool call_restarts(const struct call *call);
/* Whether a call that is made again keeps the deadline of its first attempt. */
bool call_keeps_deadline(const struct call *call);

#endif
