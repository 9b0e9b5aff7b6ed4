/* SPDX-License-Identifier: MIT
 *
 * turns.c - workers that yield in turn, on the documented scheduler.
 */
#include "turns.h"

#include "bench.h"
#include "rig.h"

static void lead(struct rig_worker *self)
{
    struct turns *turns = self->arg;

    for (uint64_t i = 0; i < turns->warm; i++)
        rig_yield(self);
    if (turns->at_start)
        turns->at_start(turns);
    turns->start_ns = bench_now_ns();
    for (uint64_t i = 0; i < turns->rounds; i++)
        rig_yield(self);
    turns->end_ns = bench_now_ns();
    if (turns->at_end)
        turns->at_end(turns);
    atomic_store_explicit(&turns->stop, true, memory_order_relaxed);
}

static void follow(struct rig_worker *self)
{
    struct turns *turns = self->arg;

    while (!atomic_load_explicit(&turns->stop, memory_order_relaxed))
        rig_yield(self);
}

void turns_take(struct turns *turns, unsigned workers, uint64_t yields)
{
    static struct rig rig;

    turns->rounds = yields / workers;
    turns->warm = turns->rounds / 10 + 2;
    rig_init(&rig, workers);
    /* Its first turn may come last (lists are LIFO): then the warm-up covers everyone's start. */
    rig_add(&rig, lead, turns);
    for (unsigned i = 1; i < workers; i++)
        rig_add(&rig, follow, turns);
    rig_run(&rig);
    if (atomic_load(&rig.activations[UmsSchedulerThreadYield]) < turns->rounds * workers)
        bench_fail("fewer yields seen by the scheduler than made by the workers", 0);
}

void turns_emit(const struct turns *turns, unsigned workers)
{
    bench_emit("yield",
               (double)(turns->end_ns - turns->start_ns) / (double)(turns->rounds * workers));
}
