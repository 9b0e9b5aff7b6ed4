/* SPDX-License-Identifier: MIT
 *
 * growth.c - that yields leave no memory behind.
 */
#include "probes_ums.h"

#include "turns.h"

static uint64_t before, after;

static void read_before(struct turns *turns)
{
    /* Twice: the first reading itself brings in stdio's buffer and the reader's pages. */
    bench_anonymous_bytes();
    before = bench_anonymous_bytes();
}

static void read_after(struct turns *turns)
{
    after = bench_anonymous_bytes();
}

void probe_growth(const struct bench_scale *scale)
{
    struct turns turns = {.at_start = read_before, .at_end = read_after};

    turns_take(&turns, 2, scale->growth_yields);
    bench_emit("growth", (double)(int64_t)(after - before) / 1024.0);
}
