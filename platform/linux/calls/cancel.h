/* SPDX-License-Identifier: MIT
 *
 * cancel.h - ends the wait of a worker in a system call.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_CANCEL_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_CANCEL_H

struct call;
/* Makes the call end soon, where that is possible: its worker is to end or to run a handler.
 * The caller asks again until the call is over. Any thread. */
void call_cancel(struct call *call);

#endif
