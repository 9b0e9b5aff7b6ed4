/* SPDX-License-Identifier: MIT
 *
 * memory_status.c - GlobalMemoryStatusEx and GetPerformanceInfo: the machine's memory, and its use.
 *
 * As on Windows the numbers for the page file are those of memory and swap together.
 */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "winapi/linux/address_space.h"
#include "winapi/linux/proc_numbers.h"
#include "winapi/linux/process_counters.h"
#include "winapi/linux/psapi_names.h"

enum {
    TOTAL,
    AVAILABLE,
    SWAP,
    SWAP_FREE,
    CACHED,
    COMMITTED,
    COMMIT_LIMIT,
    RECLAIMABLE,
    UNRECLAIMABLE,
    STACKS,
    TABLES,
    MEMINFO
};

struct machine_memory {
    struct proc_number of[MEMINFO];
};

static bool read_memory(struct machine_memory *memory)
{
    *memory = (struct machine_memory){{{"MemTotal:", 0},
                                       {"MemAvailable:", 0},
                                       {"SwapTotal:", 0},
                                       {"SwapFree:", 0},
                                       {"Cached:", 0},
                                       {"Committed_AS:", 0},
                                       {"CommitLimit:", 0},
                                       {"SReclaimable:", 0},
                                       {"SUnreclaim:", 0},
                                       {"KernelStack:", 0},
                                       {"PageTables:", 0}}};
    return win__proc_numbers("/proc/meminfo", memory->of, MEMINFO) && memory->of[TOTAL].value;
}

BOOL WINAPI GlobalMemoryStatusEx(LPMEMORYSTATUSEX lpBuffer)
{
    struct machine_memory memory;
    struct proc_number space[] = {{"VmSize:", 0}};
    if (lpBuffer->dwLength != sizeof *lpBuffer)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!read_memory(&memory))
        return win__fail(ERROR_NOT_SUPPORTED);
    win__proc_numbers("/proc/self/status", space, 1);
    uint64_t total = memory.of[TOTAL].value, available = memory.of[AVAILABLE].value;
    lpBuffer->dwMemoryLoad = (DWORD)((total - available) * 100 / total);
    lpBuffer->ullTotalPhys = total;
    lpBuffer->ullAvailPhys = available;
    lpBuffer->ullTotalPageFile = total + memory.of[SWAP].value;
    lpBuffer->ullAvailPageFile = available + memory.of[SWAP_FREE].value;
    lpBuffer->ullTotalVirtual = HIGHEST_ADDRESS + 1 - LOWEST_ADDRESS;
    lpBuffer->ullAvailVirtual = lpBuffer->ullTotalVirtual - space[0].value;
    lpBuffer->ullAvailExtendedVirtual = 0;
    return TRUE;
}

VOID WINAPI GlobalMemoryStatus(LPMEMORYSTATUS lpBuffer)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    *lpBuffer = (MEMORYSTATUS){.dwLength = sizeof *lpBuffer};
    if (!GlobalMemoryStatusEx(&status))
        return;
    lpBuffer->dwMemoryLoad = status.dwMemoryLoad;
    lpBuffer->dwTotalPhys = status.ullTotalPhys;
    lpBuffer->dwAvailPhys = status.ullAvailPhys;
    lpBuffer->dwTotalPageFile = status.ullTotalPageFile;
    lpBuffer->dwAvailPageFile = status.ullAvailPageFile;
    lpBuffer->dwTotalVirtual = status.ullTotalVirtual;
    lpBuffer->dwAvailVirtual = status.ullAvailVirtual;
}

static DWORD processes(void)
{
    DIR *folder = opendir("/proc");
    DWORD count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
    if (folder)
        closedir(folder);
    return count;
}

/* Reads a number from a file of /proc by a format of scanf's; 0: there is none. */
static DWORD number_in(const char *path, const char *format)
{
    FILE *file = fopen(path, "re");
    unsigned number = 0;
    if (file && fscanf(file, format, &number) != 1)
        number = 0;
    if (file)
        fclose(file);
    return number;
}

/* The number of threads of the machine, with kernel threads. */
static DWORD threads(void)
{
    return number_in("/proc/loadavg", "%*f %*f %*f %*u/%u");
}

/* The number of open files of the machine, which are the nearest to handles on Linux. */
static DWORD open_files(void)
{
    return number_in("/proc/sys/fs/file-nr", "%u");
}

BOOL WINAPI K32GetPerformanceInfo(PPERFORMANCE_INFORMATION pPerformanceInformation, DWORD cb)
{
    struct machine_memory memory;
    if (cb < sizeof *pPerformanceInformation)
        return win__fail(ERROR_BAD_LENGTH);
    if (!read_memory(&memory))
        return win__fail(ERROR_NOT_SUPPORTED);
#define PAGES_OF(what) (memory.of[what].value / PAGE_BYTES)
    SIZE_T nonpaged = PAGES_OF(UNRECLAIMABLE) + PAGES_OF(STACKS) + PAGES_OF(TABLES);
    *pPerformanceInformation = (PERFORMANCE_INFORMATION){
        .cb = sizeof *pPerformanceInformation,
        .CommitTotal = PAGES_OF(COMMITTED),
        .CommitLimit = PAGES_OF(COMMIT_LIMIT),
        .CommitPeak = PAGES_OF(COMMITTED),
        .PhysicalTotal = PAGES_OF(TOTAL),
        .PhysicalAvailable = PAGES_OF(AVAILABLE),
        .SystemCache = PAGES_OF(CACHED),
        .KernelTotal = PAGES_OF(RECLAIMABLE) + nonpaged,
        .KernelPaged = PAGES_OF(RECLAIMABLE),
        .KernelNonpaged = nonpaged,
        .PageSize = PAGE_BYTES,
        .HandleCount = open_files(),
        .ProcessCount = processes(),
        .ThreadCount = threads(),
    };
#undef PAGES_OF
    return TRUE;
}
PSAPI_NAME(BOOL, GetPerformanceInfo, PPERFORMANCE_INFORMATION, DWORD);
