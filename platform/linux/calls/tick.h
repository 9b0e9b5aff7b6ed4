/* SPDX-License-Identifier: MIT
 *
 * tick.h - a lane's tick: a timer, which looks every 200 us at the lane's waits that are not armed
 * yet, while there are any; less often where a scheduler looks at them itself (tick.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_TICK_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_TICK_H

#include <stdbool.h>

#include "platform/check.h"
#include "platform/linux/switch/lane.h"

struct call;

/* Has the next ticks look at a wait that the caller has noted, and at which nobody else looks. Any
 * thread that does not hold the deferral's lock. */
void tick_expect(struct lane *lane);
/* A scheduler of the lane is about to execute a worker, and looks at no call before that one has
 * left. With no lock held. Does nothing in a copy of the process. */
void tick_runs_on(struct lane *lane);

/* With the deferral's lock held: */

/* Has the ticks go on. True: the timer is to be set. */
static inline bool tick_note(struct lane *lane)
{
    bool start = !lane->deferral.ticking;
    __atomic_store_n(&lane->deferral.ticking, true, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->deferral.since_tick, true, __ATOMIC_RELAXED);
    return start;
}
void tick_note_rare(struct lane *lane, const struct call *call, bool start);
/* The caller has put this call among the deferred ones. */
static inline void tick_note_deferred(struct lane *lane, const struct call *call)
{
    bool start = tick_note(lane);
    if (UMS_UNLIKELY(start || lane->deferral.slow))
        tick_note_rare(lane, call, start);
}
/* Calls are deferred, and no scheduler may look at them soon. */
void tick_hasten(struct lane *lane);
/* A tick is over. `left`: waits for futexes are left; `slept_on`: so are calls on which a scheduler
 * sleeps. */
void tick_again(struct lane *lane, bool left, bool slept_on);

#endif
