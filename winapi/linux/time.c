/* SPDX-License-Identifier: MIT
 *
 * time.c - clocks. The performance counter counts nanoseconds. No clock moves in ticks of 15.6 ms
 * as on Windows.
 */
#include <time.h>
#include <unistd.h>

#include "winapi/linux/calendar.h"
#include "winapi/linux/surface.h"

STOP_LOOKS ULONGLONG WINAPI GetTickCount64(VOID)
{
    ULONGLONG now = plat_now() / 1000000u;
    stop_look();
    return now;
}

STOP_LOOKS DWORD WINAPI GetTickCount(VOID)
{
    DWORD now = (DWORD)(plat_now() / 1000000u);
    stop_look();
    return now;
}

STOP_LOOKS BOOL WINAPI QueryPerformanceCounter(LARGE_INTEGER *lpPerformanceCount)
{
    lpPerformanceCount->QuadPart = (LONGLONG)plat_now();
    return win__acted(0);
}

BOOL WINAPI QueryPerformanceFrequency(LARGE_INTEGER *lpFrequency)
{
    lpFrequency->QuadPart = 1000000000;
    return TRUE;
}

/* Without the time that the machine slept, like Linux's monotonic clock. */
STOP_LOOKS BOOL WINAPI QueryUnbiasedInterruptTime(ULONGLONG *UnbiasedTime)
{
    if (!UnbiasedTime)
        return win__fail(ERROR_INVALID_PARAMETER);
    *UnbiasedTime = plat_now() / 100;
    return win__acted(0);
}

STOP_LOOKS VOID WINAPI GetSystemTimePreciseAsFileTime(LPFILETIME lpSystemTimeAsFileTime)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *lpSystemTimeAsFileTime = win__file_time(&now);
    stop_look();
}

STOP_LOOKS VOID WINAPI GetSystemTimeAsFileTime(LPFILETIME lpSystemTimeAsFileTime)
{
    GetSystemTimePreciseAsFileTime(lpSystemTimeAsFileTime);
    stop_look();
}

STOP_LOOKS VOID WINAPI GetSystemTime(LPSYSTEMTIME lpSystemTime)
{
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    FileTimeToSystemTime(&now, lpSystemTime);
    stop_look();
}

STOP_LOOKS VOID WINAPI GetLocalTime(LPSYSTEMTIME lpSystemTime)
{
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    now.tv_sec += local.tm_gmtoff;
    FILETIME shifted = win__file_time(&now);
    FileTimeToSystemTime(&shifted, lpSystemTime);
    stop_look();
}

/* The kernel adjusts its clock on its own, so the calls report no adjustment. */
BOOL WINAPI GetSystemTimeAdjustment(PDWORD lpTimeAdjustment, PDWORD lpTimeIncrement,
                                    PBOOL lpTimeAdjustmentDisabled)
{
    if (!lpTimeAdjustment || !lpTimeIncrement || !lpTimeAdjustmentDisabled)
        return win__fail(ERROR_NOACCESS);
    *lpTimeAdjustment = *lpTimeIncrement = (DWORD)(10000000 / sysconf(_SC_CLK_TCK));
    *lpTimeAdjustmentDisabled = TRUE;
    return TRUE;
}
