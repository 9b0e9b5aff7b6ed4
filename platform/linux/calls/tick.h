/* SPDX-License-Identifier: MIT
 *
 * tick.h - a lane's tick: a timer, which looks every 200 us at the lane's waits that are not armed
 * yet, while there are any.
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

#endif
