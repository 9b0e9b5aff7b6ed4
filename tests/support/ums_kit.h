/* SPDX-License-Identifier: MIT
 *
 * ums_kit.h - the steps that all tests share: to make a worker, to become a scheduler, to execute a
 * worker. Plain C without checks, which the conformance kit and the benchmarks use, too.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_UMS_KIT_H
#define UMSSHIM_TESTS_SUPPORT_UMS_KIT_H

#include <windows.h>

enum { UMS_STACK = 256 * 1024, UMS_RETRIES = 10000 };

/* The last error that is set before a call. It is still set afterwards if the attribute list could
 * not even be made. */
#define UMS_THREAD_SENTINEL 0xD15EA5Eu

/* Makes a worker's thread with exactly these attributes. */
static inline HANDLE ums_thread_on_stack(const UMS_CREATE_THREAD_ATTRIBUTES *ums, SIZE_T stack,
                                         LPTHREAD_START_ROUTINE routine, void *arg, DWORD flags,
                                         DWORD *id)
{
    UMS_CREATE_THREAD_ATTRIBUTES copy = *ums;
    _Alignas(16) char buffer[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)(void *)buffer;
    SIZE_T size = sizeof buffer;
    HANDLE thread = NULL;
    DWORD error = UMS_THREAD_SENTINEL;

    SetLastError(error);
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size)) {
        SetLastError(error);
        return NULL;
    }
    if (UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &copy,
                                  sizeof copy, NULL, NULL)) {
        SetLastError(UMS_THREAD_SENTINEL);
        thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, stack, routine, arg,
                                      flags | STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, id);
        error = GetLastError();
    }
    DeleteProcThreadAttributeList(attributes);
    SetLastError(error);
    return thread;
}

static inline HANDLE ums_thread(const UMS_CREATE_THREAD_ATTRIBUTES *ums,
                                LPTHREAD_START_ROUTINE routine, void *arg, DWORD flags, DWORD *id)
{
    return ums_thread_on_stack(ums, UMS_STACK, routine, arg, flags, id);
}

/* Makes a new context with this user context (NULL: none), and a thread on it. NULL with the last
 * error of the call that failed. */
static inline HANDLE ums_worker(PUMS_COMPLETION_LIST list, PUMS_CONTEXT *context, void *user,
                                SIZE_T stack, LPTHREAD_START_ROUTINE routine, void *arg,
                                DWORD flags, DWORD *id)
{
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, list};

    *context = NULL;
    if (!CreateUmsThreadContext(context) ||
        (user && !SetUmsThreadInformation(*context, UmsThreadUserContext, &user, sizeof user)))
        return NULL;
    ums.UmsContext = *context;
    return ums_thread_on_stack(&ums, stack, routine, arg, flags, id);
}

/* EnterUmsSchedulingMode with these arguments. */
static inline BOOL ums_enter(PUMS_COMPLETION_LIST list, PUMS_SCHEDULER_ENTRY_POINT proc,
                             void *param)
{
    UMS_SCHEDULER_STARTUP_INFO info = {UMS_VERSION, list, proc, param};

    return EnterUmsSchedulingMode(&info);
}

/* ExecuteUmsThread, repeated while the last error is ERROR_RETRY. Returns the last error of a
 * failure. ERROR_SUCCESS: the call has returned with success, which it must not. */
static inline DWORD ums_execute(PUMS_CONTEXT context)
{
    DWORD error = ERROR_RETRY;

    for (int i = 0; i < UMS_RETRIES && error == ERROR_RETRY; i++) {
        SetLastError(UMS_THREAD_SENTINEL);
        if (ExecuteUmsThread(context))
            return ERROR_SUCCESS;
        error = GetLastError();
        YieldProcessor();
    }
    return error;
}

/* A worker's routine. It ends at once with this code. */
static inline DWORD WINAPI routine_return(LPVOID exit_code)
{
    return (DWORD)(ULONG_PTR)exit_code;
}

#endif
