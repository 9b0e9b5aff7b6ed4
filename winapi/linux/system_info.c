/* SPDX-License-Identifier: MIT
 *
 * system_info.c - GetSystemInfo and its kin: processors, pages, addresses.
 *
 * Processors are numbered in groups of 64, as on Windows; the masks here are those of group 0.
 */
#include <cpuid.h>
#include <sched.h>
#include <sys/platform/x86.h>
#include <unistd.h>

#include "winapi/linux/address_space.h"
#include "winapi/linux/processors.h"

/* Processor family, and model with stepping, in Windows' form. */
static void fill_identity(SYSTEM_INFO *info)
{
    unsigned a = 0, b, c, d;
    __get_cpuid(1, &a, &b, &c, &d);
    unsigned family = a >> 8 & 15, model = a >> 4 & 15, stepping = a & 15;
    if (family == 6 || family == 15)
        model |= a >> 12 & 0xF0;
    if (family == 15)
        family += a >> 20 & 255;
    info->wProcessorLevel = (WORD)family;
    info->wProcessorRevision = (WORD)(model << 8 | stepping);
}

VOID WINAPI GetSystemInfo(LPSYSTEM_INFO lpSystemInfo)
{
    *lpSystemInfo = (SYSTEM_INFO){0};
    lpSystemInfo->wProcessorArchitecture = PROCESSOR_ARCHITECTURE_AMD64;
    lpSystemInfo->dwProcessorType = PROCESSOR_AMD_X8664;
    lpSystemInfo->dwPageSize = (DWORD)PAGE_BYTES;
    lpSystemInfo->dwAllocationGranularity = (DWORD)GRANULARITY;
    lpSystemInfo->lpMinimumApplicationAddress = (void *)LOWEST_ADDRESS;
    lpSystemInfo->lpMaximumApplicationAddress = (void *)HIGHEST_ADDRESS;
    lpSystemInfo->dwActiveProcessorMask = win__system_mask();
    lpSystemInfo->dwNumberOfProcessors = GetActiveProcessorCount(0);
    fill_identity(lpSystemInfo);
}

/* 0: VirtualAlloc has no large pages. */
SIZE_T WINAPI GetLargePageMinimum(VOID)
{
    return 0;
}

/* On x86-64 the instruction cache follows the data by itself. */
BOOL WINAPI FlushInstructionCache(HANDLE hProcess, LPCVOID lpBaseAddress, SIZE_T dwSize)
{
    (void)lpBaseAddress, (void)dwSize;
    return win__this_process(hProcess) ? TRUE : win__fail(ERROR_INVALID_HANDLE);
}

BOOL WINAPI IsWow64Process(HANDLE hProcess, PBOOL Wow64Process)
{
    if (!win__this_process(hProcess))
        return win__fail(ERROR_INVALID_HANDLE);
    *Wow64Process = FALSE;
    return TRUE;
}

VOID WINAPI GetNativeSystemInfo(LPSYSTEM_INFO lpSystemInfo)
{
    GetSystemInfo(lpSystemInfo);
}

/* The number of the processors that are in the group. */
static DWORD in_group(long processors, WORD group)
{
    long before = (long)group * 64;
    if (group == ALL_PROCESSOR_GROUPS)
        return (DWORD)processors;
    if (processors > before)
        return processors - before < 64 ? (DWORD)(processors - before) : 64;
    win__fail(ERROR_INVALID_PARAMETER);
    return 0;
}

DWORD WINAPI GetActiveProcessorCount(WORD GroupNumber)
{
    return in_group(sysconf(_SC_NPROCESSORS_ONLN), GroupNumber);
}

DWORD WINAPI GetMaximumProcessorCount(WORD GroupNumber)
{
    return in_group(sysconf(_SC_NPROCESSORS_CONF), GroupNumber);
}

VOID WINAPI GetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber)
{
    DWORD processor = GetCurrentProcessorNumber();
    *ProcNumber =
        (PROCESSOR_NUMBER){.Group = (WORD)(processor / 64), .Number = (BYTE)(processor % 64)};
}

/* Uses glibc's knowledge of the processor's features. gcc's would be found out anew in each process
 * that loads the library, by instructions that a virtual machine has to emulate. */
#define CASE(feature, name)                                                                        \
    case feature:                                                                                  \
        return CPU_FEATURE_ACTIVE(name)

BOOL WINAPI IsProcessorFeaturePresent(DWORD ProcessorFeature)
{
    unsigned a, b, c = 0, d = 0;
    switch (ProcessorFeature) {
    case PF_COMPARE_EXCHANGE_DOUBLE:
    case PF_MMX_INSTRUCTIONS_AVAILABLE:
    case PF_XMMI_INSTRUCTIONS_AVAILABLE:
    case PF_XMMI64_INSTRUCTIONS_AVAILABLE:
    case PF_RDTSC_INSTRUCTION_AVAILABLE:
    case PF_NX_ENABLED:
        return TRUE; /* every x86-64 processor has them */
    case PF_COMPARE_EXCHANGE128:
        __get_cpuid(1, &a, &b, &c, &d);
        return (c & bit_CMPXCHG16B) != 0;
    case PF_XSAVE_ENABLED:
        __get_cpuid(1, &a, &b, &c, &d);
        return (c & bit_OSXSAVE) != 0;
    case 28: /* PF_RDRAND_INSTRUCTION_AVAILABLE */
        __get_cpuid(1, &a, &b, &c, &d);
        return (c & bit_RDRND) != 0;
    case 32: /* PF_RDTSCP_INSTRUCTION_AVAILABLE */
        __get_cpuid(0x80000001, &a, &b, &c, &d);
        return (d >> 27 & 1) != 0;
        CASE(PF_SSE3_INSTRUCTIONS_AVAILABLE, SSE3);
        CASE(36 /* PF_SSSE3_INSTRUCTIONS_AVAILABLE */, SSSE3);
        CASE(37 /* PF_SSE4_1_INSTRUCTIONS_AVAILABLE */, SSE4_1);
        CASE(38 /* PF_SSE4_2_INSTRUCTIONS_AVAILABLE */, SSE4_2);
        CASE(39 /* PF_AVX_INSTRUCTIONS_AVAILABLE */, AVX);
        CASE(40 /* PF_AVX2_INSTRUCTIONS_AVAILABLE */, AVX2);
        CASE(41 /* PF_AVX512F_INSTRUCTIONS_AVAILABLE */, AVX512F);
    default:
        return FALSE;
    }
}
