/* SPDX-License-Identifier: MIT
 *
 * crt_find.c - _findfirst and its kin, which search a folder.
 */
#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include "winapi/include/io.h"
#pragma GCC visibility pop

#include <errno.h>
#include <string.h>

#include "winapi/linux/surface.h"

static __time64_t seconds(FILETIME time)
{
    uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return ticks ? (__time64_t)(ticks / 10000000) - 11644473600 : -1;
}

static void tell(struct _finddata_t *to, const WIN32_FIND_DATAA *found)
{
    to->attrib =
        found->dwFileAttributes == FILE_ATTRIBUTE_NORMAL ? _A_NORMAL : found->dwFileAttributes;
    to->time_create = seconds(found->ftCreationTime);
    to->time_access = seconds(found->ftLastAccessTime);
    to->time_write = seconds(found->ftLastWriteTime);
    to->size = (int64_t)((uint64_t)found->nFileSizeHigh << 32 | found->nFileSizeLow);
    strcpy(to->name, found->cFileName);
}

static int fail(void)
{
    switch (GetLastError()) {
    case ERROR_NOT_ENOUGH_MEMORY:
        errno = ENOMEM;
        break;
    case ERROR_INVALID_HANDLE:
    case ERROR_INVALID_NAME:
        errno = EINVAL;
        break;
    default:
        errno = ENOENT;
    }
    return -1;
}

intptr_t _findfirst(const char *pattern, struct _finddata_t *to)
{
    WIN32_FIND_DATAA found;
    if (!pattern || !to) {
        errno = EINVAL;
        return -1;
    }
    HANDLE search = FindFirstFileA(pattern, &found);
    if (search == INVALID_HANDLE_VALUE)
        return fail();
    tell(to, &found);
    return (intptr_t)search;
}

int _findnext(intptr_t search, struct _finddata_t *to)
{
    WIN32_FIND_DATAA found;
    if (!FindNextFileA((HANDLE)search, &found))
        return fail();
    tell(to, &found);
    return 0;
}

int _findclose(intptr_t search)
{
    return FindClose((HANDLE)search) ? 0 : fail();
}
