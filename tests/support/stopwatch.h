/* SPDX-License-Identifier: MIT
 *
 * stopwatch.h - milliseconds for telling how long something took, by the performance counter.
 *
 * GetTickCount64 stands still between the system's ticks: where the system is busy, as Wine's server is on
 * a busy machine, for so long that a wait of 20 ms seems to have taken 3.
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
