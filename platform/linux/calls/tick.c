/* SPDX-License-Identifier: MIT
 *
 * tick.c - see tick.h. poller.c does a tick's work.
 */
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/calls/tick.h"
#include "platform/linux/os/timer.h"
#include "platform/platform.h"

enum { TICK_NS = 200000, LONG_TICK_NS = 1000000, OFTEN = 8 };

static void start(struct lane *lane, uint64_t length)
{
    __atomic_store_n(&lane->deferral.right_sleeps, 0, __ATOMIC_RELAXED);
    lane->deferral.tick.deadline = plat_now() + length;
    timer_add_in(lane, &lane->deferral.tick);
}

void tick_start(struct lane *lane)
{
    start(lane, TICK_NS);
}

void tick_again(struct lane *lane, bool soon)
{
    bool often = __atomic_load_n(&lane->deferral.right_sleeps, __ATOMIC_RELAXED) >= OFTEN;
    start(lane, often && !soon ? LONG_TICK_NS : TICK_NS);
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
