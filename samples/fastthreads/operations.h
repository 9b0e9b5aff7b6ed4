/* SPDX-License-Identifier: MIT
 *
 * operations.h - how long the package's own operations take: Null Fork and Signal-Wait.
 */
#ifndef FASTTHREADS_OPERATIONS_H
#define FASTTHREADS_OPERATIONS_H

#include "fastthreads.h"

/* Each `count` times, after a tenth of that to warm up; prints microseconds. Gives the exit
 * status. */
int operations_report(const struct ft_options *options, unsigned long count);

#endif
