/* SPDX-License-Identifier: MIT
 *
 * tick.h - a lane's tick: a timer, which looks every 200 us at the lane's waits that are not armed
 * yet, while there are any. Every millisecond where a scheduler has slept on the files of those
 * waits time and again since the last tick, and looks at them by itself: a thread that is woken for
 * each tick, and finds nothing to do, took 7% of the processor time there.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_TICK_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_TICK_H

#include <stdbool.h>

#include "platform/linux/switch/lane.h"

/* Has the next ticks look at a wait that the caller has noted. Any thread that does not hold the
 * deferral's lock. */
void tick_expect(struct lane *lane);
/* The same in two steps, for a caller that holds that lock. True: it is to call tick_start once it
 * has given the lock back. */
static inline bool tick_note(struct lane *lane)
{
    bool start = !lane->deferral.ticking;
    __atomic_store_n(&lane->deferral.ticking, true, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->deferral.since_tick, true, __ATOMIC_RELAXED);
    return start;
}
void tick_start(struct lane *lane);
/* By the tick itself. `soon`: there are waits that only the tick looks at. */
void tick_again(struct lane *lane, bool soon);

#endif
