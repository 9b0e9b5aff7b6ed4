/* SPDX-License-Identifier: MIT
 *
 * task_list.h - all threads of this process, the engine's and the program's, from /proc/self/task.
 * No heap, no stdio.
 *
 * To reach all threads, whatever they do meanwhile:
 *
 *     do {
 *         task_list_read(&list);
 *         nothing_new = true;
 *        for each of its tids that was not reached yet: reach it, nothing_new = false;
 *     } while (!task_list_suffices(&list, nothing_new));
 *
 * A thread that an unreached thread creates is in the next list. But a list may leave threads out:
 * the kernel goes from thread to thread, and when one ends meanwhile it stops or skips others. So
 * the last list has to be whole: the process has as many threads as it names, and all these are
 * still there afterwards. If threads come and go all the time there may be no such moment. Then
 * some lists in a row with nothing new will do.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_TASK_LIST_H
#define UMSSHIM_PLATFORM_LINUX_OS_TASK_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { TASK_IDS = 1 << 22 }; /* the kernel's limit: ids are below */

struct task_list {
    int folder; /* /proc/self/task, open */
    pid_t *tids;
    size_t count;
    char *entries;
    unsigned in_a_row; /* lists with nothing new */
};

/* 0, or -errno: it cannot be opened, or a sandbox refuses to list it. */
int task_list_open(struct task_list *list);
void task_list_close(struct task_list *list);
void task_list_read(struct task_list *list);
bool task_list_suffices(struct task_list *list, bool nothing_new);
/* For a caller that only wants to know the threads: reads the list until it is whole. */
void task_list_complete(struct task_list *list);

#endif
