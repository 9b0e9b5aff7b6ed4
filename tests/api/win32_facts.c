/* SPDX-License-Identifier: MIT
 *
 * win32_facts.c - what the system tells about itself and about this process: version, memory,
 * names, times, counters.
 *
 * modes: win32
 * except: bytes_written, cycles, handles, memory_of_the_process, version, version_conditions
 */
#include <windows.h>

#include <VersionHelpers.h>
#include <psapi.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdbool.h>
#include <string.h>

static HANDLE const garbage = (HANDLE)0x7777770;

/* ---- The version ----------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32Facts, version)
{
    OSVERSIONINFOEXA info;
    OSVERSIONINFOW wide;

    memset(&info, 0xEE, sizeof info);
    info.dwOSVersionInfoSize = sizeof info;
    EXPECT_OK(GetVersionExA((OSVERSIONINFOA *)&info));
    EXPECT_GE(info.dwMajorVersion, 6);
    EXPECT_EQ(info.dwPlatformId, VER_PLATFORM_WIN32_NT);
    EXPECT_EQ(info.wProductType, VER_NT_WORKSTATION);
    EXPECT_STREQ(info.szCSDVersion, "");
    wide.dwOSVersionInfoSize = sizeof wide;
    EXPECT_OK(GetVersionExW(&wide));
    EXPECT_EQ(wide.dwMajorVersion, info.dwMajorVersion);
    EXPECT_EQ(wide.dwBuildNumber, info.dwBuildNumber);
    EXPECT_EQ(GetVersion() & 0xFF, info.dwMajorVersion);
    EXPECT_EQ(GetVersion() >> 8 & 0xFF, info.dwMinorVersion);
    EXPECT_EQ(GetVersion() >> 16, info.dwBuildNumber);
    info.dwOSVersionInfoSize = 17;
    EXPECT_FAILS(GetVersionExA((OSVERSIONINFOA *)&info), ERROR_INSUFFICIENT_BUFFER);
}

/* Whether the version that runs has this relation to one that is `by` newer. */
static BOOL is(DWORD by_major, DWORD by_minor, WORD service_pack, BYTE condition)
{
    OSVERSIONINFOEXA now = {.dwOSVersionInfoSize = sizeof now};
    ULONGLONG mask = 0;

    EXPECT_OK(GetVersionExA((OSVERSIONINFOA *)&now));
    now.dwMajorVersion += by_major;
    now.dwMinorVersion += by_minor;
    now.wServicePackMajor += service_pack;
    mask = VerSetConditionMask(mask, VER_MAJORVERSION, condition);
    mask = VerSetConditionMask(mask, VER_MINORVERSION, condition);
    mask = VerSetConditionMask(mask, VER_SERVICEPACKMAJOR, condition);
    return VerifyVersionInfoA(&now, VER_MAJORVERSION | VER_MINORVERSION | VER_SERVICEPACKMAJOR,
                              mask);
}

/* The first part that differs decides. */
TEST_IN_EACH_KIND(Win32Facts, version_conditions)
{
    EXPECT_OK(is(0, 0, 0, VER_EQUAL));
    EXPECT_OK(is(0, 0, 0, VER_GREATER_EQUAL));
    EXPECT_OK(is(0, 0, 0, VER_LESS_EQUAL));
    EXPECT_OK(is((DWORD)-1, 5, 0, VER_GREATER_EQUAL));
    EXPECT_OK(is((DWORD)-1, 0, 7, VER_GREATER));
    EXPECT_OK(is(1, 0, 0, VER_LESS));
    EXPECT_FAILS(is(0, 0, 0, VER_LESS), ERROR_OLD_WIN_VERSION);
    EXPECT_FAILS(is(0, 0, 0, VER_GREATER), ERROR_OLD_WIN_VERSION);
    EXPECT_FAILS(is(1, 0, 0, VER_GREATER_EQUAL), ERROR_OLD_WIN_VERSION);
    EXPECT_FAILS(is(0, 1, 0, VER_GREATER_EQUAL), ERROR_OLD_WIN_VERSION);
    EXPECT_FAILS(is(0, 0, 1, VER_GREATER_EQUAL), ERROR_OLD_WIN_VERSION);
    EXPECT_FAILS(is(0, 0, 0, VER_AND), ERROR_BAD_ARGUMENTS);
}

TEST_IN_EACH_KIND(Win32Facts, version_masks)
{
    OSVERSIONINFOEXA wanted = {.dwOSVersionInfoSize = sizeof wanted,
                               .wProductType = VER_NT_SERVER,
                               .dwPlatformId = VER_PLATFORM_WIN32_NT};

    EXPECT_EQ(VerSetConditionMask(0, VER_MINORVERSION, VER_EQUAL), 1);
    EXPECT_EQ(VerSetConditionMask(1, VER_MAJORVERSION, VER_GREATER_EQUAL), 1 | 3 << 3);
    EXPECT_FAILS(VerifyVersionInfoA(&wanted, VER_PRODUCT_TYPE,
                                    VerSetConditionMask(0, VER_PRODUCT_TYPE, VER_EQUAL)),
                 ERROR_OLD_WIN_VERSION);
    EXPECT_OK(VerifyVersionInfoA(&wanted, VER_PLATFORMID,
                                 VerSetConditionMask(0, VER_PLATFORMID, VER_EQUAL)));
    EXPECT_FAILS(VerifyVersionInfoA(&wanted, 0, 1), ERROR_BAD_ARGUMENTS);
    EXPECT_FAILS(VerifyVersionInfoA(&wanted, VER_PLATFORMID, 0), ERROR_BAD_ARGUMENTS);
    wanted.wSuiteMask = VER_SUITE_DATACENTER;
    EXPECT_FAILS(
        VerifyVersionInfoA(&wanted, VER_SUITENAME, VerSetConditionMask(0, VER_SUITENAME, VER_AND)),
        ERROR_OLD_WIN_VERSION);
}

/* <VersionHelpers.h>: any Windows that has this library. */
TEST(Win32Facts, version_helpers)
{
    EXPECT_OK(IsWindowsXPOrGreater());
    EXPECT_OK(IsWindowsXPSP3OrGreater());
    EXPECT_OK(IsWindowsVistaSP2OrGreater());
    EXPECT_OK(IsWindows7OrGreater());
    EXPECT_OK(IsWindows7SP1OrGreater());
    EXPECT_OK(IsWindowsVersionOrGreater(6, 1, 0));
    EXPECT_THAT(!IsWindowsVersionOrGreater(99, 0, 0), "Windows 99");
    EXPECT_THAT(!IsWindowsServer(), "a server");
    EXPECT_EQ(IsWindows10OrGreater() && !IsWindows8Point1OrGreater(), FALSE);
}

TEST(Win32Facts, product)
{
    DWORD product = 4711;

    EXPECT_OK(GetProductInfo(10, 0, 0, 0, &product));
    EXPECT_NE(product, 4711);
    EXPECT_NE(product, PRODUCT_UNDEFINED);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32Facts, memory_of_the_machine)
{
    MEMORYSTATUSEX status;
    MEMORYSTATUS old;

    memset(&status, 0xEE, sizeof status);
    status.dwLength = sizeof status;
    ASSERT_OK(GlobalMemoryStatusEx(&status));
    EXPECT_LE(status.dwMemoryLoad, 100);
    EXPECT_GT(status.ullTotalPhys, 1 << 20);
    EXPECT_LE(status.ullAvailPhys, status.ullTotalPhys);
    EXPECT_GE(status.ullTotalPageFile, status.ullTotalPhys);
    EXPECT_GT(status.ullTotalVirtual, 1LL << 40);
    EXPECT_LT(status.ullAvailVirtual, status.ullTotalVirtual);
    EXPECT_EQ(status.ullAvailExtendedVirtual, 0);
    status.dwLength = 3;
    EXPECT_FAILS(GlobalMemoryStatusEx(&status), ERROR_INVALID_PARAMETER);
    memset(&old, 0xEE, sizeof old);
    GlobalMemoryStatus(&old);
    EXPECT_EQ(old.dwLength, sizeof old);
    EXPECT_EQ(old.dwTotalPhys, status.ullTotalPhys);
}

TEST_IN_EACH_KIND(Win32Facts, performance)
{
    PERFORMANCE_INFORMATION info;

    memset(&info, 0xEE, sizeof info);
    ASSERT_OK(GetPerformanceInfo(&info, sizeof info));
    EXPECT_EQ(info.cb, sizeof info);
    EXPECT_EQ(info.PageSize, 4096);
    EXPECT_GT(info.PhysicalTotal, 256);
    EXPECT_LE(info.PhysicalAvailable, info.PhysicalTotal);
    EXPECT_GE(info.ProcessCount, 1);
    EXPECT_GE(info.ThreadCount, 1);
    EXPECT_FAILS(GetPerformanceInfo(&info, 7), ERROR_BAD_LENGTH);
}

enum { BLOCK = 16 << 20 };

/* Memory that is touched shows up. */
TEST_IN_EACH_KIND(Win32Facts, memory_of_the_process)
{
    PROCESS_MEMORY_COUNTERS_EX before;
    PROCESS_MEMORY_COUNTERS_EX after;
    char *block = VirtualAlloc(NULL, BLOCK, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);

    ASSERT_OK(block != NULL);
    memset(&before, 0xEE, sizeof before);
    EXPECT_OK(GetProcessMemoryInfo(GetCurrentProcess(), (PROCESS_MEMORY_COUNTERS *)&before,
                                   sizeof before));
    memset(block, 1, BLOCK);
    EXPECT_OK(
        GetProcessMemoryInfo(GetCurrentProcess(), (PROCESS_MEMORY_COUNTERS *)&after, sizeof after));
    EXPECT_EQ(before.cb, sizeof before);
    EXPECT_GT(after.WorkingSetSize, before.WorkingSetSize + BLOCK / 2);
    EXPECT_GE(after.PeakWorkingSetSize, after.WorkingSetSize);
    EXPECT_GE(after.PeakPagefileUsage, after.PagefileUsage);
    EXPECT_EQ(after.PrivateUsage, after.PagefileUsage);
    EXPECT_OK(VirtualFree(block, 0, MEM_RELEASE));
    EXPECT_FAILS(GetProcessMemoryInfo(GetCurrentProcess(), (PROCESS_MEMORY_COUNTERS *)&before, 8),
                 ERROR_INSUFFICIENT_BUFFER);
    EXPECT_FAILS(GetProcessMemoryInfo(garbage, (PROCESS_MEMORY_COUNTERS *)&before, sizeof before),
                 ERROR_INVALID_HANDLE);
}

/* ---- Counters -------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32Facts, bytes_written)
{
    IO_COUNTERS before;
    IO_COUNTERS after;
    HANDLE read_end;
    HANDLE write_end;
    char bytes[1000] = {0};
    DWORD done;

    ASSERT_OK(CreatePipe(&read_end, &write_end, NULL, 4096));
    EXPECT_OK(GetProcessIoCounters(GetCurrentProcess(), &before));
    EXPECT_OK(WriteFile(write_end, bytes, sizeof bytes, &done, NULL));
    EXPECT_OK(GetProcessIoCounters(GetCurrentProcess(), &after));
    EXPECT_GE(after.WriteTransferCount, before.WriteTransferCount + sizeof bytes);
    EXPECT_GT(after.WriteOperationCount, before.WriteOperationCount);
    EXPECT_OK(CloseHandle(read_end));
    EXPECT_OK(CloseHandle(write_end));
    EXPECT_FAILS(GetProcessIoCounters(garbage, &before), ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32Facts, handles)
{
    enum { EVENTS = 100 };
    HANDLE events[EVENTS];
    DWORD before = 0;
    DWORD after = 0;

    EXPECT_OK(GetProcessHandleCount(GetCurrentProcess(), &before));
    for (int i = 0; i < EVENTS; i++)
        events[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
    EXPECT_OK(GetProcessHandleCount(GetCurrentProcess(), &after));
    EXPECT_GE(after, before + EVENTS / 2); /* other threads may close some of theirs */
    for (int i = 0; i < EVENTS; i++)
        EXPECT_OK(CloseHandle(events[i]));
    EXPECT_FAILS(GetProcessHandleCount(garbage, &before), ERROR_INVALID_HANDLE);
}

/* ---- Names ----------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32Facts, computer_name)
{
    char name[MAX_COMPUTERNAME_LENGTH + 1];
    WCHAR wide[MAX_COMPUTERNAME_LENGTH + 1];
    char host[512];
    DWORD size = sizeof name;
    DWORD wide_size = MAX_COMPUTERNAME_LENGTH + 1;

    ASSERT_OK(GetComputerNameA(name, &size));
    EXPECT_EQ(size, strlen(name));
    EXPECT_NE(size, 0);
    EXPECT_OK(GetComputerNameW(wide, &wide_size));
    EXPECT_EQ(wide_size, size);
    EXPECT_EQ(wide[0], name[0]);
    EXPECT_EQ(wide[size], 0);
    size = 1;
    EXPECT_FAILS(GetComputerNameA(name, &size), ERROR_BUFFER_OVERFLOW);
    EXPECT_EQ(size, wide_size + 1);
    size = 0;
    EXPECT_FAILS(GetComputerNameExA(ComputerNameDnsFullyQualified, NULL, &size), ERROR_MORE_DATA);
    EXPECT_GT(size, 1);
    size = sizeof host;
    EXPECT_OK(GetComputerNameExA(ComputerNameDnsHostname, host, &size));
    EXPECT_EQ(size, strlen(host));
    EXPECT_EQ(strchr(host, '.'), NULL);
    EXPECT_FAILS(GetComputerNameExA(ComputerNameMax, host, &size), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Facts, user_name)
{
    char name[257];
    WCHAR wide[257];
    DWORD size = sizeof name;
    DWORD wide_size = 257;

    ASSERT_OK(GetUserNameA(name, &size));
    EXPECT_EQ(size, strlen(name) + 1);
    EXPECT_OK(GetUserNameW(wide, &wide_size));
    EXPECT_EQ(wide_size, size);
    EXPECT_EQ(wide[0], name[0]);
    wide_size = size;
    size = 1;
    EXPECT_FAILS(GetUserNameA(name, &size), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_EQ(size, wide_size);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static ULONGLONG ticks(FILETIME time)
{
    return (ULONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

TEST_IN_EACH_KIND(Win32Facts, times_of_the_machine)
{
    FILETIME idle;
    FILETIME kernel;
    FILETIME user;

    ASSERT_OK(GetSystemTimes(&idle, &kernel, &user));
    EXPECT_GT(ticks(kernel), 0);
    EXPECT_GE(ticks(kernel), ticks(idle)); /* which it holds */
    EXPECT_GT(ticks(user) + ticks(kernel), 0);
    EXPECT_OK(GetSystemTimes(NULL, NULL, &user));
}

static void spin(ULONGLONG milliseconds)
{
    ULONGLONG end = GetTickCount64() + milliseconds;

    while (GetTickCount64() < end)
        YieldProcessor();
}

TEST_IN_EACH_KIND(Win32Facts, cycles)
{
    ULONG64 before = 0;
    ULONG64 after = 0;
    ULONG64 process = 0;
    ULONG64 later = 0;

    EXPECT_OK(QueryThreadCycleTime(GetCurrentThread(), &before));
    EXPECT_OK(QueryProcessCycleTime(GetCurrentProcess(), &process));
    spin(20);
    EXPECT_OK(QueryThreadCycleTime(GetCurrentThread(), &after));
    EXPECT_OK(QueryProcessCycleTime(GetCurrentProcess(), &later));
    EXPECT_GT(after, before);
    EXPECT_GT(later, process);
    EXPECT_FAILS(QueryThreadCycleTime(garbage, &before), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(QueryProcessCycleTime(garbage, &before), ERROR_INVALID_HANDLE);
}
