/* SPDX-License-Identifier: MIT
 *
 * calendar.h - converts POSIX times to file times.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CALENDAR_H
#define UMSSHIM_WINAPI_LINUX_CALENDAR_H

#include <time.h>

#include "winapi/linux/surface.h"

static inline FILETIME win__file_time_of(uint64_t hundreds_of_ns)
{
    return (FILETIME){(DWORD)hundreds_of_ns, (DWORD)(hundreds_of_ns >> 32)};
}

/* File times count 100 ns from the start of 1601; POSIX from the start of 1970. */
static inline FILETIME win__file_time(const struct timespec *time)
{
    return win__file_time_of(((uint64_t)time->tv_sec + 11644473600u) * 10000000u +
                             (uint64_t)time->tv_nsec / 100);
}

#endif
