/* SPDX-License-Identifier: MIT
 *
 * scheduler_priority.h - a scheduler's priority, as the niceness of the kernel thread that carries
 * it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_SCHEDULER_PRIORITY_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_SCHEDULER_PRIORITY_H

struct plat_context;

/* Gives the scheduler this priority, one of Win32's. The kernel thread that carries it now gets it
 * at once, later ones when they carry it. If the process may not change its threads' niceness back,
 * this does nothing, and UMSSHIM_LOG=caps says so once. */
void scheduler_priority(struct plat_context *scheduler, int priority);

#endif
