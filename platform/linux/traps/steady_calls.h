/* SPDX-License-Identifier: MIT
 *
 * steady_calls.h - system calls that end as they would whatever signal is pending meanwhile.
 *
 * The filter does not stop them (calls.def), and they may sleep nevertheless: for a lock of the
 * address space's, for pages, for a grace period of RCU. Each of their sleeps is uninterruptible,
 * or ends early only for a signal that ends the process. So none of them is cut short, restarted,
 * or fails with EINTR because the stop signal was sent.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_STEADY_CALLS_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_STEADY_CALLS_H

#include <stdbool.h>

enum { STEADY_ARGUMENTS = 6 };

bool call_is_steady(long number, const unsigned long *arguments);

#endif
