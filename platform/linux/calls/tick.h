/* SPDX-License-Identifier: MIT
 *
 * tick.h - a lane's tick: a timer, which looks every 200 us at the lane's waits that are not armed
 * yet, while there are any; less often where such waits are over soon (tick.c).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_TICK_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_TICK_H

#include <stdbool.h>

#include "platform/check.h"
#include "platform/linux/switch/lane.h"

/* Has the next ticks look at a wait that the caller has noted, and at which nobody else looks. Any
 * thread that does not hold the deferral's lock. */
void tick_expect(struct lane *lane);

/* With the deferral's lock held: */

/* Has the ticks go on. True: the timer is to be set. */
static inline bool tick_note(struct lane *lane)
{
    bool start = !lane->deferral.ticking;
    __atomic_store_n(&lane->deferral.ticking, true, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->deferral.since_tick, true, __ATOMIC_RELAXED);
    return start;
}
void tick_start(struct lane *lane);
/* The caller has deferred a call. */
static inline void tick_note_deferred(struct lane *lane)
{
    if (UMS_UNLIKELY(tick_note(lane)))
        tick_start(lane);
}
/* A tick is over. `left`: waits for futexes are left; `slept_on`: so are calls on which a scheduler
 * sleeps. `left_alone`: the tick armed calls at which nobody else had looked for long. */
void tick_again(struct lane *lane, bool left, bool slept_on, bool left_alone);

#endif
