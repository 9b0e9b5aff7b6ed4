/* SPDX-License-Identifier: MIT
 *
 * late_filter.h - a seccomp filter that the program gives all its threads after its first scheduler
 * has begun.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_LATE_FILTER_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_LATE_FILTER_H

#include <stdbool.h>

/* Whether seccomp(operation, flags) sets such a filter. */
bool late_filter_is(long operation, long flags);
/* Sets it: 0, or -errno. On any thread of the program. */
long late_filter(long flags, long program);

#endif
