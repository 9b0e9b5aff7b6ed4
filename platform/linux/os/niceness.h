/* SPDX-License-Identifier: MIT
 *
 * niceness.h - the niceness of a kernel thread of the engine.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_NICENESS_H
#define UMSSHIM_PLATFORM_LINUX_OS_NICENESS_H

#include <stdbool.h>
#include <sys/types.h>

/* A kernel thread's niceness: that with which it was born, and the steps that it has taken
 * since. */
struct niceness {
    pid_t tid;
    int born_with;
    int steps;
};

/* Fills in the record of a kernel thread that has taken no steps. */
void niceness_find(struct niceness *of, pid_t tid);
/* Makes no system call if the kernel thread has these steps already. */
void niceness_take(struct niceness *of, int steps);
/* Whether the process may give a thread this lower niceness again. */
bool niceness_may_return(int to);

#endif
