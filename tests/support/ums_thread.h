/* SPDX-License-Identifier: MIT
 *
 * ums_thread.h - a worker's thread on these UMS attributes, as they are. Plain C, which the conformance kit uses, too.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_UMS_THREAD_H
#define UMSSHIM_TESTS_SUPPORT_UMS_THREAD_H

#include <windows.h>

/* The last error before the call; and after it, where the attribute list could not even be made. */
#define UMS_THREAD_SENTINEL 0xD15EA5Eu

static inline HANDLE ums_thread(const UMS_CREATE_THREAD_ATTRIBUTES *ums,
                                LPTHREAD_START_ROUTINE routine, void *arg, DWORD flags, DWORD *id)
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
        thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 256 * 1024, routine, arg,
                                      flags | STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, id);
        error = GetLastError();
    }
    DeleteProcThreadAttributeList(attributes);
    SetLastError(error);
    return thread;
}

#endif
