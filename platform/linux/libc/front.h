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
#include "platform/linux/libc/outside_front.h"
#include "platform/linux/libc/unseen.h"

struct plat_context;
struct lane;
/* A system call of a worker, which leaves its scheduler in user mode if it has to wait; as libc's
 * functions return. */
long front_wait(struct plat_context *self, long nr, const long args[6]);
/* The same as the kernel has it: the result or -errno, no cancellation point. A scheduler's is simply made. */
long user_call(struct plat_context *self, long nr, const long args[6]);
/* And -EINTR for one that is cancelled meanwhile. */
long user_call_cancellable(struct plat_context *self, long nr, const long args[6]);
/* The same for a home_function (errand.h), args[0]: its result. */
long front_at_home(struct plat_context *self, struct lane *lane, const long args[5]);

#endif
