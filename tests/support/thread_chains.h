/* SPDX-License-Identifier: MIT
 *
 * thread_chains.h - chains of threads: each thread makes the next one and ends. If a change of the
 * whole process misses one thread, the next ones lack it, too.
 *
 *     EXPECT_EQ(chains_missed(change, has, 60), 0);
 */
#ifndef UMSSHIM_TESTS_SUPPORT_THREAD_CHAINS_H
#define UMSSHIM_TESTS_SUPPORT_THREAD_CHAINS_H

#include <stdbool.h>

/* Makes changes 1 to `count` of the process while the chains go on. `has`: whether the calling
 * thread has the state of this change; 0: the state before the first. Returns how many threads had
 * another state between two changes. */
int chains_missed(void (*change)(int number), bool (*has)(int number), int count);

#endif
