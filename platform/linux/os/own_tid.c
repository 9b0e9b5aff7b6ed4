/* SPDX-License-Identifier: MIT
 *
 * own_tid.c - see own_tid.h.
 */
#include "platform/linux/os/own_tid.h"

#include <stdlib.h>
#include <string.h>

#include "platform/check.h"
#include "platform/linux/os/raw.h"

/* The number after the last slash of the link: "PROCESS/task/THREAD", or "PROCESS". */
static pid_t id_in_proc(const char *path)
{
    char link[64];
    long length = RAW3(SYS_readlink, path, link, sizeof link - 1);
    link[length > 0 ? length : 0] = 0;
    const char *last = strrchr(link, '/');
    return atoi(last ? last + 1 : link);
}

static pid_t id_or_end(long id, const char *path)
{
    if (UMS_UNLIKELY(id <= 0))
        id = id_in_proc(path);
    if (UMS_UNLIKELY(id <= 0))
        UMS_FATAL("the id of a thread or of the process cannot be had: a sandbox refuses gettid or "
                  "getpid, and there is no /proc. Allow either",
                  0, 0);
    return (pid_t)id;
}

pid_t own_tid(void)
{
    return id_or_end(RAW0(SYS_gettid), "/proc/thread-self");
}

pid_t own_pid(void)
{
    return id_or_end(RAW0(SYS_getpid), "/proc/self");
}

pid_t own_pid_in_proc(void)
{
    return id_in_proc("/proc/self");
}

static pid_t engines; /* 0: no engine yet */

void own_process_note(void)
{
    engines = own_pid();
}

bool own_process_is_another(void)
{
    return own_pid() != engines;
}
