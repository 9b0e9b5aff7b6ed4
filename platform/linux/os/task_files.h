/* SPDX-License-Identifier: MIT
 *
 * task_files.h - what /proc says of a thread of this process. No heap, no stdio.
 *
 * `tasks` is /proc/self/task, open.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_TASK_FILES_H
#define UMSSHIM_PLATFORM_LINUX_OS_TASK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* 0: it is a thread of the process whose folder that is. Else -errno: ENOENT or ESRCH where it is
 * none. */
int task_look(int tasks, pid_t tid);
/* Whether the thread will never run a handler: it is ending, or it is the kernel's. */
bool task_beyond_reach(int tasks, pid_t tid);
/* The lines of its status that say for which user it acts; false: they do not fit, or it is
 * gone. */
bool task_ids(int tasks, pid_t tid, char *ids, size_t bytes);
bool task_has_ids(int tasks, pid_t tid, const char *wanted);

#endif
