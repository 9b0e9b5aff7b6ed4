/* SPDX-License-Identifier: MIT
 *
 * bad_pointer.c - IsBadReadPtr and its kin. The kernel looks at the memory, so no access faults.
 *
 * The answer may be old at once: another thread may unmap the memory before the caller uses it.
 */
#include "platform/linux/os/copy.h"
#include "winapi/linux/address_space.h"

/* Whether the first byte of the range, and of each page of it, can be read. */
static bool readable(uintptr_t first, size_t bytes)
{
    uintptr_t last = first + bytes - 1;
    char byte;
    if (last < first)
        return false;
    for (uintptr_t at = first; at <= last; at = (at | (PAGE_BYTES - 1)) + 1)
        if (copy_in(&byte, (const void *)at, 1) || (at | (PAGE_BYTES - 1)) == UINTPTR_MAX)
            return false;
    return true;
}

/* Goes by the protection of the pages, as a trial would have to write. */
static bool writable(uintptr_t first, size_t bytes)
{
    enum {
        WRITABLE = PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY
    };
    uintptr_t last = first + bytes - 1;
    MEMORY_BASIC_INFORMATION info;
    if (last < first)
        return false;
    for (uintptr_t at = first; at <= last; at = (uintptr_t)info.BaseAddress + info.RegionSize)
        if (!VirtualQuery((const void *)at, &info, sizeof info) || info.State != MEM_COMMIT ||
            !(info.Protect & WRITABLE))
            return false;
    return true;
}

BOOL WINAPI IsBadReadPtr(LPCVOID lp, UINT_PTR ucb)
{
    return ucb && !readable((uintptr_t)lp, ucb);
}

BOOL WINAPI IsBadHugeReadPtr(LPCVOID lp, UINT_PTR ucb)
{
    return IsBadReadPtr(lp, ucb);
}

BOOL WINAPI IsBadWritePtr(LPVOID lp, UINT_PTR ucb)
{
    return ucb && !writable((uintptr_t)lp, ucb);
}

BOOL WINAPI IsBadHugeWritePtr(LPVOID lp, UINT_PTR ucb)
{
    return IsBadWritePtr(lp, ucb);
}

BOOL WINAPI IsBadCodePtr(FARPROC lpfn)
{
    return !readable((uintptr_t)lpfn, 1);
}

BOOL WINAPI IsBadStringPtrA(LPCSTR lpsz, UINT_PTR ucchMax)
{
    char text = 1;
    for (UINT_PTR i = 0; i < ucchMax && text; i++)
        if (copy_in(&text, lpsz + i, sizeof text))
            return TRUE;
    return FALSE;
}

BOOL WINAPI IsBadStringPtrW(LPCWSTR lpsz, UINT_PTR ucchMax)
{
    WCHAR text = 1;
    for (UINT_PTR i = 0; i < ucchMax && text; i++)
        if (copy_in(&text, lpsz + i, sizeof text))
            return TRUE;
    return FALSE;
}
