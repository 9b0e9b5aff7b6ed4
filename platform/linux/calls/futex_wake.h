/* SPDX-License-Identifier: MIT
 *
 * futex_wake.h - futex operations of workers and schedulers that let others go on (futex_wake.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_WAKE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_WAKE_H

#include <stdbool.h>

struct plat_context;
struct settling;

/* Makes the operation of a worker or scheduler, if it is one that lets others go on: true, with the
 * result as the kernel has it. False: it is no such operation. */
bool futex_lets_go(struct plat_context *self, const long args[6], long *result);

/* The same for a worker's private FUTEX_WAKE that libc makes. libc does not look at the result, so
 * the kernel may hear of the wake-up later. False: it is no such call. */
bool futex_lets_go_for_libc(struct plat_context *self, const long args[6], long *result);

/* Counts down the waits of `settling` that are to be armed. The reactor calls it for each, and the
 * thread that waits for them once after it has posted all. The last call lets that thread go on. */
void futex_settled(struct settling *settling);

#endif
