/* SPDX-License-Identifier: MIT
 *
 * process_list.c - see process_list.h.
 */
#include "winapi/linux/process_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/linux/os/task_list.h"

void process_path(pid_t pid, char *room, size_t size)
{
    static const char gone[] = " (deleted)";
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(link, room, size - 1);
    room[length > 0 ? length : 0] = 0;
    size_t cut = sizeof gone - 1;
    if (length > (ssize_t)cut && !strcmp(room + length - cut, gone))
        room[length - cut] = 0;
}

char *process_stat(pid_t pid, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = 0;
    return strrchr(text, ')');
}

bool process_entry_read(pid_t pid, struct process_entry *entry)
{
    char path[4096], text[1024];
    char *after = process_stat(pid, text, sizeof text);
    const char *name = strchr(text, '(');
    int parent;
    unsigned threads;
    if (!name || !after ||
        sscanf(after + 1, " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %u",
               &parent, &threads) != 2)
        return false;
    *after = 0;
    entry->pid = pid;
    entry->parent = parent;
    entry->threads = threads;
    process_path(pid, path, sizeof path);
    const char *last = strrchr(path, '/');
    snprintf(entry->name, sizeof entry->name, "%.*s", (int)sizeof entry->name - 1,
             last ? last + 1 : name + 1);
    return true;
}

/* Calls add() with each number that is a name in a folder of /proc. False: there is no such folder,
 * or add() had no memory. */
static bool each_number(const char *path, bool (*add)(pid_t number, void *arg), void *arg)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool good = folder != NULL;
    while (good && (entry = readdir(folder)))
        if (*entry->d_name >= '1' && *entry->d_name <= '9')
            good = add((pid_t)strtol(entry->d_name, NULL, 10), arg);
    if (folder)
        closedir(folder);
    return good;
}

/* Makes room for one more in an array of `count`, whose room doubles. */
static void *room_for_one(void *array, size_t count, size_t bytes)
{
    bool full = !(count & (count - 1)); /* at 0 and at each power of two */
    return full ? realloc(array, (count ? count * 2 : 1) * bytes) : array;
}

static bool add_process(pid_t pid, void *arg)
{
    struct process_list *list = arg;
    void *larger = room_for_one(list->entries, list->count, sizeof *list->entries);
    if (!larger)
        return false;
    list->entries = larger;
    list->count += process_entry_read(pid, &list->entries[list->count]);
    return true;
}

bool process_list_read(struct process_list *list)
{
    *list = (struct process_list){NULL, 0};
    if (each_number("/proc", add_process, list))
        return true;
    free(list->entries);
    return false;
}

static bool add_task(struct task_entries *tasks, pid_t tid, pid_t pid)
{
    void *larger = room_for_one(tasks->entries, tasks->count, sizeof *tasks->entries);
    if (!larger)
        return false;
    tasks->entries = larger;
    tasks->entries[tasks->count++] = (struct task_entry){tid, pid};
    return true;
}

struct task_reader {
    struct task_entries *tasks;
    pid_t pid;
    bool no_memory;
};

static bool add_number(pid_t tid, void *arg)
{
    struct task_reader *reader = arg;
    reader->no_memory = !add_task(reader->tasks, tid, reader->pid);
    return !reader->no_memory;
}

/* The list has each thread of this process that lives all the time, even if other threads end
 * meanwhile. */
static bool add_own_tasks(struct task_entries *tasks, pid_t pid)
{
    struct task_list list;
    if (task_list_open(&list))
        return true;
    task_list_complete(&list);
    bool good = true;
    for (size_t i = 0; good && i < list.count; i++)
        good = add_task(tasks, list.tids[i], pid);
    task_list_close(&list);
    return good;
}

bool process_list_tasks(const struct process_list *list, struct task_entries *tasks)
{
    struct task_reader reader = {.tasks = tasks};
    pid_t self = getpid();
    *tasks = (struct task_entries){NULL, 0};
    for (size_t i = 0; i < list->count && !reader.no_memory; i++) {
        char path[64];
        reader.pid = list->entries[i].pid;
        if (reader.pid == self) {
            reader.no_memory = !add_own_tasks(tasks, self);
            continue;
        }
        snprintf(path, sizeof path, "/proc/%d/task", (int)reader.pid);
        each_number(path, add_number, &reader); /* no entries: the process has ended */
    }
    if (reader.no_memory)
        free(tasks->entries);
    return !reader.no_memory;
}
