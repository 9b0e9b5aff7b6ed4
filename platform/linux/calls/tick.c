/* SPDX-License-Identifier: MIT
 *
 * tick.c - see tick.h. poller.c does a tick's work.
 */
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/calls/tick.h"
#include "platform/linux/os/timer.h"
#include "platform/platform.h"

enum { TICK_NS = 200000 };

void tick_start(struct lane *lane)
{
    lane->deferral.tick.deadline = plat_now() + TICK_NS;
    timer_add_in(lane, &lane->deferral.tick);
}

/* The tick reads `since_tick` and clears it under the lock, after it has looked for waits to arm.
 * So where `since_tick` is set here, this tick or the next one finds the caller's wait. */
void tick_expect(struct lane *lane)
{
    if (__atomic_load_n(&lane->deferral.ticking, __ATOMIC_RELAXED) &&
        __atomic_load_n(&lane->deferral.since_tick, __ATOMIC_RELAXED))
        return;
    plat_lock(&lane->deferral.lock);
    bool start = tick_note(lane);
    plat_unlock(&lane->deferral.lock);
    if (start)
        tick_start(lane);
}
