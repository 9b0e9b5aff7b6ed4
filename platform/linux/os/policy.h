/* SPDX-License-Identifier: MIT
 *
 * policy.h - engine threads that others wait for run above their program's real-time policy.
 *
 * Under SCHED_FIFO or SCHED_RR a scheduler that always has a worker to execute never lets go of its
 * processor for a thread of the same priority. A timer's thread of that priority would come never,
 * and with it no worker that sleeps. So such threads get the next higher priority.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_POLICY_H
#define UMSSHIM_PLATFORM_LINUX_OS_POLICY_H

#include <stdbool.h>

/* By an engine thread, about itself: others wait for it. */
void policy_rises(void);
/* By one that ends: its number may be another thread's soon. */
void policy_ends(void);
/* By a thread that becomes a scheduler, ahead of that: those threads rise above it. False: its
 * policy is no real-time one. */
bool policy_of_scheduler(void);
/* In a child after fork. */
void policies_forget(void);

#endif
