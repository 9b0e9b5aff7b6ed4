/* SPDX-License-Identifier: MIT
 *
 * task_list.h - every thread of this process, engine's and program's, as /proc/self/task names
 * them. No heap, no stdio.
 *
 * To reach all threads, whatever they do meanwhile:
 *
 *     do {
 *         task_list_read(&list);
 *         nothing_new = true;
 *         for each of its tids: unless it has what it is to have: see to it, nothing_new = false;
 *     } while (!task_list_suffices(&list, nothing_new));
 *
 * A thread that was created by one that was not yet reached is in the next list. But a list may
 * leave threads out: the kernel goes from thread to thread, and where one ends under it, it stops
 * or skips others. So the last list has to be whole. That is, the process has as many threads as it
 * names, and all of these are there still when that was asked. Where threads come and go all the
 * time there may be no such moment: then a number of lists in a row with nothing new will do.
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
/* The same for who only wants to know the threads: lists them until the list is whole. */
void task_list_complete(struct task_list *list);

#endif
