/* SPDX-License-Identifier: MIT
 *
 * thread_chains.h - chains of threads: each makes the next and ends. A change of the whole process
 * that misses one is missing in the next.
 *
 *     EXPECT_EQ(chains_missed(change, has, 60), 0);
 */
#ifndef UMSSHIM_TESTS_SUPPORT_THREAD_CHAINS_H
#define UMSSHIM_TESTS_SUPPORT_THREAD_CHAINS_H

#include <stdbool.h>

/* Makes changes 1 to `count` of the process while the chains go on. `has`: whether the calling thread has what it got
 * with the last change, or before the first (0). How many threads had something else between two changes. */
int chains_missed(void (*change)(int number), bool (*has)(int number), int count);

#endif
