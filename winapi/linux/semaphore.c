/* SPDX-License-Identifier: MIT
 *
 * semaphore.c - semaphore objects.
 */
#include "platform/linux/dispatch/object_signal.h"
#include "winapi/linux/surface.h"

static bool valid(LONG initial, LONG maximum)
{
    bool good = maximum > 0 && initial >= 0 && initial <= maximum;
    if (!good)
        win__fail(ERROR_INVALID_PARAMETER);
    return good;
}

static struct object *new_semaphore(LONG initial, LONG maximum)
{
    struct semaphore *semaphore = object_create(OBJECT_SEMAPHORE, sizeof *semaphore);
    if (!semaphore)
        return NULL;
    semaphore->object.signal = initial;
    semaphore->limit = maximum;
    return &semaphore->object;
}

HANDLE WINAPI CreateSemaphoreA(LPSECURITY_ATTRIBUTES lpSemaphoreAttributes, LONG lInitialCount,
                               LONG lMaximumCount, LPCSTR lpName)
{
    (void)lpSemaphoreAttributes;
    if (!valid(lInitialCount, lMaximumCount))
        return NULL;
    return win__create_named(new_semaphore(lInitialCount, lMaximumCount), FAMILY_SEMAPHORE, lpName);
}

HANDLE WINAPI CreateSemaphoreW(LPSECURITY_ATTRIBUTES lpSemaphoreAttributes, LONG lInitialCount,
                               LONG lMaximumCount, LPCWSTR lpName)
{
    (void)lpSemaphoreAttributes;
    if (!valid(lInitialCount, lMaximumCount))
        return NULL;
    return win__create_named_w(new_semaphore(lInitialCount, lMaximumCount), FAMILY_SEMAPHORE,
                               lpName);
}

HANDLE WINAPI CreateSemaphoreExA(LPSECURITY_ATTRIBUTES lpSemaphoreAttributes, LONG lInitialCount,
                                 LONG lMaximumCount, LPCSTR lpName, DWORD dwFlags,
                                 DWORD dwDesiredAccess)
{
    (void)dwFlags, (void)dwDesiredAccess;
    return CreateSemaphoreA(lpSemaphoreAttributes, lInitialCount, lMaximumCount, lpName);
}

HANDLE WINAPI CreateSemaphoreExW(LPSECURITY_ATTRIBUTES lpSemaphoreAttributes, LONG lInitialCount,
                                 LONG lMaximumCount, LPCWSTR lpName, DWORD dwFlags,
                                 DWORD dwDesiredAccess)
{
    (void)dwFlags, (void)dwDesiredAccess;
    return CreateSemaphoreW(lpSemaphoreAttributes, lInitialCount, lMaximumCount, lpName);
}

HANDLE WINAPI OpenSemaphoreA(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named(FAMILY_SEMAPHORE, lpName);
}

HANDLE WINAPI OpenSemaphoreW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named_w(FAMILY_SEMAPHORE, lpName);
}

STOP_LOOKS BOOL WINAPI ReleaseSemaphore(HANDLE hSemaphore, LONG lReleaseCount,
                                        LPLONG lpPreviousCount)
{
    if (lReleaseCount <= 0)
        return win__fail(ERROR_INVALID_PARAMETER);
    return win__acted(handle_act(hSemaphore, SEMAPHORE_ADD, lReleaseCount, lpPreviousCount));
}
