/* SPDX-License-Identifier: MIT
 *
 * front.h - fronts: functions that stand before libc's (front.def), and reach libc's behind them.
 *
 * On a plain thread each front does what libc's function does and nothing else: it ends in
 * LIBC(name)(...), which is a jump to that function. So the errors, the cancellation points and the
 * price are libc's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_FRONT_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_FRONT_H

#include "platform/linux/os/front_behind.h"
#include "platform/linux/traps/user_call.h"

/* Makes a worker's system call; the worker leaves its scheduler in user mode if it has to wait.
 * Returns what libc's functions return. */
long front_wait(struct plat_context *self, long nr, const long args[6]);

#endif
