/* SPDX-License-Identifier: MIT
 *
 * waited.h - how long the threads of this process were able to run and had no processor.
 *
 * The kernel counts it for each thread (/proc/self/task/ID/schedstat, the second number). On a busy machine it is most of
 * what makes an answer late, and no fault of who answers.
 */
#ifndef UMSSHIM_TESTS_BENCH_BOUNDS_WAITED_H
#define UMSSHIM_TESTS_BENCH_BOUNDS_WAITED_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread opens the counts of all threads that are there. */
void waited_open(void);

/* Nanoseconds so far, of all of them; without that thread's own unless `own`. */
uint64_t waited_ns(bool own);

#endif
