/* SPDX-License-Identifier: MIT
 *
 * semaphore.c - semaphore objects.
 */
#include "platform/linux/dispatch/object_signal.h"
#include "winapi/linux/named_sync.h"

static bool valid(LONG initial, LONG maximum)
{
    bool good = maximum > 0 && initial >= 0 && initial <= maximum;
    if (!good)
        win__fail(ERROR_INVALID_PARAMETER);
    return good;
}

static struct object *make(const struct sync_request *request)
{
    struct semaphore *semaphore = object_create(OBJECT_SEMAPHORE, sizeof *semaphore);
    if (!semaphore)
        return NULL;
    semaphore->object.signal = (int32_t)request->value;
    semaphore->limit = request->limit;
    return &semaphore->object;
}

static struct sync_request request_of(LONG initial, LONG maximum)
{
    return (struct sync_request){.family = FAMILY_SEMAPHORE,
                                 .shared = OBJECT_SHARED_SEMAPHORE,
                                 .value = (uint32_t)initial,
                                 .limit = maximum,
                                 .make = make};
}

HANDLE WINAPI CreateSemaphoreA(LPSECURITY_ATTRIBUTES lpSemaphoreAttributes, LONG lInitialCount,
                               LONG lMaximumCount, LPCSTR lpName)
{
    (void)lpSemaphoreAttributes;
    struct sync_request request = request_of(lInitialCount, lMaximumCount);
    return valid(lInitialCount, lMaximumCount) ? win__create_sync(&request, lpName) : NULL;
}

HANDLE WINAPI CreateSemaphoreW(LPSECURITY_ATTRIBUTES lpSemaphoreAttributes, LONG lInitialCount,
                               LONG lMaximumCount, LPCWSTR lpName)
{
    (void)lpSemaphoreAttributes;
    struct sync_request request = request_of(lInitialCount, lMaximumCount);
    return valid(lInitialCount, lMaximumCount) ? win__create_sync_w(&request, lpName) : NULL;
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
    return win__open_sync(FAMILY_SEMAPHORE, lpName);
}

HANDLE WINAPI OpenSemaphoreW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_sync_w(FAMILY_SEMAPHORE, lpName);
}

STOP_LOOKS BOOL WINAPI ReleaseSemaphore(HANDLE hSemaphore, LONG lReleaseCount,
                                        LPLONG lpPreviousCount)
{
    if (lReleaseCount <= 0)
        return win__fail(ERROR_INVALID_PARAMETER);
    return win__acted(handle_act(hSemaphore, SEMAPHORE_ADD, lReleaseCount, lpPreviousCount));
}
