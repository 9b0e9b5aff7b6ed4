/* SPDX-License-Identifier: MIT
 *
 * win32_newer.c - calls that came with later versions of Windows than MinGW's libraries and
 * Wine 8 know.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include <winternl.h>

#include "gtest_c.h"
#include "kinds.h"

static HANDLE const garbage = (HANDLE)0x7777770;

TEST_IN_EACH_KIND(Win32Newer, interrupt_times)
{
    ULONGLONG with_sleep = 0;
    ULONGLONG without = 0;
    ULONGLONG precise = 0;

    QueryUnbiasedInterruptTimePrecise(&without);
    QueryInterruptTimePrecise(&with_sleep);
    QueryInterruptTime(&precise);
    EXPECT_GT(without, 0);
    EXPECT_GE(with_sleep + 160000, without); /* the kernel's tick, on Windows */
    EXPECT_GE(precise + 160000, with_sleep);
    EXPECT_EQ(QueryAuxiliaryCounterFrequency(&precise), E_NOTIMPL);
    EXPECT_EQ(GetLargePageMinimum(), 0);
}

TEST_IN_EACH_KIND(Win32Newer, same_object)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE other = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE same = NULL;

    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), event, GetCurrentProcess(), &same, 0, FALSE,
                              DUPLICATE_SAME_ACCESS));
    EXPECT_OK(CompareObjectHandles(event, same));
    EXPECT_FAILS(CompareObjectHandles(event, other), ERROR_NOT_SAME_OBJECT);
    EXPECT_FAILS(CompareObjectHandles(event, garbage), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CompareObjectHandles(garbage, event), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(other));
    EXPECT_OK(CloseHandle(same));
}

TEST_IN_EACH_KIND(Win32Newer, last_error_is_left_alone)
{
    DWORD slot = TlsAlloc();

    SetLastErrorEx(4711, 0);
    EXPECT_EQ(GetLastError(), 4711);
    EXPECT_EQ(TlsGetValue2(slot), NULL);
    EXPECT_EQ(GetLastError(), 4711);
    EXPECT_OK(TlsSetValue(slot, &slot));
    EXPECT_EQ(TlsGetValue2(slot), &slot);
    EXPECT_OK(TlsFree(slot));
}

TEST(Win32Newer, idle_cycles)
{
    ULONG64 idle[1024];
    ULONG bytes = 0;
    ULONG given;

    EXPECT_OK(QueryIdleProcessorCycleTime(&bytes, NULL));
    EXPECT_GE(bytes, sizeof *idle);
    given = sizeof idle;
    EXPECT_OK(QueryIdleProcessorCycleTime(&given, idle));
    EXPECT_GE(given, sizeof *idle);
    EXPECT_LE(given, sizeof idle);
}

TEST_IN_EACH_KIND(Win32Newer, version_by_ntdll)
{
    RTL_OSVERSIONINFOEXW info = {.dwOSVersionInfoSize = sizeof info};

    EXPECT_EQ(RtlGetVersion(&info), 0);
    EXPECT_EQ(info.dwMajorVersion, 10);
    EXPECT_EQ(info.dwMinorVersion, 0);
    EXPECT_EQ(info.dwBuildNumber, GetVersion() >> 16);
    EXPECT_EQ(info.wProductType, VER_NT_WORKSTATION);
}
