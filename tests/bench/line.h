/* SPDX-License-Identifier: MIT
 *
 * line.h - many that wait for one pipe, each let go by one byte: the same for workers and for threads.
 */
#ifndef UMSSHIM_TESTS_BENCH_LINE_H
#define UMSSHIM_TESTS_BENCH_LINE_H

#include "bench.h"

/* Starts the plain thread that writes when all have come, and measures. */
void line_begin(unsigned members);

/* What each of them does. */
void line_wait(void);

/* "each": microseconds for each. After the last has returned from line_wait. */
void line_emit(void);

#endif
