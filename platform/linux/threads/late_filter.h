/* SPDX-License-Identifier: MIT
 *
 * late_filter.h - a seccomp filter that the program gives all its threads, after its first
 * scheduler.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_LATE_FILTER_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_LATE_FILTER_H

#include <stdbool.h>

/* Whether seccomp(operation, flags) is one. */
bool late_filter_is(long operation, long flags);
/* Makes it: 0, or -errno. On any thread of the program's. */
long late_filter(long flags, long program);

#endif
