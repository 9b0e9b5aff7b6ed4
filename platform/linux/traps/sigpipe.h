/* SPDX-License-Identifier: MIT
 *
 * sigpipe.h - a write to a closed pipe or socket raises SIGPIPE in its worker.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_SIGPIPE_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_SIGPIPE_H

struct call;
/* If the result is -EPIPE, sends the call's worker a SIGPIPE. For any stage of the call. Returns
 * the result. */
long raise_sigpipe(struct call *call, long result);

#endif
