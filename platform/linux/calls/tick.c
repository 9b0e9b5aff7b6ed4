/* SPDX-License-Identifier: MIT
 *
 * tick.c - when a lane's tick comes. poller.c does a tick's work.
 *
 * A tick wakes a thread, which costs as much as some hops between two processes. It is there for
 * calls that are deferred while their scheduler executes workers: a scheduler that sleeps on their
 * files looks at them itself. So a tick is a *long* one, LONG_TICK_NS, where since the last one
 * such sleeps have served calls OFTEN times, no call is deferred, and there is no wait for a futex.
 * All ticks else are short.
 *
 * While a long tick is set, a thread that defers a call sees to it that the call is looked at as
 * soon as with short ticks. It does so under the deferral's lock, where `slow` tells it:
 *   - the worker that makes the call, or a scheduler that has slept on its file, asks that
 *     scheduler to stop for a moment before it executes a worker (stop_due). If a call is deferred
 *     then, the scheduler makes the tick a short one (tick_runs_on). If it sleeps on files again,
 *     it looks itself;
 *   - another thread, which may run on, makes the tick a short one, as does a scheduler that leaves
 *     its calls to another one (file_sleep_join), and a wait for a futex (tick_expect).
 * Not noticed is a scheduler that executes no worker after one has blocked: it computes in its
 * entry point itself, or ends. Then a call is looked at by the long tick, and the short one after
 * it. Nor is a sleeper on files that runs a handler, jumps out of its sleep or is suspended there.
 * Then the second long tick arms its calls, or the tenth short one.
 *
 * The timer is set and cancelled under the deferral's lock, so `slow` is always that of the timer.
 * Where it cannot be cancelled any more it fires, and that tick waits for the lock. Then it finds
 * `soon`.
 */
#include "platform/linux/calls/tick.h"

#include "platform/linux/calls/call.h"
#include "platform/linux/current.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

enum { TICK_NS = 200000, LONG_TICK_NS = 2000000, OFTEN = 8 };

static void set(struct lane *lane, bool slow)
{
    __atomic_store_n(&lane->deferral.slow, slow, __ATOMIC_RELAXED);
    lane->deferral.tick.deadline = plat_now() + (slow ? LONG_TICK_NS : TICK_NS);
    timer_add_in(lane, &lane->deferral.tick);
}

void tick_hasten(struct lane *lane)
{
    if (!lane->deferral.slow)
        return;
    __atomic_store_n(&lane->deferral.soon, true, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->deferral.slow, false, __ATOMIC_RELAXED);
    if (timer_cancel(&lane->deferral.tick))
        set(lane, false);
}

/* The scheduler that the calling thread carries. NULL: the thread may run on with the call
 * deferred. */
static struct plat_context *scheduler_about_to_look(const struct call *call)
{
    struct plat_context *self = plat_current();
    if (!self || self->is_scheduler)
        return self;
    return self == call_worker((struct call *)call) ? self->scheduler : NULL;
}

void tick_note_rare(struct lane *lane, const struct call *call, bool start)
{
    if (start) {
        set(lane, false);
        return;
    }
    struct plat_context *scheduler = scheduler_about_to_look(call);
    if (scheduler)
        atomic_store_explicit(&scheduler->stop_due, true, memory_order_relaxed);
    else
        tick_hasten(lane);
}

void tick_runs_on(struct lane *lane)
{
    sigset_t mask;
    if (!__atomic_load_n(&lane->deferral.slow, __ATOMIC_RELAXED) ||
        !__atomic_load_n(&lane->deferral.count, __ATOMIC_RELAXED) || own_process_is_another())
        return;
    signals_block(&mask); /* a handler may want the same lock */
    plat_lock(&lane->deferral.lock);
    if (lane->deferral.count)
        tick_hasten(lane);
    plat_unlock(&lane->deferral.lock);
    signals_restore(&mask);
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
    tick_hasten(lane);
    __atomic_store_n(&lane->deferral.soon, true, __ATOMIC_RELAXED);
    plat_unlock(&lane->deferral.lock);
}

void tick_again(struct lane *lane, bool left, bool slept_on)
{
    struct deferral *deferral = &lane->deferral;
    unsigned right = __atomic_load_n(&deferral->right_sleeps, __ATOMIC_RELAXED);
    bool again = deferral->since_tick || left || deferral->count || slept_on;
    bool slow = right >= OFTEN && !left && !deferral->count && !deferral->soon;
    __atomic_store_n(&deferral->right_sleeps, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&deferral->soon, false, __ATOMIC_RELAXED);
    __atomic_store_n(&deferral->since_tick, false, __ATOMIC_RELAXED);
    __atomic_store_n(&deferral->ticking, again, __ATOMIC_RELAXED);
    if (again)
        set(lane, slow);
    else
        __atomic_store_n(&deferral->slow, false, __ATOMIC_RELAXED);
}
