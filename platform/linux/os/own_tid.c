/* SPDX-License-Identifier: MIT
 *
 * own_tid.c - see own_tid.h.
 */
#include "platform/linux/os/own_tid.h"

#include <stdlib.h>
#include <string.h>

#include "platform/linux/engine.h"
#include "platform/linux/os/raw.h"

/* "PROCESS/task/THREAD". */
static pid_t tid_in_proc(void)
{
    char link[64];
    long length = RAW3(SYS_readlink, "/proc/thread-self", link, sizeof link - 1);
    link[length > 0 ? length : 0] = 0;
    const char *last = strrchr(link, '/');
    return last ? atoi(last + 1) : 0;
}

pid_t own_tid(void)
{
    long tid = RAW0(SYS_gettid);
    if (UMS_UNLIKELY(tid <= 0))
        tid = tid_in_proc();
    if (UMS_UNLIKELY(tid <= 0))
        UMS_FATAL("the id of a thread cannot be had: a sandbox refuses gettid, and there is no "
                  "/proc/thread-self. Allow either",
                  0, 0);
    return (pid_t)tid;
}
