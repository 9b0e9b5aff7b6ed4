/* SPDX-License-Identifier: MIT
 *
 * ums_calls.h - the fourteen functions, in the order of kernel32's exports: UMS_CALLS(X) is X(result, name, arguments)
 * for each, UMS_CALLS(UMS_NAME) their names for an array.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_UMS_CALLS_H
#define UMSSHIM_TESTS_SUPPORT_UMS_CALLS_H

#define UMS_CALLS(X)                                                                               \
    X(BOOL, CreateUmsCompletionList, (PUMS_COMPLETION_LIST *))                                     \
    X(BOOL, CreateUmsThreadContext, (PUMS_CONTEXT *))                                              \
    X(BOOL, DeleteUmsCompletionList, (PUMS_COMPLETION_LIST))                                       \
    X(BOOL, DeleteUmsThreadContext, (PUMS_CONTEXT))                                                \
    X(BOOL, DequeueUmsCompletionListItems, (PUMS_COMPLETION_LIST, DWORD, PUMS_CONTEXT *))          \
    X(BOOL, EnterUmsSchedulingMode, (PUMS_SCHEDULER_STARTUP_INFO))                                 \
    X(BOOL, ExecuteUmsThread, (PUMS_CONTEXT))                                                      \
    X(PUMS_CONTEXT, GetCurrentUmsThread, (void))                                                   \
    X(PUMS_CONTEXT, GetNextUmsListItem, (PUMS_CONTEXT))                                            \
    X(BOOL, GetUmsCompletionListEvent, (PUMS_COMPLETION_LIST, PHANDLE))                            \
    X(BOOL, GetUmsSystemThreadInformation, (HANDLE, PUMS_SYSTEM_THREAD_INFORMATION))               \
    X(BOOL, QueryUmsThreadInformation,                                                             \
      (PUMS_CONTEXT, UMS_THREAD_INFO_CLASS, PVOID, ULONG, PULONG))                                 \
    X(BOOL, SetUmsThreadInformation, (PUMS_CONTEXT, UMS_THREAD_INFO_CLASS, PVOID, ULONG))          \
    X(BOOL, UmsThreadYield, (PVOID))

#define UMS_NAME(result, name, arguments) #name,

#endif
