/* SPDX-License-Identifier: MIT
 *
 * wait.c - the wait functions, and Sleep.
 *
 * Alertable waits are waits: no APC is ever queued here.
 */
#include <sched.h>

#include "winapi/linux/surface.h"

DWORD WINAPI WaitForMultipleObjectsEx(DWORD nCount, const HANDLE *lpHandles, BOOL bWaitAll,
                                      DWORD dwMilliseconds, BOOL bAlertable)
{
    (void)bAlertable;
    struct object *objects[MAXIMUM_WAIT_OBJECTS];
    DWORD held = 0, result = WAIT_FAILED;
    if (!nCount || nCount > MAXIMUM_WAIT_OBJECTS || !lpHandles) {
        win__fail(ERROR_INVALID_PARAMETER);
        return WAIT_FAILED;
    }
    uint64_t deadline = win__deadline(dwMilliseconds);
    for (; held < nCount; held++) {
        objects[held] = win__object(lpHandles[held]);
        if (!objects[held])
            goto out;
        for (DWORD i = 0; bWaitAll && i < held; i++) {
            if (objects[i] == objects[held]) {
                win__fail(ERROR_INVALID_PARAMETER);
                held++;
                goto out;
            }
        }
    }
    result = object_wait(objects, nCount, bWaitAll && nCount > 1, deadline);
out:
    while (held)
        object_drop(objects[--held]);
    return result;
}

DWORD WINAPI WaitForMultipleObjects(DWORD nCount, const HANDLE *lpHandles, BOOL bWaitAll,
                                    DWORD dwMilliseconds)
{
    return WaitForMultipleObjectsEx(nCount, lpHandles, bWaitAll, dwMilliseconds, FALSE);
}

DWORD WINAPI WaitForSingleObjectEx(HANDLE hHandle, DWORD dwMilliseconds, BOOL bAlertable)
{
    return WaitForMultipleObjectsEx(1, &hHandle, FALSE, dwMilliseconds, bAlertable);
}

DWORD WINAPI WaitForSingleObject(HANDLE hHandle, DWORD dwMilliseconds)
{
    return WaitForMultipleObjectsEx(1, &hHandle, FALSE, dwMilliseconds, FALSE);
}

DWORD WINAPI SleepEx(DWORD dwMilliseconds, BOOL bAlertable)
{
    (void)bAlertable;
    if (dwMilliseconds)
        object_delay(win__deadline(dwMilliseconds));
    else
        sched_yield();
    return 0;
}

VOID WINAPI Sleep(DWORD dwMilliseconds)
{
    SleepEx(dwMilliseconds, FALSE);
}

BOOL WINAPI SwitchToThread(VOID)
{
    sched_yield();
    return TRUE;
}
