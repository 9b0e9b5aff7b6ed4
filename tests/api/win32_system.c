/* SPDX-License-Identifier: MIT
 *
 * win32_system.c - facts about the machine, and the processors that the process may use.
 *
 * modes: win32
 * except: ideal_processor, processors
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

WINBASEAPI BOOL WINAPI SetThreadIdealProcessorEx(HANDLE thread, PPROCESSOR_NUMBER processor,
                                                 PPROCESSOR_NUMBER previous);

TEST_IN_EACH_KIND(Win32System, info)
{
    SYSTEM_INFO info;
    SYSTEM_INFO native;

    memset(&info, 0xEE, sizeof info);
    GetSystemInfo(&info);
    GetNativeSystemInfo(&native);
    EXPECT_EQ(info.wProcessorArchitecture, PROCESSOR_ARCHITECTURE_AMD64);
    EXPECT_EQ(info.dwPageSize, 4096);
    EXPECT_EQ(info.dwAllocationGranularity, 65536);
    EXPECT_EQ(info.lpMinimumApplicationAddress, 0x10000);
    EXPECT_THAT((char *)info.lpMaximumApplicationAddress > (char *)&info, "my stack is above");
    EXPECT_GE(info.dwNumberOfProcessors, 1);
    EXPECT_NE(info.dwActiveProcessorMask, 0);
    EXPECT_EQ(info.dwNumberOfProcessors, native.dwNumberOfProcessors);
    EXPECT_EQ(info.wProcessorLevel, native.wProcessorLevel);
    EXPECT_NE(info.wProcessorLevel, 0);
}

TEST_IN_EACH_KIND(Win32System, processors)
{
    PROCESSOR_NUMBER number;

    EXPECT_GE(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS), 1);
    EXPECT_GE(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS), GetActiveProcessorCount(0));
    EXPECT_GE(GetMaximumProcessorCount(0), GetActiveProcessorCount(0));
    EXPECT_FAILS(GetActiveProcessorCount(999), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetMaximumProcessorCount(999), ERROR_INVALID_PARAMETER);
    memset(&number, 0xEE, sizeof number);
    GetCurrentProcessorNumberEx(&number);
    EXPECT_LT(number.Group * 64 + number.Number, GetMaximumProcessorCount(ALL_PROCESSOR_GROUPS));
}

TEST(Win32System, features)
{
    EXPECT_EQ(IsProcessorFeaturePresent(PF_XMMI64_INSTRUCTIONS_AVAILABLE), TRUE);
    EXPECT_EQ(IsProcessorFeaturePresent(PF_COMPARE_EXCHANGE128), TRUE);
    EXPECT_EQ(IsProcessorFeaturePresent(4711), FALSE);
}

static int bits(DWORD_PTR mask)
{
    return __builtin_popcountll(mask);
}

TEST_IN_EACH_KIND(Win32System, process_affinity)
{
    DWORD_PTR process = 0;
    DWORD_PTR system = 0;

    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &process, &system));
    EXPECT_NE(process, 0);
    EXPECT_EQ(process & ~system, 0);
    EXPECT_LE(bits(system), GetMaximumProcessorCount(0));
    EXPECT_FAILS(GetProcessAffinityMask((HANDLE)0x7777770, &process, &system),
                 ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetProcessAffinityMask((HANDLE)0x7777770, process), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetProcessAffinityMask(GetCurrentProcess(), 0), ERROR_INVALID_PARAMETER);
    EXPECT_OK(SetProcessAffinityMask(GetCurrentProcess(), process));
}

static DWORD WINAPI own_mask(LPVOID result)
{
    DWORD_PTR before = SetThreadAffinityMask(GetCurrentThread(), 1);

    *(DWORD_PTR *)result = before;
    return 0;
}

static DWORD_PTR mask_of_a_new_thread(void)
{
    DWORD_PTR mask = 0;
    HANDLE thread = CreateThread(NULL, 0, own_mask, &mask, 0, NULL);

    EXPECT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    return mask;
}

/* The first processor alone, for the caller and for threads made after. */
TEST_IN_EACH_KIND(Win32System, process_affinity_moves_threads)
{
    DWORD_PTR process = 0;
    DWORD_PTR system = 0;
    DWORD_PTR first;

    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &process, &system));
    first = process & -process;
    EXPECT_OK(SetProcessAffinityMask(GetCurrentProcess(), first));
    SwitchToThread();
    EXPECT_EQ((DWORD_PTR)1 << GetCurrentProcessorNumber(), first);
    EXPECT_EQ(mask_of_a_new_thread(), first);
    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &system, &system));
    EXPECT_OK(SetProcessAffinityMask(GetCurrentProcess(), process));
    EXPECT_EQ(mask_of_a_new_thread(), process);
}

TEST_IN_EACH_KIND(Win32System, ideal_processor)
{
    PROCESSOR_NUMBER number = {0, 0, 0};
    PROCESSOR_NUMBER before = {9, 9, 9};
    DWORD last = GetMaximumProcessorCount(0) - 1;

    EXPECT_NE(SetThreadIdealProcessor(GetCurrentThread(), last), (DWORD)-1);
    EXPECT_EQ(SetThreadIdealProcessor(GetCurrentThread(), MAXIMUM_PROCESSORS), last);
    EXPECT_OK(SetThreadIdealProcessorEx(GetCurrentThread(), &number, &before));
    EXPECT_EQ(before.Number, last);
    EXPECT_EQ(before.Group, 0);
    SetLastError(SENTINEL);
    EXPECT_EQ(SetThreadIdealProcessor(GetCurrentThread(), 1000), (DWORD)-1);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
    SetLastError(SENTINEL);
    EXPECT_EQ(SetThreadIdealProcessor((HANDLE)0x7777770, 0), (DWORD)-1);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
}
