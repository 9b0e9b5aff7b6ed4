/* SPDX-License-Identifier: MIT
 *
 * user_wait_cancel.h - a worker that is to end while it waits in user mode.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_USER_WAIT_CANCEL_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_USER_WAIT_CANCEL_H

#include <stdbool.h>

struct plat_context;

/* The worker is to end and waits. True: it waits in user mode, and this or another thread completes
 * it; the caller looks again. False: it waits in the kernel. Any thread. */
bool user_wait_cancel(struct plat_context *worker);

#endif
