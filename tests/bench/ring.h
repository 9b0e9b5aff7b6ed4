/* SPDX-License-Identifier: MIT
 *
 * ring.h - a token that goes round a ring: the same loop for workers, threads and fibers.
 *
 * Each member waits for its own semaphore and releases the next one's. A player starts with
 * member 0's semaphore released once.
 */
#ifndef UMSSHIM_TESTS_BENCH_RING_H
#define UMSSHIM_TESTS_BENCH_RING_H

#include "bench.h"

struct ring {
    unsigned members;
    uint64_t warm; /* laps before the clock starts, and measured ones */
    uint64_t laps;
    uint64_t start_ns;
    uint64_t end_ns;
};

static inline void ring_init(struct ring *ring, unsigned members, uint64_t hops)
{
    ring->members = members;
    ring->laps = hops / members + 1;
    ring->warm = ring->laps / 10 + 1;
}

/* Inlined with its functions, which are constants wherever it is called. */
__attribute__((always_inline)) static inline void
ring_play(struct ring *ring, unsigned me, void (*wait)(unsigned), void (*release)(unsigned))
{
    unsigned next = (me + 1) % ring->members;

    for (uint64_t lap = 0; lap <= ring->warm + ring->laps; lap++) {
        wait(me);
        if (me == 0 && lap == ring->warm)
            ring->start_ns = bench_now_ns();
        if (me == 0 && lap == ring->warm + ring->laps)
            ring->end_ns = bench_now_ns();
        release(next);
    }
}

static inline void ring_emit(const struct ring *ring)
{
    bench_emit("hop",
               (double)(ring->end_ns - ring->start_ns) / (double)(ring->laps * ring->members));
}

#endif
