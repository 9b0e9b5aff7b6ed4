/* SPDX-License-Identifier: MIT
 *
 * The installed <psapi.h>, and the counters and filters that Wine 8's lacks.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <windows.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <../um/psapi.h>
#else
#include_next <psapi.h>
#endif

#if !defined(UMSSHIM_PSAPI_H) && !defined(_WIN32)
#define UMSSHIM_PSAPI_H

#define LIST_MODULES_DEFAULT 0
#define LIST_MODULES_32BIT 1
#define LIST_MODULES_64BIT 2
#define LIST_MODULES_ALL 3

typedef struct _PROCESS_MEMORY_COUNTERS_EX {
    DWORD cb;
    DWORD PageFaultCount;
    SIZE_T PeakWorkingSetSize;
    SIZE_T WorkingSetSize;
    SIZE_T QuotaPeakPagedPoolUsage;
    SIZE_T QuotaPagedPoolUsage;
    SIZE_T QuotaPeakNonPagedPoolUsage;
    SIZE_T QuotaNonPagedPoolUsage;
    SIZE_T PagefileUsage;
    SIZE_T PeakPagefileUsage;
    SIZE_T PrivateUsage;
} PROCESS_MEMORY_COUNTERS_EX, *PPROCESS_MEMORY_COUNTERS_EX;

#endif
