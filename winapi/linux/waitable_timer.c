/* SPDX-License-Identifier: MIT
 *
 * waitable_timer.c - waitable timers.
 */
#include "platform/linux/dispatch/waitable_timer.h"

#include <time.h>

#include "winapi/linux/surface.h"

HANDLE WINAPI CreateWaitableTimerA(LPSECURITY_ATTRIBUTES lpTimerAttributes, BOOL bManualReset,
                                   LPCSTR lpTimerName)
{
    (void)lpTimerAttributes;
    return win__create_named(waitable_timer_create(bManualReset), FAMILY_TIMER, lpTimerName);
}

HANDLE WINAPI CreateWaitableTimerW(LPSECURITY_ATTRIBUTES lpTimerAttributes, BOOL bManualReset,
                                   LPCWSTR lpTimerName)
{
    (void)lpTimerAttributes;
    return win__create_named_w(waitable_timer_create(bManualReset), FAMILY_TIMER, lpTimerName);
}

HANDLE WINAPI CreateWaitableTimerExA(LPSECURITY_ATTRIBUTES lpTimerAttributes, LPCSTR lpTimerName,
                                     DWORD dwFlags, DWORD dwDesiredAccess)
{
    (void)dwDesiredAccess;
    return CreateWaitableTimerA(lpTimerAttributes, dwFlags & CREATE_WAITABLE_TIMER_MANUAL_RESET,
                                lpTimerName);
}

HANDLE WINAPI CreateWaitableTimerExW(LPSECURITY_ATTRIBUTES lpTimerAttributes, LPCWSTR lpTimerName,
                                     DWORD dwFlags, DWORD dwDesiredAccess)
{
    (void)dwDesiredAccess;
    return CreateWaitableTimerW(lpTimerAttributes, dwFlags & CREATE_WAITABLE_TIMER_MANUAL_RESET,
                                lpTimerName);
}

HANDLE WINAPI OpenWaitableTimerA(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCSTR lpTimerName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named(FAMILY_TIMER, lpTimerName);
}

HANDLE WINAPI OpenWaitableTimerW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpTimerName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named_w(FAMILY_TIMER, lpTimerName);
}

static void call_routine(uintptr_t routine, uintptr_t argument, uintptr_t when)
{
    ((PTIMERAPCROUTINE)routine)((LPVOID)argument, (DWORD)when, (DWORD)(when >> 32));
}

/* The time in so many units of 100 ns; a time that is too far becomes the farthest. */
static uint64_t from_now(uint64_t units)
{
    uint64_t now = plat_now(), farthest = PLAT_FOREVER - 1;
    return units < (farthest - now) / 100 ? now + units * 100 : farthest;
}

uint64_t win__due(int64_t due)
{
    if (due <= 0)
        return from_now(-(uint64_t)due);
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    int64_t today = ((int64_t)ts.tv_sec + 11644473600) * 10000000 + ts.tv_nsec / 100;
    return from_now(due > today ? (uint64_t)(due - today) : 0);
}

BOOL WINAPI SetWaitableTimer(HANDLE hTimer, const LARGE_INTEGER *lpDueTime, LONG lPeriod,
                             PTIMERAPCROUTINE pfnCompletionRoutine, LPVOID lpArgToCompletionRoutine,
                             BOOL fResume)
{
    (void)fResume; /* no timer wakes a sleeping machine here */
    if (!lpDueTime || lPeriod < 0)
        return win__fail(ERROR_INVALID_PARAMETER);
    return win__result(
        waitable_timer_set(hTimer, win__due(lpDueTime->QuadPart), (uint64_t)lPeriod * 1000000u,
                           pfnCompletionRoutine ? call_routine : NULL,
                           (uintptr_t)pfnCompletionRoutine, (uintptr_t)lpArgToCompletionRoutine));
}

BOOL WINAPI SetWaitableTimerEx(HANDLE hTimer, const LARGE_INTEGER *lpDueTime, LONG lPeriod,
                               PTIMERAPCROUTINE pfnCompletionRoutine,
                               LPVOID lpArgToCompletionRoutine, PREASON_CONTEXT WakeContext,
                               ULONG TolerableDelay)
{
    (void)WakeContext, (void)TolerableDelay;
    return SetWaitableTimer(hTimer, lpDueTime, lPeriod, pfnCompletionRoutine,
                            lpArgToCompletionRoutine, FALSE);
}

BOOL WINAPI CancelWaitableTimer(HANDLE hTimer)
{
    return win__result(waitable_timer_stop(hTimer));
}
