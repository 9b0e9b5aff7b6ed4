/* SPDX-License-Identifier: MIT
 *
 * umsshim_nt.h - the UMS functions under ntdll's names.
 *
 * No header of Microsoft's has these. The names are those that ntdll of Windows 7 to 10 exports.
 * Each does what its documented function does (umsshim.h), by ntdll's conventions. The result is an
 * NTSTATUS, and the last error stays as it was. A result of the documented function is stored
 * through the last argument. STATUS_SUCCESS is 0; each failure has the status from which the
 * documented function's last error comes (RtlNtStatusToDosError). A program that declares them by
 * itself may say NTSTATUS for LONG.
 *
 * On Linux they are symbols of libumsshim.so. On Windows umsshim.dll does not export them. A
 * program reaches them by ntdll's names, by GetProcAddress or by an import from ntdll.dll.
 */
#ifndef UMSSHIM_UMSSHIM_NT_H
#define UMSSHIM_UMSSHIM_NT_H

#include "umsshim.h"

#ifdef __cplusplus
extern "C" {
#endif

LONG NTAPI RtlCreateUmsCompletionList(PUMS_COMPLETION_LIST *UmsCompletionList);
LONG NTAPI RtlDeleteUmsCompletionList(PUMS_COMPLETION_LIST UmsCompletionList);
LONG NTAPI RtlGetUmsCompletionListEvent(PUMS_COMPLETION_LIST UmsCompletionList,
                                        PHANDLE UmsCompletionEvent);
LONG NTAPI RtlCreateUmsThreadContext(PUMS_CONTEXT *UmsThread);
LONG NTAPI RtlDeleteUmsThreadContext(PUMS_CONTEXT UmsThread);
LONG NTAPI RtlEnterUmsSchedulingMode(PUMS_SCHEDULER_STARTUP_INFO SchedulerStartupInfo);
/* Does not return on success. */
LONG NTAPI RtlExecuteUmsThread(PUMS_CONTEXT UmsThread);
LONG NTAPI RtlUmsThreadYield(PVOID SchedulerParam);
/* Stores NULL on a plain thread. */
LONG NTAPI RtlGetCurrentUmsThread(PUMS_CONTEXT *UmsThread);
LONG NTAPI RtlQueryUmsThreadInformation(PUMS_CONTEXT UmsThread,
                                        UMS_THREAD_INFO_CLASS UmsThreadInfoClass,
                                        PVOID UmsThreadInformation,
                                        ULONG UmsThreadInformationLength, PULONG ReturnLength);
LONG NTAPI RtlSetUmsThreadInformation(PUMS_CONTEXT UmsThread,
                                      UMS_THREAD_INFO_CLASS UmsThreadInfoClass,
                                      PVOID UmsThreadInformation, ULONG UmsThreadInformationLength);

/* The system call that RtlUmsThreadYield makes on Windows. Here the three names are one
 * function. */
LONG NTAPI NtUmsThreadYield(PVOID SchedulerParam);
LONG NTAPI ZwUmsThreadYield(PVOID SchedulerParam);

#ifdef __cplusplus
}
#endif

#endif
