/* SPDX-License-Identifier: MIT
 *
 * process_affinity.c - the processors that the process may use, and a thread's ideal processor.
 *
 * Linux has no mask of a process. SetProcessAffinityMask sets the mask of each thread of the
 * program that had the process's mask before, of schedulers, and of later threads. A thread with a
 * mask of its own keeps that. Engine threads stay as they are: carriers follow their scheduler.
 */
#include "platform/linux/os/affinity.h"
#include "winapi/linux/processors.h"
#include "winapi/linux/surface.h"

BOOL WINAPI GetProcessAffinityMask(HANDLE hProcess, PDWORD_PTR lpProcessAffinityMask,
                                   PDWORD_PTR lpSystemAffinityMask)
{
    if (hProcess != GetCurrentProcess())
        return win__fail(ERROR_INVALID_HANDLE);
    *lpProcessAffinityMask = win__mask_of(affinity_of_process());
    *lpSystemAffinityMask = win__system_mask();
    return TRUE;
}

BOOL WINAPI SetProcessAffinityMask(HANDLE hProcess, DWORD_PTR dwProcessAffinityMask)
{
    if (hProcess != GetCurrentProcess())
        return win__fail(ERROR_INVALID_HANDLE);
    if (!dwProcessAffinityMask || dwProcessAffinityMask & ~win__system_mask())
        return win__fail(ERROR_INVALID_PARAMETER);
    cpu_set_t now;
    CPU_ZERO(&now);
    for (int cpu = 0; cpu < 64; cpu++)
        if (dwProcessAffinityMask >> cpu & 1)
            CPU_SET(cpu, &now);
    return threads_change_affinity(&now) ? win__fail(ERROR_NOT_ENOUGH_MEMORY) : TRUE;
}

/* ---- Ideal processors: remembered, without effect ------------------------------------------ */

DWORD WINAPI SetThreadIdealProcessor(HANDLE hThread, DWORD dwIdealProcessor)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return (DWORD)-1;
    bool keep = dwIdealProcessor == MAXIMUM_PROCESSORS;
    bool known = keep || dwIdealProcessor < GetMaximumProcessorCount(0);
    DWORD before = known ? thread->ideal_processor : (DWORD)-1;
    if (known && !keep)
        thread->ideal_processor = dwIdealProcessor;
    object_drop(&thread->object);
    if (!known)
        win__fail(ERROR_INVALID_PARAMETER);
    return before;
}

BOOL WINAPI SetThreadIdealProcessorEx(HANDLE hThread, PPROCESSOR_NUMBER lpIdealProcessor,
                                      PPROCESSOR_NUMBER lpPreviousIdealProcessor)
{
    if (!lpIdealProcessor || lpIdealProcessor->Group || lpIdealProcessor->Number >= 64 ||
        lpIdealProcessor->Reserved)
        return win__fail(ERROR_INVALID_PARAMETER);
    DWORD before = SetThreadIdealProcessor(hThread, lpIdealProcessor->Number);
    if (before == (DWORD)-1)
        return FALSE;
    if (lpPreviousIdealProcessor)
        *lpPreviousIdealProcessor = (PROCESSOR_NUMBER){.Number = (BYTE)before};
    return TRUE;
}

BOOL WINAPI GetThreadIdealProcessorEx(HANDLE hThread, PPROCESSOR_NUMBER lpIdealProcessor)
{
    if (!lpIdealProcessor)
        return win__fail(ERROR_INVALID_PARAMETER);
    DWORD now = SetThreadIdealProcessor(hThread, MAXIMUM_PROCESSORS);
    if (now == (DWORD)-1)
        return FALSE;
    *lpIdealProcessor = (PROCESSOR_NUMBER){.Number = (BYTE)now};
    return TRUE;
}
