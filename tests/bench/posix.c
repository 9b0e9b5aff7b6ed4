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

void bench_end(int status)
{
    _exit(status);
}

void bench_limit(unsigned seconds)
{
    alarm(seconds);
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
