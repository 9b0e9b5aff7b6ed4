/* SPDX-License-Identifier: MIT
 *
 * items.c - the items, and the table of what came of them.
 *
 * Usage: items [--quick]. A line for each measurement: ground, nanoseconds of calculation, calls, items for each
 * second of processor time (the median of the rounds), lowest and highest.
 */
#include "items.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static struct plan plan;
static _Alignas(64) atomic_int taken;
static int zeroes;
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
    char buffer[16];

    compute(plan.loops);
    for (int i = 0; i < plan.calls; i++)
        if (read(zeroes, buffer, sizeof buffer) != sizeof buffer)
            abort();
}

/* Of processor time, all threads together: what other programs take meanwhile does not count. */
static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void calibrate(void)
{
    double best = 1e9;

    for (int i = 0; i < 20; i++) {
        double began = seconds();
        compute(1000000);
        double took = seconds() - began;
        best = took < best ? took : best;
    }
    loops_per_ns = 1e6 / (best * 1e9);
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static void measure(const struct ground *ground, int nanoseconds, int calls, int items)
{
    double rates[ROUNDS];

    plan.loops = (int)(nanoseconds * loops_per_ns);
    plan.calls = calls;
    plan.items = items;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&taken, 0);
        double began = seconds();
        ground->run(&plan);
        rates[round] = items / (seconds() - began);
    }
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
    int budget = quick ? 20 : 100; /* milliseconds of work in a round */

    if (argc > 1 + quick) {
        fprintf(stderr, "usage: %s [--quick]\n", argv[0]);
        return 2;
    }
    zeroes = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    plan.processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    calibrate();
    for (int g = 0; g < count; g++) {
        for (int i = 0; i < 6; i++)
            measure(&grounds[g], lengths[i], 0,
                    budget * 1000000 / (lengths[i] + 200) * plan.processors);
        for (int i = 0; i < 6; i++)
            measure(&grounds[g], 1000, calls[i],
                    budget * 1000000 / (1200 + 500 * calls[i]) * plan.processors);
    }
    return 0;
}
