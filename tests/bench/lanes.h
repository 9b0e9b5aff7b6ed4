/* SPDX-License-Identifier: MIT
 *
 * lanes.h - the same work on one scheduler, and on as many as there are processors.
 */
#ifndef UMSSHIM_TESTS_BENCH_LANES_H
#define UMSSHIM_TESTS_BENCH_LANES_H

#include "bench.h"

/* One probe of the group: the row's name in the catalog, on one scheduler or on all processors. */
/* clang-format off */
#define LANES_ROWS(ROW) \
    ROW(yield) ROW(event) ROW(semaphore) ROW(section) ROW(srw) ROW(address) ROW(any) ROW(sleep) \
    ROW(pipe) ROW(create) ROW(birth) ROW(worker) ROW(pthread) ROW(list) ROW(shared) ROW(threads)
/* clang-format on */

#define LANES_DECLARE(row)                                                                         \
    void probe_lanes_##row##_one(const struct bench_scale *scale);                                 \
    void probe_lanes_##row##_all(const struct bench_scale *scale);
LANES_ROWS(LANES_DECLARE)

#endif
