/* SPDX-License-Identifier: MIT
 *
 * turns.h - workers that yield in turn: round robin, the first of them with the clock.
 */
#ifndef UMSSHIM_TESTS_BENCH_TURNS_H
#define UMSSHIM_TESTS_BENCH_TURNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Worker 0 holds the clock, which it starts when all others have begun; they keep yielding until it
 * is done. Between two turns of worker 0 everyone yields once. */
struct turns {
    unsigned workers;
    atomic_uint begun; /* of the others */
    uint64_t warm;
    uint64_t rounds;
    uint64_t yields; /* of all, while the clock ran */
    uint64_t start_ns;
    uint64_t end_ns;
    void (*at_start)(struct turns *turns); /* off the clock, in worker 0; or NULL */
    void (*at_end)(struct turns *turns);
    atomic_bool stop;
};

/* Runs so many workers for so many yields in all. Once for a process. */
void turns_take(struct turns *turns, unsigned workers, uint64_t yields);

/* The nanoseconds of a yield and the execute after it. */
void turns_emit(const struct turns *turns);

#endif
