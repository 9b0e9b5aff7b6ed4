/* SPDX-License-Identifier: MIT
 *
 * turns.c - workers that yield in turn, on the documented scheduler.
 */
#include "turns.h"

#include "bench.h"
#include "rig.h"

/* The scheduler's count, which the leader's own yields keep from running on. */
static uint64_t yields_seen(const struct rig_worker *self)
{
    return atomic_load_explicit(&self->rig->activations[UmsSchedulerThreadYield],
                                memory_order_relaxed);
}

/* A follower's thread may come late: on a busy machine the leader can take all its turns alone. */
static bool everyone_has_begun(struct turns *turns)
{
    return atomic_load_explicit(&turns->begun, memory_order_relaxed) == turns->workers - 1;
}

static void lead(struct rig_worker *self)
{
    struct turns *turns = self->arg;

    for (uint64_t i = 0; i < turns->warm || !everyone_has_begun(turns); i++)
        rig_yield(self);
    if (turns->at_start)
        turns->at_start(turns);
    turns->yields = yields_seen(self);
    turns->start_ns = bench_now_ns();
    for (uint64_t i = 0; i < turns->rounds; i++)
        rig_yield(self);
    turns->end_ns = bench_now_ns();
    turns->yields = yields_seen(self) - turns->yields;
    if (turns->at_end)
        turns->at_end(turns);
    atomic_store_explicit(&turns->stop, true, memory_order_relaxed);
}

static void follow(struct rig_worker *self)
{
    struct turns *turns = self->arg;

    atomic_fetch_add_explicit(&turns->begun, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&turns->stop, memory_order_relaxed))
        rig_yield(self);
}

void turns_take(struct turns *turns, unsigned workers, uint64_t yields)
{
    static struct rig rig;

    turns->workers = workers;
    turns->rounds = yields / workers;
    turns->warm = turns->rounds / 10 + 2;
    rig_init(&rig, workers);
    rig_add(&rig, lead, turns);
    for (unsigned i = 1; i < workers; i++)
        rig_add(&rig, follow, turns);
    rig_run(&rig);
    /* A player that missed turns was blocked in between; a few are divided out, many are another measurement. */
    if (turns->yields < turns->rounds * workers / 100 * 99)
        bench_fail("workers missed their turns while the clock ran", 0);
}

void turns_emit(const struct turns *turns)
{
    bench_emit("yield", (double)(turns->end_ns - turns->start_ns) / (double)turns->yields);
}
