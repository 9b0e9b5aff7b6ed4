/* SPDX-License-Identifier: MIT
 *
 * wait.c - the wait functions, and Sleep.
 */
#include <sched.h>

#include "platform/linux/dispatch/apc.h"
#include "platform/linux/interrupt/stop.h"
#include "winapi/linux/surface.h"

static __attribute__((noinline)) DWORD wait_failed(uint32_t result)
{
    DWORD error = ERROR_ACCESS_DENIED; /* for WAITED_DENIED, to which an index is added */
    switch (result) {
    case WAITED_BAD_HANDLE:
        error = ERROR_INVALID_HANDLE;
        break;
    case WAITED_NOT_OWNER:
        error = ERROR_NOT_OWNER;
        break;
    case WAITED_OVER_LIMIT:
        error = ERROR_TOO_MANY_POSTS;
        break;
    case WAITED_SAME_TWICE:
        error = ERROR_INVALID_PARAMETER;
        break;
    case WAITED_NO_MEMORY:
        error = ERROR_NOT_ENOUGH_MEMORY;
        break;
    }
    win__fail(error);
    return WAIT_FAILED;
}

static inline __attribute__((always_inline)) DWORD wait_result(uint32_t result)
{
    stop_look();
    return UMS_LIKELY(result < WAITED_BAD_HANDLE) ? result : wait_failed(result);
}

static inline __attribute__((always_inline)) DWORD
wait_for_many(DWORD nCount, const HANDLE *lpHandles, BOOL bWaitAll, DWORD dwMilliseconds,
              BOOL bAlertable)
{
    if (!nCount || nCount > MAXIMUM_WAIT_OBJECTS || !lpHandles) {
        win__fail(ERROR_INVALID_PARAMETER);
        return WAIT_FAILED;
    }
    struct wait_request request = {.handles = (void *const *)lpHandles,
                                   .count = nCount,
                                   .all = bWaitAll,
                                   .alertable = bAlertable,
                                   .no_pseudo = true,
                                   .deadline = win__deadline(dwMilliseconds)};
    return wait_result(wait_for_handles(&request));
}

STOP_LOOKS DWORD WINAPI WaitForMultipleObjectsEx(DWORD nCount, const HANDLE *lpHandles,
                                                 BOOL bWaitAll, DWORD dwMilliseconds,
                                                 BOOL bAlertable)
{
    return wait_for_many(nCount, lpHandles, bWaitAll, dwMilliseconds, bAlertable);
}

STOP_LOOKS DWORD WINAPI WaitForMultipleObjects(DWORD nCount, const HANDLE *lpHandles, BOOL bWaitAll,
                                               DWORD dwMilliseconds)
{
    return wait_for_many(nCount, lpHandles, bWaitAll, dwMilliseconds, FALSE);
}

static inline __attribute__((always_inline)) DWORD
wait_for_one(HANDLE hHandle, DWORD dwMilliseconds, BOOL bAlertable)
{
    struct wait_request request = {.handles = &hHandle,
                                   .count = 1,
                                   .alertable = bAlertable,
                                   .deadline = win__deadline(dwMilliseconds)};
    return wait_result(wait_for_handle(&request));
}

STOP_LOOKS DWORD WINAPI WaitForSingleObjectEx(HANDLE hHandle, DWORD dwMilliseconds, BOOL bAlertable)
{
    return wait_for_one(hHandle, dwMilliseconds, bAlertable);
}

/* The most frequent wait. A worker that goes on after it mispredicts the return of each frame, so
 * there is only one frame. */
STOP_LOOKS __attribute__((flatten)) DWORD WINAPI WaitForSingleObject(HANDLE hHandle,
                                                                     DWORD dwMilliseconds)
{
    return wait_for_one(hHandle, dwMilliseconds, FALSE);
}

STOP_LOOKS DWORD WINAPI SignalObjectAndWait(HANDLE hObjectToSignal, HANDLE hObjectToWaitOn,
                                            DWORD dwMilliseconds, BOOL bAlertable)
{
    struct wait_request request = {.handles = &hObjectToWaitOn,
                                   .count = 1,
                                   .alertable = bAlertable,
                                   .signal_first = hObjectToSignal,
                                   .deadline = win__deadline(dwMilliseconds)};
    if (!hObjectToSignal)
        return wait_result(WAITED_BAD_HANDLE);
    return wait_result(wait_for_handle(&request));
}

/* ---- Time ---------------------------------------------------------------------------------- */

/* A thread that calls this in a loop is rarely at a place where a signal can stop it. So it checks
 * each time whether it has to stop. */
static inline __attribute__((always_inline)) void give_way(void)
{
    sched_yield();
    plat_tls.stop_due = true;
    stop_look();
}

static inline __attribute__((always_inline)) DWORD sleep_for(DWORD dwMilliseconds, BOOL bAlertable)
{
    if (dwMilliseconds)
        return wait_for_time(win__deadline(dwMilliseconds), bAlertable) == WAITED_APC
                   ? WAIT_IO_COMPLETION
                   : 0;
    if (bAlertable && apcs_run())
        return WAIT_IO_COMPLETION;
    give_way();
    return 0;
}

STOP_LOOKS DWORD WINAPI SleepEx(DWORD dwMilliseconds, BOOL bAlertable)
{
    return sleep_for(dwMilliseconds, bAlertable);
}

STOP_LOOKS VOID WINAPI Sleep(DWORD dwMilliseconds)
{
    sleep_for(dwMilliseconds, FALSE);
}

STOP_LOOKS BOOL WINAPI SwitchToThread(VOID)
{
    give_way();
    return TRUE;
}

/* ---- Asynchronous procedure calls ---------------------------------------------------------- */

static void call_apc(uintptr_t function, uintptr_t data, uintptr_t unused)
{
    (void)unused;
    ((PAPCFUNC)function)(data);
}

DWORD WINAPI QueueUserAPC(PAPCFUNC pfnAPC, HANDLE hThread, ULONG_PTR dwData)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return 0;
    int error = pfnAPC ? apc_queue(thread, call_apc, (uintptr_t)pfnAPC, dwData, 0)
                       : ERROR_INVALID_PARAMETER;
    object_drop(&thread->object);
    return (DWORD)win__result(error);
}
