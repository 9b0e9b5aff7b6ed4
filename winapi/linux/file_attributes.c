/* SPDX-License-Identifier: MIT
 *
 * file_attributes.c - attributes and times of files, by path and by handle.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file_facts.h"
#include "winapi/linux/file_path.h"

/* Gets the facts of a path. FALSE with the last error. */
static BOOL facts_for(LPCSTR name, struct file_facts *facts)
{
    char *path = win__plain_path(name);
    if (!path)
        return FALSE;
    DWORD error = win__facts_at(path, facts) ? ERROR_SUCCESS : win__open_error(path);
    free(path);
    return error ? win__fail(error) : TRUE;
}

DWORD WINAPI GetFileAttributesA(LPCSTR lpFileName)
{
    struct file_facts facts;
    return facts_for(lpFileName, &facts) ? facts.attributes : INVALID_FILE_ATTRIBUTES;
}

DWORD WINAPI GetFileAttributesW(LPCWSTR lpFileName)
{
    char *name = win__name(lpFileName);
    DWORD attributes = name ? GetFileAttributesA(name) : INVALID_FILE_ATTRIBUTES;
    free(name);
    return attributes;
}

BOOL WINAPI GetFileAttributesExA(LPCSTR lpFileName, GET_FILEEX_INFO_LEVELS fInfoLevelId,
                                 LPVOID lpFileInformation)
{
    struct file_facts facts;
    WIN32_FILE_ATTRIBUTE_DATA *data = lpFileInformation;
    if (fInfoLevelId != GetFileExInfoStandard || !data)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!facts_for(lpFileName, &facts))
        return FALSE;
    bool folder = facts.attributes & FILE_ATTRIBUTE_DIRECTORY;
    data->dwFileAttributes = facts.attributes;
    data->ftCreationTime = facts.created;
    data->ftLastAccessTime = facts.accessed;
    data->ftLastWriteTime = facts.written;
    data->nFileSizeHigh = folder ? 0 : (DWORD)(facts.status.stx_size >> 32);
    data->nFileSizeLow = folder ? 0 : (DWORD)facts.status.stx_size;
    return TRUE;
}

BOOL WINAPI GetFileAttributesExW(LPCWSTR lpFileName, GET_FILEEX_INFO_LEVELS fInfoLevelId,
                                 LPVOID lpFileInformation)
{
    char *name = win__name(lpFileName);
    BOOL done = name && GetFileAttributesExA(name, fInfoLevelId, lpFileInformation);
    free(name);
    return done;
}

BOOL WINAPI SetFileAttributesA(LPCSTR lpFileName, DWORD dwFileAttributes)
{
    char *path = win__plain_path(lpFileName);
    if (!path)
        return FALSE;
    DWORD error = win__set_attributes(path, dwFileAttributes);
    free(path);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI SetFileAttributesW(LPCWSTR lpFileName, DWORD dwFileAttributes)
{
    char *name = win__name(lpFileName);
    BOOL done = name && SetFileAttributesA(name, dwFileAttributes);
    free(name);
    return done;
}

DWORD WINAPI GetCompressedFileSizeA(LPCSTR lpFileName, LPDWORD lpFileSizeHigh)
{
    struct file_facts facts;
    if (!facts_for(lpFileName, &facts))
        return INVALID_FILE_SIZE;
    uint64_t bytes = facts.status.stx_blocks * 512;
    if (lpFileSizeHigh)
        *lpFileSizeHigh = (DWORD)(bytes >> 32);
    plat_set_last_error(ERROR_SUCCESS); /* the low half may be 0xFFFFFFFF, as for an error */
    return (DWORD)bytes;
}

DWORD WINAPI GetCompressedFileSizeW(LPCWSTR lpFileName, LPDWORD lpFileSizeHigh)
{
    char *name = win__name(lpFileName);
    DWORD size = name ? GetCompressedFileSizeA(name, lpFileSizeHigh) : INVALID_FILE_SIZE;
    free(name);
    return size;
}

/* ---- Times --------------------------------------------------------------------------------- */

BOOL WINAPI GetFileTime(HANDLE hFile, LPFILETIME lpCreationTime, LPFILETIME lpLastAccessTime,
                        LPFILETIME lpLastWriteTime)
{
    struct file_facts facts;
    struct file *file = win__file(hFile);
    if (!file)
        return FALSE;
    DWORD error = win__facts_of(file->fd, &facts) ? ERROR_SUCCESS : win__error_of(errno);
    object_drop(&file->object);
    if (error)
        return win__fail(error);
    if (lpCreationTime)
        *lpCreationTime = facts.created;
    if (lpLastAccessTime)
        *lpLastAccessTime = facts.accessed;
    if (lpLastWriteTime)
        *lpLastWriteTime = facts.written;
    return TRUE;
}

/* The file system sets the time of creation; no call can change it. */
BOOL WINAPI SetFileTime(HANDLE hFile, const FILETIME *lpCreationTime,
                        const FILETIME *lpLastAccessTime, const FILETIME *lpLastWriteTime)
{
    (void)lpCreationTime;
    struct file *file = win__file_for(hFile, FILE_MAY_SET);
    if (!file)
        return FALSE;
    struct timespec times[] = {win__utime(lpLastAccessTime), win__utime(lpLastWriteTime)};
    char path[PROC_PATH];
    win__proc_path(path, file->fd); /* by path, as the descriptor may be an O_PATH one */
    DWORD error = utimensat(AT_FDCWD, path, times, 0) ? win__error_of(errno) : ERROR_SUCCESS;
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}
