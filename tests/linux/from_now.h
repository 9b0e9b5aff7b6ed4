/* SPDX-License-Identifier: MIT
 *
 * from_now.h - the time-out of a wait with a limit.
 */
#ifndef UMSSHIM_TESTS_LINUX_FROM_NOW_H
#define UMSSHIM_TESTS_LINUX_FROM_NOW_H

#include <time.h>

/* The time so many milliseconds from now by this clock. With no clock (-1) it counts from 0. */
static inline struct timespec from_now(int clock, long ms)
{
    struct timespec at = {0};

    if (clock >= 0)
        clock_gettime(clock, &at);
    at.tv_nsec += ms * 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

#endif
