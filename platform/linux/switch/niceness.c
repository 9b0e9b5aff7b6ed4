/* SPDX-License-Identifier: MIT
 *
 * niceness.c - see niceness.h.
 *
 * Anybody may make a thread nicer, but only some may take that back (RLIMIT_NICE, CAP_SYS_NICE). Carriers go from
 * one scheduler to another, so a step is taken only where the way back is open: else one scheduler of a
 * low priority would slow others down for good.
 */
#include <sys/resource.h>

#include "platform/linux/engine.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/niceness.h"

enum { NICEST = 19, LEAST_NICE = -20 };

/* Win32 names seven priorities; the system's steps are about 1.25 times in processor time each. */
static int steps_of(int priority)
{
    static const struct {
        int priority, steps;
    } table[] = {{15, -15}, {2, -10}, {1, -5}, {0, 0}, {-1, 5}, {-2, 10}, {-15, 19}};
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].priority == priority)
            return table[i].steps;
    return 0;
}

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

/* By the limit, or by the capability, which counts in the first user namespace only: so it is tried, with this
 * kernel thread and for a moment. */
static bool may_have(int lowest)
{
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

void scheduler_priority(struct plat_context *scheduler, int priority)
{
    static _Atomic bool told;
    int steps = steps_of(priority);
    int born_with = scheduler->own.born_with;
    if (steps && !may_have(clamped(steps < 0 ? born_with + steps : born_with))) {
        if (caps_wanted() && !atomic_exchange(&told, true))
            plat_log(
                "priorities of schedulers are remembered only: RLIMIT_NICE forbids the way back");
        steps = 0;
    }
    scheduler->steps = steps;
    if (scheduler->carrier)
        niceness_take(&scheduler->carrier->niceness, steps);
    else if (!scheduler->hosted)
        niceness_take(&scheduler->own, steps);
}
