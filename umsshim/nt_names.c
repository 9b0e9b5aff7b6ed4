/* SPDX-License-Identifier: MIT
 *
 * nt_names.c - the calls under ntdll's names. umsshim_nt.h says how each follows from the
 * documented one.
 *
 * The documented function does the work and says by the last error why it failed. The last error
 * belongs to Win32, so each function here puts the old one back. That works after a yield, too: the
 * last error moves with a worker.
 */
#pragma GCC visibility push(default)
#include "umsshim/include/umsshim_nt.h"
#pragma GCC visibility pop

#include "umsshim/core.h"

#define NT_SUCCESS_CODE 0
#define NT_UNSUCCESSFUL ((LONG)0xC0000001)
#define NT_INFO_LENGTH_MISMATCH ((LONG)0xC0000004)
#define NT_INVALID_PARAMETER ((LONG)0xC000000D)
#define NT_NO_MEMORY ((LONG)0xC0000017)
#define NT_NOT_SUPPORTED ((LONG)0xC00000BB)
#define NT_INTERNAL_ERROR ((LONG)0xC00000E5)

static LONG status_of(uint32_t error)
{
    switch (error) {
    case ERROR_NOT_ENOUGH_MEMORY:
        return NT_NO_MEMORY;
    case ERROR_BAD_LENGTH:
        return NT_INFO_LENGTH_MISMATCH;
    case ERROR_NOT_SUPPORTED:
        return NT_NOT_SUPPORTED;
    case ERROR_INVALID_PARAMETER:
        return NT_INVALID_PARAMETER;
    case ERROR_INTERNAL_ERROR:
        return NT_INTERNAL_ERROR;
    default:
        return NT_UNSUCCESSFUL;
    }
}

/* The status of the call that was just made. Puts back the last error from before it. */
static LONG settle(BOOL done, uint32_t before)
{
    LONG status = done ? NT_SUCCESS_CODE : status_of(plat_last_error());
    plat_set_last_error(before);
    return status;
}

LONG NTAPI RtlCreateUmsCompletionList(PUMS_COMPLETION_LIST *UmsCompletionList)
{
    uint32_t before = plat_last_error();
    return settle(CreateUmsCompletionList(UmsCompletionList), before);
}

LONG NTAPI RtlDeleteUmsCompletionList(PUMS_COMPLETION_LIST UmsCompletionList)
{
    uint32_t before = plat_last_error();
    return settle(DeleteUmsCompletionList(UmsCompletionList), before);
}

LONG NTAPI RtlGetUmsCompletionListEvent(PUMS_COMPLETION_LIST UmsCompletionList,
                                        PHANDLE UmsCompletionEvent)
{
    uint32_t before = plat_last_error();
    return settle(GetUmsCompletionListEvent(UmsCompletionList, UmsCompletionEvent), before);
}

LONG NTAPI RtlCreateUmsThreadContext(PUMS_CONTEXT *UmsThread)
{
    uint32_t before = plat_last_error();
    return settle(CreateUmsThreadContext(UmsThread), before);
}

LONG NTAPI RtlDeleteUmsThreadContext(PUMS_CONTEXT UmsThread)
{
    uint32_t before = plat_last_error();
    return settle(DeleteUmsThreadContext(UmsThread), before);
}

LONG NTAPI RtlEnterUmsSchedulingMode(PUMS_SCHEDULER_STARTUP_INFO SchedulerStartupInfo)
{
    uint32_t before = plat_last_error();
    return settle(EnterUmsSchedulingMode(SchedulerStartupInfo), before);
}

LONG NTAPI RtlExecuteUmsThread(PUMS_CONTEXT UmsThread)
{
    uint32_t before = plat_last_error();
    return settle(ExecuteUmsThread(UmsThread), before);
}

LONG NTAPI RtlUmsThreadYield(PVOID SchedulerParam)
{
    uint32_t before = plat_last_error();
    return settle(UmsThreadYield(SchedulerParam), before);
}

LONG NTAPI NtUmsThreadYield(PVOID SchedulerParam)
{
    return RtlUmsThreadYield(SchedulerParam);
}

LONG NTAPI ZwUmsThreadYield(PVOID SchedulerParam)
{
    return RtlUmsThreadYield(SchedulerParam);
}

LONG NTAPI RtlGetCurrentUmsThread(PUMS_CONTEXT *UmsThread)
{
    uint32_t before = plat_last_error();
    if (!UmsThread)
        return NT_INVALID_PARAMETER;
    *UmsThread = GetCurrentUmsThread();
    return settle(*UmsThread != NULL, before);
}

LONG NTAPI RtlQueryUmsThreadInformation(PUMS_CONTEXT UmsThread,
                                        UMS_THREAD_INFO_CLASS UmsThreadInfoClass,
                                        PVOID UmsThreadInformation,
                                        ULONG UmsThreadInformationLength, PULONG ReturnLength)
{
    uint32_t before = plat_last_error();
    return settle(QueryUmsThreadInformation(UmsThread, UmsThreadInfoClass, UmsThreadInformation,
                                            UmsThreadInformationLength, ReturnLength),
                  before);
}

LONG NTAPI RtlSetUmsThreadInformation(PUMS_CONTEXT UmsThread,
                                      UMS_THREAD_INFO_CLASS UmsThreadInfoClass,
                                      PVOID UmsThreadInformation, ULONG UmsThreadInformationLength)
{
    uint32_t before = plat_last_error();
    return settle(SetUmsThreadInformation(UmsThread, UmsThreadInfoClass, UmsThreadInformation,
                                          UmsThreadInformationLength),
                  before);
}
