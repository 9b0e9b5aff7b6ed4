/* SPDX-License-Identifier: MIT
 *
 * left_behind.h - what a thread of C++ commonly has at its end: an object with a destructor, the
 * value of a pthread key with one, an errno.
 */
#ifndef UMSSHIM_BENCH_LEFT_BEHIND_H
#define UMSSHIM_BENCH_LEFT_BEHIND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the thread that is about to end. */
void leave_behind(void);
/* How many objects and values were destroyed. Read once the threads have ended. */
uint64_t left_destroyed(void);

#ifdef __cplusplus
}
#endif

#endif
