/* SPDX-License-Identifier: MIT
 *
 * items.c - the items, and the table of what came of them.
 *
 * Usage: items [--quick]. A line for each measurement: ground, nanoseconds of calculation, calls, items for each
 * second of processor time (the median of the rounds), lowest and highest.
 */
#include "items.h"

#include "../bench.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5 };

static struct plan plan;
static _Alignas(64) atomic_int taken;
static double loops_per_ns;

int items_take(void)
{
    return atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed) < plan.items;
}

static void compute(int loops)
{
    for (volatile int i = 0; i < loops; i++)
        ;
}

void items_run_one(void)
{
    compute(plan.loops);
    for (int i = 0; i < plan.calls; i++)
        items_call();
}

/* Of processor time, all threads together: what other programs take meanwhile does not count. */
static double seconds(void)
{
    return (double)bench_processor_ns() / 1e9;
}

/* By the wall clock: a system's account of processor time may be too coarse for this. */
static void calibrate(void)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < 20; i++) {
        uint64_t began = bench_now_ns();
        compute(1000000);
        uint64_t took = bench_now_ns() - began;
        best = took < best ? took : best;
    }
    loops_per_ns = 1e6 / (double)best;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Processor time of so many items, and of making and ending those who run them. */
static double run(const struct ground *ground, int items)
{
    double began = seconds();

    plan.items = items;
    atomic_store(&taken, 0);
    ground->run(&plan);
    return seconds() - began;
}

/* As many as take the ground so long: the slowest is twenty times slower than the fastest. */
static int items_for(const struct ground *ground, double wanted, int most)
{
    double nothing = run(ground, 0), some = run(ground, most / 20) - nothing;
    double items = some > wanted / 1000 ? wanted / some * most / 20 : most;

    return items < most ? (int)items : most;
}

static void measure(const struct ground *ground, int nanoseconds, int calls, int budget_ms)
{
    double rates[ROUNDS], wanted = budget_ms / 1e3 * plan.processors;

    plan.loops = (int)(nanoseconds * loops_per_ns);
    plan.calls = calls;
    int items = items_for(ground, wanted, (int)(wanted * 1e9 / (nanoseconds + 200 + 300 * calls)));
    for (int round = 0; round < ROUNDS; round++)
        rates[round] = items / run(ground, items);
    qsort(rates, ROUNDS, sizeof *rates, by_size);
    printf("%s %d %d %.0f %.0f %.0f\n", ground->name, nanoseconds, calls, rates[ROUNDS / 2],
           rates[0], rates[ROUNDS - 1]);
    fflush(stdout);
}

int items_main(const struct ground *grounds, int count, int argc, char **argv)
{
    static const int lengths[] = {100, 300, 1000, 3000, 10000, 30000};
    static const int calls[] = {0, 1, 2, 4, 8, 16};
    int quick = argc > 1 && !strcmp(argv[1], "--quick");
    int budget = quick ? items_budget_ms / 5 : items_budget_ms;

    if (argc > 1 + quick) {
        fprintf(stderr, "usage: %s [--quick]\n", argv[0]);
        return 2;
    }
    items_open();
    plan.processors = (int)bench_processors();
    calibrate();
    for (int g = 0; g < count; g++) {
        for (int i = 0; i < 6; i++)
            measure(&grounds[g], lengths[i], 0, budget);
        for (int i = 0; i < 6; i++)
            measure(&grounds[g], 1000, calls[i], budget);
    }
    return 0;
}
