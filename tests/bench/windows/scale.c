/* SPDX-License-Identifier: MIT
 *
 * scale.c - how much one sample of ums_bench.exe does, and what the report says of it.
 *
 * The same for both modes, though one is much faster: enough for the one, bearable with the other.
 */
#include "bench.h"
#include "driver.h"

const struct bench_scale *bench_scale_for(bool quick)
{
    static const struct bench_scale full = {
        .yields = 200000,
        .handovers = 20000,
        .signals = 20000,
        .entries = 40000,
        .calls = 20000,
        .creates = 500,
        .crowd = 1000,
        .window_ms = 2000,
        .ring = 2,
        .sleep_ms = 2000,
    };
    static const struct bench_scale small = {
        .yields = 5000,
        .handovers = 500,
        .signals = 500,
        .entries = 500,
        .calls = 500,
        .creates = 20,
        .crowd = 100,
        .window_ms = 100,
        .ring = 2,
        .sleep_ms = 1000,
    };

    return quick ? &small : &full;
}

void scale_print(bool quick)
{
    const struct bench_scale *scale = bench_scale_for(quick);

    printf("%u yields a sample, %u hand-overs; crowd: %u, watched for %u ms\n",
           (unsigned)scale->yields, (unsigned)scale->handovers, scale->crowd, scale->window_ms);
}

void scale_json(FILE *file, bool quick)
{
    const struct bench_scale *scale = bench_scale_for(quick);

    fprintf(file, "\"yields\": %u, \"handovers\": %u, \"crowd\": %u, \"window_ms\": %u",
            (unsigned)scale->yields, (unsigned)scale->handovers, scale->crowd, scale->window_ms);
}
