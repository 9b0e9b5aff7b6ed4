/* SPDX-License-Identifier: MIT
 *
 * support.c - random numbers, results and failures of the probes, on every system.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

uint64_t bench_random(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545F4914F6CDD1D);
}

void bench_emit(const char *name, double value)
{
    printf("%s %.9g\n", name, value);
    fflush(stdout);
}

unsigned bench_patience = 1;

void bench_no_time(const char *what)
{
    fprintf(stderr, "bench: %s: the machine is too busy for times %u\n", what, bench_patience);
    fflush(NULL);
    bench_end(BENCH_NO_TIME);
}

void bench_fail(const char *what, int saved_errno)
{
    if (saved_errno)
        fprintf(stderr, "bench: %s: %s\n", what, strerror(saved_errno));
    else
        fprintf(stderr, "bench: %s\n", what);
    fflush(NULL);
    bench_end(1);
}
