/* SPDX-License-Identifier: MIT
 *
 * policy.h - engine threads for which other threads wait run above the program's real-time
 * priority.
 *
 * Under SCHED_FIFO or SCHED_RR a scheduler that always has a worker to execute never lets go of its
 * processor for a thread of the same priority. The timer thread at that priority would never run,
 * and no worker that sleeps would ever arrive. So such threads get the next higher priority.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_POLICY_H
#define UMSSHIM_PLATFORM_LINUX_OS_POLICY_H

#include <stdbool.h>

/* Called by an engine thread for which other threads wait. */
void policy_rises(void);
/* Called by such a thread when it ends: its number may be another thread's soon. */
void policy_ends(void);
/* Called by a thread before it becomes a scheduler: those threads rise above it. False: its policy
 * is not a real-time one. */
bool policy_of_scheduler(void);
/* In a child after fork. */
void policies_forget(void);

#endif
