/* SPDX-License-Identifier: MIT
 *
 * tasks_in.h - the kernel threads of this process that wait in a system call, as a carrier in a
 * notification or a helper; and those that are about to end.
 */
#ifndef UMSSHIM_TESTS_LINUX_TASKS_IN_H
#define UMSSHIM_TESTS_LINUX_TASKS_IN_H

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The beginning of a file that /proc has of a task; empty: there is none, or the task has ended. */
static inline void task_says(const char *tid, const char *file, char text[256])
{
    char path[320];
    ssize_t length = 0;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%s/%s", tid, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, text, 255);
        close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
}

/* The number of the system call that the task stands in; -1: none, or the task has ended. */
static inline long task_stands_in(const char *tid)
{
    char text[256];

    task_says(tid, "syscall", text);
    return text[0] >= '0' && text[0] <= '9' ? atol(text) : -1;
}

/* A thread that the kernel has made to wait for io_uring. */
static inline bool task_is_kernels(const char *tid)
{
    char text[256];

    task_says(tid, "comm", text);
    return strncmp(text, "iou-", 4) == 0;
}

/* Whether the thread has ended, or runs nothing of the program's any more and takes no signal. It
 * need not be a zombie yet: its end may be preempted, or wait for a page. */
static inline bool task_is_ending(const char *tid)
{
    enum { EXITING = 4 };
    char text[256];
    const char *name_ends;
    unsigned flags = 0;

    task_says(tid, "stat", text);
    name_ends = strrchr(text, ')');
    return !name_ends ||
           (sscanf(name_ends + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && flags & EXITING);
}

/* How many others stand in one of two calls, or wait for io_uring; -1: nobody can tell. */
static inline int tasks_in(long nr, long other)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int found = 0;

    if (!tasks || access("/proc/self/syscall", R_OK) != 0)
        found = -1;
    while (found >= 0 && (entry = readdir(tasks))) {
        const char *tid = entry->d_name;
        long in;

        if (tid[0] == '.' || atoi(tid) == (int)gettid())
            continue;
        in = task_stands_in(tid);
        found += in == nr || in == other || task_is_kernels(tid);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

#endif
