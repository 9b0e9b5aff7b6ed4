/* SPDX-License-Identifier: MIT
 *
 * task_files.h - facts about a thread of this process, from /proc. No heap, no stdio.
 *
 * `tasks` is /proc/self/task, open.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_TASK_FILES_H
#define UMSSHIM_PLATFORM_LINUX_OS_TASK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* 0: the folder's process has a thread with this id. Else -errno: ENOENT or ESRCH if it has
 * none. */
int task_look(int tasks, pid_t tid);
/* Whether the thread will never run a handler: it is ending, or it is a thread of the kernel's. */
bool task_beyond_reach(int tasks, pid_t tid);
/* Copies the lines of its status that say for which user it acts. False: they do not fit, or the
 * thread is gone. */
bool task_ids(int tasks, pid_t tid, char *ids, size_t bytes);
bool task_has_ids(int tasks, pid_t tid, const char *wanted);

#endif
