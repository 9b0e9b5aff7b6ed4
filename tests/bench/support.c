/* SPDX-License-Identifier: MIT
 *
 * support.c - clock, random numbers, results, pinning and limits for the probes.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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
        .sleep_ms = 200,
    };

    return quick ? &small : &full;
}

uint64_t bench_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

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

void bench_fail(const char *what, int saved_errno)
{
    if (saved_errno)
        fprintf(stderr, "bench: %s: %s\n", what, strerror(saved_errno));
    else
        fprintf(stderr, "bench: %s\n", what);
    fflush(NULL);
    _exit(1);
}

void bench_pin_one_core(void)
{
    cpu_set_t allowed;
    cpu_set_t one;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        bench_fail("sched_getaffinity", errno);
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof(one), &one) != 0)
            bench_fail("sched_setaffinity", errno);
        return;
    }
}

void bench_need_files(unsigned wanted)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        bench_fail("getrlimit", errno);
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
            bench_fail("setrlimit", errno);
    }
    if (limit.rlim_cur < wanted)
        bench_fail("the hard limit of open files is too low for this probe", 0);
}
