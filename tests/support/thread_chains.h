/* SPDX-License-Identifier: MIT
 *
 * thread_chains.h - chains of threads: each makes the next and ends. What a change of the whole process misses in
 * one, the next inherits.
 *
 *     chains_start(has);
 *     for each change: chains_change_begin(); change to n; chains_change_end(n);
 *     EXPECT_EQ(chains_stop(), 0);
 */
#ifndef UMSSHIM_TESTS_SUPPORT_THREAD_CHAINS_H
#define UMSSHIM_TESTS_SUPPORT_THREAD_CHAINS_H

#include <stdbool.h>

/* `has`: whether the calling thread has what it got with the last change, or before the first (0). */
void chains_start(bool (*has)(int change));
/* Threads that look between the two are not counted. */
void chains_change_begin(void);
void chains_change_end(int change);
/* Waits for the chains' ends. How many threads had something else. */
int chains_stop(void);

#endif
