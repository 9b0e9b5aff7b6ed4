/* SPDX-License-Identifier: MIT
 *
 * futex_wake.h - futex operations of workers and schedulers that let others go on (futex_wake.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_WAKE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_WAKE_H

#include <stdbool.h>

struct plat_context;
struct settling;

/* The operations that let others go on, of a worker or scheduler: true, with the result as the
 * kernel has it. False: it is no such operation. */
bool futex_lets_go(struct plat_context *self, const long args[6], long *result);

/* A worker's private FUTEX_WAKE, made by libc, which does not look at the result: the kernel may
 * hear of it later. False: it is none. */
bool futex_lets_go_for_libc(struct plat_context *self, const long args[6], long *result);

/* Counts down the waits of `settling` that are to be armed. The reactor calls it for each, and the
 * thread that waits for them once after it has posted all. The last call lets that thread go on. */
void futex_settled(struct settling *settling);

#endif
