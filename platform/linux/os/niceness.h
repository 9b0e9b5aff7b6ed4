/* SPDX-License-Identifier: MIT
 *
 * niceness.h - how nice a kernel thread of the engine's is.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_NICENESS_H
#define UMSSHIM_PLATFORM_LINUX_OS_NICENESS_H

#include <stdbool.h>
#include <sys/types.h>

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
/* Whether the process may make a nicer thread as little nice as this. */
bool niceness_may_return(int to);

#endif
