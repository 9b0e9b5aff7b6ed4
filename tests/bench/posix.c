/* SPDX-License-Identifier: MIT
 *
 * posix.c - clock, end, pinning and limits for the probes on Linux.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint64_t bench_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t bench_processor_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

void bench_end(int status)
{
    _exit(status);
}

void bench_limit(unsigned seconds)
{
    alarm(seconds);
}

static cpu_set_t may_use; /* what the process was started with */

static __attribute__((constructor)) void see_processors(void)
{
    if (sched_getaffinity(0, sizeof(may_use), &may_use) != 0)
        bench_fail("sched_getaffinity", errno);
}

unsigned bench_processors(void)
{
    return (unsigned)CPU_COUNT(&may_use);
}

void bench_pin_thread(unsigned which)
{
    cpu_set_t one;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &may_use) || which-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof(one), &one) != 0)
            bench_fail("sched_setaffinity", errno);
        return;
    }
    bench_fail("there is no such processor", 0);
}

void bench_pin_one_core(void)
{
    bench_pin_thread(bench_processors() - 1);
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
