/* SPDX-License-Identifier: MIT
 *
 * own_tid.h - the kernel's ids of the process and of the thread that asks, a carrier's of what runs
 * on it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_OWN_TID_H
#define UMSSHIM_PLATFORM_LINUX_OS_OWN_TID_H

#include <sys/types.h>

/* Where a sandbox refuses the call /proc is asked; without that either, a line ends the process. */
pid_t own_tid(void);
pid_t own_pid(void);

#endif
