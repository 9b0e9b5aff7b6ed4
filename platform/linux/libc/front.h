/* SPDX-License-Identifier: MIT
 *
 * front.h - functions that stand before libc's (front.def), and how they reach what is behind them.
 *
 * For a thread that is not a scheduler's or a worker each of them does what libc's does and nothing
 * else: it ends in LIBC(name)(...), which is a jump. So the errors, the cancellation points and the
 * price are libc's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_FRONT_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_FRONT_H

#include "platform/linux/os/front_behind.h"
#include "platform/linux/traps/user_call.h"

/* A system call of a worker, which leaves its scheduler in user mode if it has to wait; as libc's
 * functions return. */
long front_wait(struct plat_context *self, long nr, const long args[6]);

#endif
