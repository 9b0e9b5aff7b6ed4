/* SPDX-License-Identifier: MIT
 *
 * process_list.h - the machine's processes and their threads, as /proc names them at one moment.
 * One that ends while the list is read may be missing.
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
    char name[260]; /* of its program, without folders; of one that may not be looked at, the
                       kernel's name */
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

/* False: no memory, or no /proc; nothing is to be freed then. */
bool process_list_read(struct process_list *list);
/* Each thread of the listed processes. */
bool process_list_tasks(const struct process_list *list, struct task_entries *tasks);

/* What the kernel says of a process in one line, in `text`. Returns it from behind the name on,
 * which may hold anything; NULL: there is no such process. */
char *process_stat(pid_t pid, char *text, size_t size);
/* One process. False: there is none of that number. */
bool process_entry_read(pid_t pid, struct process_entry *entry);
/* Its program's path, cut to the room; "": nobody may know. */
void process_path(pid_t pid, char *room, size_t size);

#endif
