/* SPDX-License-Identifier: MIT
 *
 * task_list.c - see task_list.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/os/directory_entry.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/task_list.h"
#include "platform/platform.h"

enum {
    TID_BYTES = TASK_IDS * sizeof(pid_t),
    ENTRY_BYTES = 1 << 16,
    BYTES = TID_BYTES + ENTRY_BYTES,
    ENOUGH = 20
};

/* 0, or -errno. */
static int read_all(struct task_list *list)
{
    long n;
    list->count = 0;
    RAW3(SYS_lseek, list->folder, 0, SEEK_SET);
    while ((n = RAW3(SYS_getdents64, list->folder, list->entries, ENTRY_BYTES)) > 0) {
        for (char *at = list->entries; at < list->entries + n;) {
            const struct directory_entry *entry = (const struct directory_entry *)at;
            at += entry->bytes;
            pid_t tid = (pid_t)strtol(entry->name, NULL, 10);
            if (tid > 0 && tid < TASK_IDS && list->count < TASK_IDS)
                list->tids[list->count++] = tid;
        }
    }
    return (int)n;
}

int task_list_open(struct task_list *list)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    *list = (struct task_list){0};
    list->folder = (int)RAW4(SYS_openat, AT_FDCWD, "/proc/self/task", flags, 0);
    if (list->folder < 0)
        return list->folder;
    list->tids = plat_reserve(BYTES);
    if (!list->tids) {
        RAW1(SYS_close, list->folder);
        return -ENOMEM;
    }
    list->entries = (char *)list->tids + TID_BYTES;
    int error = read_all(list);
    if (error)
        task_list_close(list);
    return error;
}

void task_list_close(struct task_list *list)
{
    RAW2(SYS_munmap, list->tids, BYTES);
    RAW1(SYS_close, list->folder);
}

void task_list_read(struct task_list *list)
{
    read_all(list);
}

/* Whether the list has all threads. The folder's number of links tells how many there are. */
static bool is_whole(const struct task_list *list)
{
    enum { SELF_AND_PARENT = 2 };
    struct stat counted = {0};
    RAW2(SYS_fstat, list->folder, &counted);
    if (counted.st_nlink != list->count + SELF_AND_PARENT)
        return false;
    pid_t process = own_pid();
    for (size_t i = 0; i < list->count; i++)
        if (RAW3(SYS_tgkill, process, list->tids[i], 0) < 0)
            return false;
    return true;
}

bool task_list_suffices(struct task_list *list, bool nothing_new)
{
    list->in_a_row = nothing_new ? list->in_a_row + 1 : 0;
    return nothing_new && (is_whole(list) || list->in_a_row >= ENOUGH);
}

void task_list_complete(struct task_list *list)
{
    while (!task_list_suffices(list, true))
        task_list_read(list);
}
