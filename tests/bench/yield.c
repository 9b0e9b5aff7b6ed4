/* SPDX-License-Identifier: MIT
 *
 * yield.c - a yield and the execute that follows it.
 */
#include "probes_ums.h"

#include "turns.h"

static void run(unsigned workers, const struct bench_scale *scale)
{
    struct turns turns = {0};

    turns_take(&turns, workers, scale->yields);
    turns_emit(&turns);
}

void probe_yield_two(const struct bench_scale *scale)
{
    run(2, scale);
}

void probe_yield_crowd(const struct bench_scale *scale)
{
    run(scale->crowd, scale);
}
