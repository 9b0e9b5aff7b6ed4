/* SPDX-License-Identifier: MIT
 *
 * given_up.h - how many processors a run has handed back so far, for tests that wait for it.
 */
#ifndef UMSSHIM_TESTS_FASTTHREADS_GIVEN_UP_H
#define UMSSHIM_TESTS_FASTTHREADS_GIVEN_UP_H

#include "package.h"

static inline unsigned long given_up(void)
{
    unsigned long sum = 0;

    for (int i = 0; i < ft__package.count; i++)
        sum += *(volatile unsigned long *)&ft__package.processors[i].counts.given_up;
    return sum;
}

#endif
