/* SPDX-License-Identifier: MIT
 *
 * working_set.c - the working set's sizes. On Windows the minimum limits the memory that the
 * process may lock.
 *
 * The library only remembers the sizes. If the minimum is larger than the limit of locked memory
 * (RLIMIT_MEMLOCK), the call raises that limit for VirtualLock.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "winapi/linux/address_space.h"
#include "winapi/linux/process_counters.h"

enum { LEAST = 20, FIRST_MINIMUM = 50, FIRST_MAXIMUM = 345 }; /* pages */

static _Atomic SIZE_T minimum = FIRST_MINIMUM * 4096, maximum = FIRST_MAXIMUM * 4096;

static bool is_us(HANDLE process)
{
    return win__this_process(process) || win__fail(ERROR_INVALID_HANDLE);
}

static bool may_lock(SIZE_T bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur >= bytes)
        return true;
    if (limit.rlim_max < bytes && limit.rlim_max != RLIM_INFINITY)
        return false;
    limit.rlim_cur = bytes;
    return setrlimit(RLIMIT_MEMLOCK, &limit) == 0;
}

BOOL WINAPI GetProcessWorkingSetSizeEx(HANDLE hProcess, SIZE_T *lpMinimumWorkingSetSize,
                                       SIZE_T *lpMaximumWorkingSetSize, DWORD *Flags)
{
    if (!is_us(hProcess))
        return FALSE;
    if (!lpMinimumWorkingSetSize || !lpMaximumWorkingSetSize || !Flags)
        return win__fail(ERROR_NOACCESS);
    *lpMinimumWorkingSetSize = minimum;
    *lpMaximumWorkingSetSize = maximum;
    *Flags = QUOTA_LIMITS_HARDWS_MIN_DISABLE | QUOTA_LIMITS_HARDWS_MAX_DISABLE;
    return TRUE;
}

BOOL WINAPI GetProcessWorkingSetSize(HANDLE hProcess, PSIZE_T lpMinimumWorkingSetSize,
                                     PSIZE_T lpMaximumWorkingSetSize)
{
    DWORD flags;
    return GetProcessWorkingSetSizeEx(hProcess, lpMinimumWorkingSetSize, lpMaximumWorkingSetSize,
                                      &flags);
}

BOOL WINAPI SetProcessWorkingSetSize(HANDLE hProcess, SIZE_T dwMinimumWorkingSetSize,
                                     SIZE_T dwMaximumWorkingSetSize)
{
    SIZE_T least = LEAST * PAGE_BYTES;
    if (!is_us(hProcess))
        return FALSE;
    if (dwMinimumWorkingSetSize == (SIZE_T)-1 && dwMaximumWorkingSetSize == (SIZE_T)-1)
        return TRUE; /* the kernel takes pages away when it needs them */
    if (dwMinimumWorkingSetSize < least)
        dwMinimumWorkingSetSize = least;
    if (!dwMaximumWorkingSetSize || dwMinimumWorkingSetSize >= dwMaximumWorkingSetSize)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!may_lock(dwMinimumWorkingSetSize))
        return win__fail(ERROR_PRIVILEGE_NOT_HELD);
    minimum = dwMinimumWorkingSetSize;
    maximum = dwMaximumWorkingSetSize;
    return TRUE;
}

/* Hard limits are refused: only the system's administrator sets them (control groups). */
BOOL WINAPI SetProcessWorkingSetSizeEx(HANDLE hProcess, SIZE_T dwMinimumWorkingSetSize,
                                       SIZE_T dwMaximumWorkingSetSize, DWORD Flags)
{
    if (Flags & (QUOTA_LIMITS_HARDWS_MIN_ENABLE | QUOTA_LIMITS_HARDWS_MAX_ENABLE))
        return is_us(hProcess) ? win__fail(ERROR_NOT_SUPPORTED) : FALSE;
    return SetProcessWorkingSetSize(hProcess, dwMinimumWorkingSetSize, dwMaximumWorkingSetSize);
}
