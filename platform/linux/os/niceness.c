/* SPDX-License-Identifier: MIT
 *
 * niceness.c - see niceness.h.
 */
#include <stddef.h>
#include <sys/resource.h>

#include "platform/linux/os/niceness.h"
#include "platform/linux/os/raw.h"

enum { NICEST = 19, LEAST_NICE = -20 };

static int clamped(int value)
{
    return value > NICEST ? NICEST : value < LEAST_NICE ? LEAST_NICE : value;
}

static int niceness_of(pid_t tid)
{
    return 20 - (int)RAW2(SYS_getpriority, PRIO_PROCESS, tid);
}

void niceness_find(struct niceness *of, pid_t tid)
{
    *of = (struct niceness){.tid = tid, .born_with = niceness_of(tid)};
}

void niceness_take(struct niceness *of, int steps)
{
    if (of->steps == steps)
        return;
    of->steps = steps;
    RAW3(SYS_setpriority, PRIO_PROCESS, of->tid, clamped(of->born_with + steps));
}

/* The limit allows it, or the capability, which counts only in the first user namespace. So this
 * tries it for a moment with the calling kernel thread. */
bool niceness_may_return(int to)
{
    int lowest = clamped(to);
    struct rlimit limit;
    if (RAW4(SYS_prlimit64, 0, RLIMIT_NICE, NULL, &limit) == 0 &&
        (limit.rlim_cur >= 40 || lowest >= 20 - (int)limit.rlim_cur))
        return true;
    int now = niceness_of(0);
    int below = now <= lowest ? now - 1 : lowest;
    if (RAW3(SYS_setpriority, PRIO_PROCESS, 0, clamped(below)) < 0)
        return false;
    RAW3(SYS_setpriority, PRIO_PROCESS, 0, now);
    return true;
}
