/* SPDX-License-Identifier: MIT
 *
 * nt_calls.c - ntdll's calls below CloseHandle, SleepEx, SwitchToThread and
 * QueryPerformanceCounter, and RtlInitUnicodeString and its kin.
 *
 * They return a status and leave the last error as it is. Where ntdll would fault on a NULL they
 * return STATUS_ACCESS_VIOLATION.
 */
#define WIN32_NO_STATUS
#include "winapi/linux/nt.h"
#undef WIN32_NO_STATUS
#include <ntstatus.h>
#include <sched.h>

#include "platform/linux/dispatch/apc.h"
#include "platform/linux/interrupt/stop.h"
#include "winapi/linux/text.h"

NTSTATUS WINAPI NtClose(HANDLE Handle)
{
    if (Handle == GetCurrentThread() || Handle == GetCurrentProcess())
        return STATUS_SUCCESS;
    return handle_close(Handle) ? STATUS_INVALID_HANDLE : STATUS_SUCCESS;
}

/* The least number means for ever, as Sleep passes it. It cannot be negated. */
NTSTATUS WINAPI NtDelayExecution(BOOLEAN Alertable, const LARGE_INTEGER *DelayInterval)
{
    if (!DelayInterval)
        return STATUS_ACCESS_VIOLATION;
    if (DelayInterval->QuadPart) {
        uint64_t deadline =
            DelayInterval->QuadPart == INT64_MIN ? PLAT_FOREVER : win__due(DelayInterval->QuadPart);
        return wait_for_time(deadline, Alertable) == WAITED_APC ? STATUS_USER_APC : STATUS_SUCCESS;
    }
    if (Alertable && apcs_run())
        return STATUS_USER_APC;
    return NtYieldExecution();
}

/* Linux does not tell whether another thread has run, so STATUS_NO_YIELD_PERFORMED is never
 * returned. */
STOP_LOOKS NTSTATUS WINAPI NtYieldExecution(void)
{
    sched_yield();
    stop_look();
    return STATUS_SUCCESS;
}

NTSTATUS WINAPI NtQueryPerformanceCounter(PLARGE_INTEGER PerformanceCounter,
                                          PLARGE_INTEGER PerformanceFrequency)
{
    if (!PerformanceCounter)
        return STATUS_ACCESS_VIOLATION;
    QueryPerformanceCounter(PerformanceCounter);
    if (PerformanceFrequency)
        QueryPerformanceFrequency(PerformanceFrequency);
    return STATUS_SUCCESS;
}

/* Lengths are bytes in 16 bits. A text that is too long gets the greatest length that leaves room
 * for its zero. */
void WINAPI RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString)
{
    enum { LONGEST = 0xFFFC };
    SIZE_T bytes = SourceString ? win__wide_length(SourceString) * sizeof(WCHAR) : 0;
    if (bytes > LONGEST)
        bytes = LONGEST;
    DestinationString->Length = (USHORT)bytes;
    DestinationString->MaximumLength = (USHORT)(SourceString ? bytes + sizeof(WCHAR) : 0);
    DestinationString->Buffer = (PWSTR)SourceString;
}
