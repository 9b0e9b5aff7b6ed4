/* SPDX-License-Identifier: MIT
 *
 * scheduler_priority.h - a scheduler's priority, as the niceness of whichever kernel thread carries
 * it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_SCHEDULER_PRIORITY_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_SCHEDULER_PRIORITY_H

struct plat_context;

/* The scheduler has this priority, one of Win32's, from now on: the kernel thread that carries it
 * at once, others when they do. If the process may not change its threads' niceness and change it
 * back, nothing happens but a line in the log, once. */
void scheduler_priority(struct plat_context *scheduler, int priority);

#endif
