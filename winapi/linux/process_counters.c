/* SPDX-License-Identifier: MIT
 *
 * process_counters.c - this process's use of memory, bytes read and written, and handles.
 */
#include <sys/resource.h>

#include "winapi/linux/proc_numbers.h"
#include "winapi/linux/process_counters.h"
#include "winapi/linux/psapi_names.h"

static bool is_us(HANDLE process)
{
    return win__this_process(process) || win__fail(ERROR_INVALID_HANDLE);
}

/* The largest page file usage that the calls have reported. */
static SIZE_T peak_of(SIZE_T usage)
{
    static _Atomic SIZE_T peak;
    SIZE_T known = peak;
    while (usage > known && !atomic_compare_exchange_weak(&peak, &known, usage))
        ;
    return usage > known ? usage : known;
}

BOOL WINAPI K32GetProcessMemoryInfo(HANDLE Process, PPROCESS_MEMORY_COUNTERS ppsmemCounters,
                                    DWORD cb)
{
    enum { PEAK, NOW, OWN, SWAPPED, TABLES, STATUS };
    struct proc_number of[STATUS] = {
        {"VmHWM:", 0}, {"VmRSS:", 0}, {"RssAnon:", 0}, {"VmSwap:", 0}, {"VmPTE:", 0}};
    struct rusage usage;
    if (!is_us(Process))
        return FALSE;
    if (cb < sizeof *ppsmemCounters)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    if (!win__proc_numbers("/proc/self/status", of, STATUS))
        return win__fail(ERROR_NOT_SUPPORTED);
    getrusage(RUSAGE_SELF, &usage);
    SIZE_T own = of[OWN].value + of[SWAPPED].value;
    *ppsmemCounters = (PROCESS_MEMORY_COUNTERS){
        .cb = sizeof *ppsmemCounters,
        .PageFaultCount = (DWORD)(usage.ru_minflt + usage.ru_majflt),
        .PeakWorkingSetSize = of[PEAK].value > of[NOW].value ? of[PEAK].value : of[NOW].value,
        .WorkingSetSize = of[NOW].value,
        .QuotaPeakPagedPoolUsage = of[TABLES].value,
        .QuotaPagedPoolUsage = of[TABLES].value,
        .PagefileUsage = own,
        .PeakPagefileUsage = peak_of(own)};
    if (cb >= sizeof(PROCESS_MEMORY_COUNTERS_EX)) {
        PROCESS_MEMORY_COUNTERS_EX *more = (PROCESS_MEMORY_COUNTERS_EX *)ppsmemCounters;
        more->cb = sizeof *more;
        more->PrivateUsage = own;
    }
    return TRUE;
}
PSAPI_NAME(BOOL, GetProcessMemoryInfo, HANDLE, PPROCESS_MEMORY_COUNTERS, DWORD);

BOOL WINAPI GetProcessIoCounters(HANDLE hProcess, PIO_COUNTERS lpIoCounters)
{
    enum { READS, WRITES, READ_BYTES, WRITTEN_BYTES, IO };
    struct proc_number of[IO] = {{"syscr:", 0}, {"syscw:", 0}, {"rchar:", 0}, {"wchar:", 0}};
    if (!is_us(hProcess))
        return FALSE;
    if (!win__proc_numbers("/proc/self/io", of, IO))
        return win__fail(ERROR_NOT_SUPPORTED);
    *lpIoCounters = (IO_COUNTERS){.ReadOperationCount = of[READS].value,
                                  .WriteOperationCount = of[WRITES].value,
                                  .ReadTransferCount = of[READ_BYTES].value,
                                  .WriteTransferCount = of[WRITTEN_BYTES].value};
    return TRUE;
}

BOOL WINAPI GetProcessHandleCount(HANDLE hProcess, PDWORD pdwHandleCount)
{
    if (!is_us(hProcess))
        return FALSE;
    *pdwHandleCount = (DWORD)handles_count();
    return TRUE;
}
