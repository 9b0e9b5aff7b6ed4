/* SPDX-License-Identifier: MIT
 *
 * call_leave.h - a call's attempt, and to what it is given if it has to wait.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_CALL_LEAVE_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_CALL_LEAVE_H

#include "platform/linux/traps/calls.h"

/* The attempt, with the mask that the call brings along. On the reactor, or on the worker. */
enum outcome call_attempt(struct call *call);
/* To timer, signals or a helper. From here on the call may be over at any moment. Any thread. */
void call_entrust(struct call *call, enum outcome outcome);
/* On the worker itself, whose baton opens when the call is over. */
void call_leave(struct lane *lane, struct call *call, enum outcome outcome);

#endif
