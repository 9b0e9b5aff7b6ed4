/* SPDX-License-Identifier: MIT
 *
 * niceness.h - a scheduler's priority, as the niceness of whichever kernel thread carries it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_NICENESS_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_NICENESS_H

#include <sys/types.h>

struct plat_context;

/* What a kernel thread has: so many steps more than it was born with. */
struct niceness {
    pid_t tid;
    int born_with;
    int steps;
};

/* Of a kernel thread that has taken no steps. */
void niceness_find(struct niceness *of, pid_t tid);
/* No system call where the kernel thread has them already. */
void niceness_take(struct niceness *of, int steps);

/* The scheduler has this priority, one of Win32's, from now on: the kernel thread that carries it at once,
 * others when they do. If the process may not change its threads' niceness and change it back, nothing
 * happens but a line in the log, once. */
void scheduler_priority(struct plat_context *scheduler, int priority);

#endif
