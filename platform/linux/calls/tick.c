/* SPDX-License-Identifier: MIT
 *
 * tick.c - when a lane's tick comes. poller.c does a tick's work.
 *
 * A tick wakes a thread, which costs as much as several calls that wait. It is there for the calls
 * that are deferred while their scheduler executes a worker for long, and for waits for futexes. A
 * scheduler that falls asleep, or a worker that writes, looks at the deferred calls by itself. So a
 * tick is *long*, LONG_TICK_NS, after OFTEN ticks in a row that found no call left alone, unless a
 * wait for a futex is there. Left alone is a call at which nobody has looked for two ticks, where
 * no other call has blocked since the last one: its scheduler executes one worker, and not many.
 *
 * A tick arms a call that is left alone at the second tick after the call was deferred, at the
 * latest. These ticks are short where calls are left alone time and again, and long elsewhere.
 *
 * A wait for a futex makes a long tick that is set a short one (tick_expect).
 *
 * The timer is set and cancelled under the deferral's lock, so `slow` is always that of the timer.
 * Where it cannot be cancelled any more it fires, and that tick waits for the lock. Then it finds
 * `soon`.
 */
#include "platform/linux/calls/tick.h"

#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

enum { TICK_NS = 200000, LONG_TICK_NS = 4000000, OFTEN = 8 };

static void set(struct lane *lane, bool slow)
{
    __atomic_store_n(&lane->deferral.slow, slow, __ATOMIC_RELAXED);
    lane->deferral.tick.deadline = plat_now() + (slow ? LONG_TICK_NS : TICK_NS);
    timer_add_in(lane, &lane->deferral.tick);
}

/* With the deferral's lock held. */
static void hasten(struct lane *lane)
{
    if (!lane->deferral.slow)
        return;
    __atomic_store_n(&lane->deferral.soon, true, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->deferral.slow, false, __ATOMIC_RELAXED);
    if (timer_cancel(&lane->deferral.tick))
        set(lane, false);
}

/* The timer is not set, so no wait for a futex is there. */
void tick_start(struct lane *lane)
{
    set(lane, lane->deferral.vain_ticks >= OFTEN);
}

/* The tick reads `soon` and clears it under the lock, after it has looked for waits to arm. So
 * where `soon` is set here, this tick or the next one, which is short, finds the caller's wait. */
void tick_expect(struct lane *lane)
{
    if (__atomic_load_n(&lane->deferral.ticking, __ATOMIC_RELAXED) &&
        __atomic_load_n(&lane->deferral.since_tick, __ATOMIC_RELAXED) &&
        __atomic_load_n(&lane->deferral.soon, __ATOMIC_RELAXED))
        return;
    plat_lock(&lane->deferral.lock);
    if (tick_note(lane))
        set(lane, false);
    hasten(lane);
    __atomic_store_n(&lane->deferral.soon, true, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
}

void tick_again(struct lane *lane, bool left, bool slept_on, bool left_alone)
{
    struct deferral *deferral = &lane->deferral;
    bool again = deferral->since_tick || left || deferral->count || slept_on;
    if (left_alone && !deferral->since_tick)
        deferral->vain_ticks = 0;
    else if (deferral->vain_ticks < OFTEN)
        deferral->vain_ticks++;
    bool slow = deferral->vain_ticks >= OFTEN && !left && !deferral->soon;
    __atomic_store_n(&deferral->soon, false, __ATOMIC_RELAXED);
    __atomic_store_n(&deferral->since_tick, false, __ATOMIC_RELAXED);
    __atomic_store_n(&deferral->ticking, again, __ATOMIC_RELAXED);
    if (again)
        set(lane, slow);
    else
        __atomic_store_n(&deferral->slow, false, __ATOMIC_RELAXED);
}
