/* SPDX-License-Identifier: MIT
 *
 * process_list.h - the machine's processes and their threads, as /proc shows them. A process or
 * thread that ends while the list is read may be missing.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PROCESS_LIST_H
#define UMSSHIM_WINAPI_LINUX_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_entry {
    pid_t pid, parent;
    uint32_t threads;
    char name[260]; /* its program's, without folders; if that is not allowed, the kernel's name for
                     * it */
};

struct process_list {
    struct process_entry *entries; /* malloc's */
    size_t count;
};

struct task_entry {
    pid_t tid, pid;
};

struct task_entries {
    struct task_entry *entries; /* malloc's */
    size_t count;
};

/* False: no memory, or no /proc; then there is nothing to free. */
bool process_list_read(struct process_list *list);
/* Lists each thread of the listed processes. */
bool process_list_tasks(const struct process_list *list, struct task_entries *tasks);

/* Reads the kernel's line about a process into `text`. Returns the part behind the process's name,
 * which may have any characters. NULL: no such process. */
char *process_stat(pid_t pid, char *text, size_t size);
/* Reads one process. False: there is none with this number. */
bool process_entry_read(pid_t pid, struct process_entry *entry);
/* The path of the process's program, cut to `size`; "": the caller may not know it. */
void process_path(pid_t pid, char *room, size_t size);

#endif
