/* SPDX-License-Identifier: MIT
 *
 * stopwatch.h - measures durations in milliseconds, by the performance counter.
 *
 * GetTickCount64 stands still between the system's ticks. If the system is busy, as Wine's server
 * on a busy machine, it does so for so long that a wait of 20 ms seems to take 3.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_STOPWATCH_H
#define UMSSHIM_TESTS_SUPPORT_STOPWATCH_H

#include <windows.h>

static inline ULONGLONG stopwatch(void)
{
    LARGE_INTEGER now, second;

    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&second);
    return (ULONGLONG)(now.QuadPart / second.QuadPart * 1000 +
                       now.QuadPart % second.QuadPart * 1000 / second.QuadPart);
}

#endif
