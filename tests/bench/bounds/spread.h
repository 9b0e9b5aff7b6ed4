/* SPDX-License-Identifier: MIT
 *
 * spread.h - how times are spread: counts by size, sixteen classes to each power of two, and the longest.
 */
#ifndef UMSSHIM_TESTS_BENCH_BOUNDS_SPREAD_H
#define UMSSHIM_TESTS_BENCH_BOUNDS_SPREAD_H

#include <stdint.h>

enum { SPREAD_PARTS = 16, SPREAD_CLASSES = 64 * SPREAD_PARTS };

struct spread {
    uint64_t classes[SPREAD_CLASSES];
    uint64_t count, most; /* `most` in nanoseconds */
};

void spread_add(struct spread *spread, uint64_t ns);

/* The time that this share of all does not exceed, to a sixteenth of itself; 0 where nothing was added. */
uint64_t spread_at(const struct spread *spread, double share);

#endif
