/* SPDX-License-Identifier: MIT
 *
 * yield.c - a yield and the execute that follows it, and that they leave no memory behind.
 */
#include "probes_ums.h"

#include "bench.h"
#include "rig.h"

#include <stdatomic.h>

/* Worker 0 holds the clock; the others keep yielding until it is done. Round robin: between two
 * turns of worker 0 everyone yields once. */
struct turns {
    uint64_t warm;
    uint64_t rounds;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t memory_before;
    uint64_t memory_after;
    bool read_memory;
    atomic_bool stop;
};

static void lead(struct rig_worker *self)
{
    struct turns *turns = self->arg;

    for (uint64_t i = 0; i < turns->warm; i++)
        rig_yield(self);
    if (turns->read_memory) {
        /* Twice: the first reading itself brings in stdio's buffer and the reader's pages. */
        bench_anonymous_bytes();
        turns->memory_before = bench_anonymous_bytes();
    }
    turns->start_ns = bench_now_ns();
    for (uint64_t i = 0; i < turns->rounds; i++)
        rig_yield(self);
    turns->end_ns = bench_now_ns();
    if (turns->read_memory)
        turns->memory_after = bench_anonymous_bytes();
    atomic_store_explicit(&turns->stop, true, memory_order_relaxed);
}

static void follow(struct rig_worker *self)
{
    struct turns *turns = self->arg;

    while (!atomic_load_explicit(&turns->stop, memory_order_relaxed))
        rig_yield(self);
}

static void take_turns(struct turns *turns, unsigned workers, uint64_t yields)
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

static void emit_per_yield(const struct turns *turns, unsigned workers)
{
    bench_emit("yield",
               (double)(turns->end_ns - turns->start_ns) / (double)(turns->rounds * workers));
}

void probe_yield_two(const struct bench_scale *scale)
{
    struct turns turns = {0};

    take_turns(&turns, 2, scale->yields);
    emit_per_yield(&turns, 2);
}

void probe_yield_crowd(const struct bench_scale *scale)
{
    struct turns turns = {0};

    take_turns(&turns, scale->crowd, scale->yields);
    emit_per_yield(&turns, scale->crowd);
}

void probe_growth(const struct bench_scale *scale)
{
    struct turns turns = {.read_memory = true};

    take_turns(&turns, 2, scale->growth_yields);
    bench_emit("growth", (double)(int64_t)(turns.memory_after - turns.memory_before) / 1024.0);
}
