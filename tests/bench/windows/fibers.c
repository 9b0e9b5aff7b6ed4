/* SPDX-License-Identifier: MIT
 *
 * fibers.c - the system's own switch in user mode: SwitchToFiber, there and back, and in a ring.
 */
#include "windows/probes.h"

#include <windows.h>

#include <stdlib.h>

enum { STACK_BYTES = 65536, FIBERS_MOST = 1000 };

static void *fibers[FIBERS_MOST];
static unsigned count;

/* Each one passes on to the next; number 0, the thread itself, holds the clock. */
static VOID WINAPI pass_on(LPVOID index)
{
    void *next = fibers[((ULONG_PTR)index + 1) % count];

    for (;;)
        SwitchToFiber(next);
}

/* Nanoseconds for a whole lap. */
static double lap_ns(unsigned members, uint64_t switches)
{
    uint64_t laps = switches / members + 1;
    uint64_t start;

    count = members;
    fibers[0] = ConvertThreadToFiber(NULL);
    for (unsigned i = 1; i < count; i++)
        fibers[i] = CreateFiberEx(STACK_BYTES, STACK_BYTES, 0, pass_on, (LPVOID)(ULONG_PTR)i);
    for (unsigned i = 0; i < count; i++)
        if (!fibers[i])
            bench_fail("a fiber could not be made", 0);
    for (uint64_t i = 0; i < laps / 10 + 2; i++)
        SwitchToFiber(fibers[1]);
    start = bench_now_ns();
    for (uint64_t i = 0; i < laps; i++)
        SwitchToFiber(fibers[1]);
    return (double)(bench_now_ns() - start) / (double)laps;
}

/* A switch takes less time than the clock's resolution allows for few of them. */
enum { MORE = 10 };

void probe_fiber_trip(const struct bench_scale *scale)
{
    bench_emit("trip", lap_ns(2, scale->yields * MORE));
}

static void run_ring(unsigned members, const struct bench_scale *scale)
{
    bench_emit("switch", lap_ns(members, scale->yields * MORE) / members);
}

void probe_fibers_10(const struct bench_scale *scale)
{
    run_ring(10, scale);
}

void probe_fibers_100(const struct bench_scale *scale)
{
    run_ring(100, scale);
}

void probe_fibers_1000(const struct bench_scale *scale)
{
    run_ring(1000, scale);
}
