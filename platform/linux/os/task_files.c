/* SPDX-License-Identifier: MIT
 *
 * task_files.c - see task_files.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/task_files.h"

/* Reads a file of the thread as text; its length, or -errno. */
static long task_file(int tasks, pid_t tid, const char *name, char *text, size_t bytes)
{
    char path[48];
    char *at = path + 16, *start = at;
    for (pid_t rest = tid; rest; rest /= 10)
        *--start = (char)('0' + rest % 10);
    *at++ = '/';
    strcpy(at, name);
    int fd = (int)RAW4(SYS_openat, tasks, start, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    size_t length = 0;
    long n = 0;
    while (length < bytes - 1 && (n = RAW3(SYS_read, fd, text + length, bytes - 1 - length)) > 0)
        length += (size_t)n;
    RAW1(SYS_close, fd);
    text[length] = 0;
    return length ? (long)length : n < 0 ? n : -ESRCH;
}

int task_look(int tasks, pid_t tid)
{
    char text[512];
    long length = task_file(tasks, tid, "stat", text, sizeof text);
    return length < 0 ? (int)length : 0;
}

bool task_beyond_reach(int tasks, pid_t tid)
{
    enum { EXITING = 0x4, IO_WORKER = 0x10, USER_WORKER = 0x4000 };
    char text[512];
    long length = task_file(tasks, tid, "stat", text, sizeof text);
    if (length < 0) /* the thread is gone, or no descriptor was free */
        return length == -ENOENT || RAW3(SYS_tgkill, own_pid(), tid, 0) == -ESRCH;
    const char *at = strrchr(text, ')');
    if (!at || strlen(at) < 4)
        return false;
    at += 2;
    if (*at == 'Z' || *at == 'X')
        return true;
    for (int fields = 0; at && fields < 6; fields++) /* flags: the sixth after the state */
        at = strchr(at + 1, ' ');
    unsigned long flags = at ? strtoul(at, NULL, 10) : 0;
    return flags & (EXITING | IO_WORKER | USER_WORKER);
}

bool task_ids(int tasks, pid_t tid, char *ids, size_t bytes)
{
    char text[8192];
    long length = task_file(tasks, tid, "status", text, sizeof text);
    if (length < 0 || length == sizeof text - 1)
        return false; /* not read, or more groups than fit */
    const char *from = strstr(text, "\nUid:"), *to = from ? strstr(from, "\nGroups:") : NULL;
    to = to ? strchr(to + 1, '\n') : NULL;
    if (!to || (size_t)(to - from) >= bytes)
        return false;
    memcpy(ids, from, (size_t)(to - from));
    ids[to - from] = 0;
    return true;
}

bool task_has_ids(int tasks, pid_t tid, const char *wanted)
{
    char ids[4096];
    return task_ids(tasks, tid, ids, sizeof ids) && strcmp(ids, wanted) == 0;
}
