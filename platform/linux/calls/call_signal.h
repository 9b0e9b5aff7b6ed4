/* SPDX-License-Identifier: MIT
 *
 * call_signal.h - what a signal does to a call that waits: signal(7).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_CALL_SIGNAL_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_CALL_SIGNAL_H

#include "platform/linux/plat_types.h"

/* What a signal does to the call: whether it may be let go, and whether SA_RESTART applies. */
bool call_interruptible(const struct call *call);
bool call_restarts(const struct call *call);

#endif
