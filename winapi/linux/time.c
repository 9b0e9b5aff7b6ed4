/* SPDX-License-Identifier: MIT
 *
 * time.c - clocks. The performance counter counts nanoseconds.
 */
#include "winapi/linux/surface.h"

ULONGLONG WINAPI GetTickCount64(VOID)
{
    return plat_now() / 1000000u;
}

DWORD WINAPI GetTickCount(VOID)
{
    return (DWORD)GetTickCount64();
}

BOOL WINAPI QueryPerformanceCounter(LARGE_INTEGER *lpPerformanceCount)
{
    lpPerformanceCount->QuadPart = (LONGLONG)plat_now();
    return TRUE;
}

BOOL WINAPI QueryPerformanceFrequency(LARGE_INTEGER *lpFrequency)
{
    lpFrequency->QuadPart = 1000000000;
    return TRUE;
}
