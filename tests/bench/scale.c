/* SPDX-License-Identifier: MIT
 *
 * scale.c - how much one sample does, and what the report says of it.
 */
#include "bench.h"
#include "driver.h"

const struct bench_scale *bench_scale_for(bool quick)
{
    static const struct bench_scale full = {
        .yields = 4000000,
        .handovers = 60000,
        .signals = 2000000,
        .entries = 2000000,
        .trips = 30000,
        .calls = 2000000,
        .creates = 4000,
        .growth_yields = 10000000,
        .crowd = 10000,
        .crowd_blocked = 1000,
        .window_ms = 300,
        .ring = 1000,
        .line_few = 1000,
        .line_many = 20000,
        .sleep_ms = 500,
    };
    static const struct bench_scale small = {
        .yields = 200000,
        .handovers = 5000,
        .signals = 100000,
        .entries = 100000,
        .trips = 2000,
        .calls = 100000,
        .creates = 300,
        .growth_yields = 1000000,
        .crowd = 1000,
        .crowd_blocked = 100,
        .window_ms = 50,
        .ring = 100,
        .line_few = 100,
        .line_many = 1000,
        .sleep_ms = 200,
    };

    return quick ? &small : &full;
}

void scale_print(bool quick)
{
    const struct bench_scale *scale = bench_scale_for(quick);

    printf("crowd: %u alive, %u of them blocked; growth: over %.0f million yields; ring: %u\n",
           scale->crowd, scale->crowd_blocked, (double)scale->growth_yields / 1e6, scale->ring);
    printf("sleep: %u at once, %u ms, or spread over %u ms more\n", scale->crowd, scale->sleep_ms,
           scale->window_ms);
}

void scale_json(FILE *file, bool quick)
{
    const struct bench_scale *scale = bench_scale_for(quick);

    fprintf(file,
            "\"crowd\": %u, \"crowd_blocked\": %u, \"growth_yields\": %llu, \"ring\": %u, "
            "\"sleep_ms\": %u, \"window_ms\": %u",
            scale->crowd, scale->crowd_blocked, (unsigned long long)scale->growth_yields,
            scale->ring, scale->sleep_ms, scale->window_ms);
}
