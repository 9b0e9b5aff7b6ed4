/* SPDX-License-Identifier: MIT
 *
 * scheduler_priority.c - see scheduler_priority.h.
 *
 * Any process may make a thread nicer, but only some may take that back (RLIMIT_NICE,
 * CAP_SYS_NICE). Carriers go from one scheduler to another. So a carrier's niceness changes only if
 * it can be changed back: else one scheduler of a low priority would slow others down for good.
 */
#include "platform/linux/os/caps.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/niceness.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/scheduler_priority.h"
#include "platform/platform.h"

/* Win32 names seven priorities. Each step of the system's niceness is a factor of about 1.25 in
 * processor time. */
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

void scheduler_priority(struct plat_context *scheduler, int priority)
{
    int steps = steps_of(priority);
    int born_with = scheduler->runs.own.born_with;
    if (steps && !niceness_may_return(steps < 0 ? born_with + steps : born_with)) {
        if (caps_wanted())
            plat_log_once(
                "priorities of schedulers are remembered only: RLIMIT_NICE forbids the way back");
        steps = 0;
    }
    scheduler->runs.steps = steps;
    if (scheduler->runs.carrier)
        niceness_take(&scheduler->runs.carrier->niceness, steps);
    else if (!scheduler->runs.hosted)
        niceness_take(&scheduler->runs.own, steps);
}
