/* SPDX-License-Identifier: MIT
 *
 * open_file.c - the calls of 16-bit Windows that 64-bit Windows still has: OpenFile, _lopen and
 * their kin. They have handles as int.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file_path.h"

static HFILE small(HANDLE file)
{
    return file == INVALID_HANDLE_VALUE ? HFILE_ERROR : (HFILE)(LONG_PTR)file;
}

static HANDLE large(HFILE file)
{
    return (HANDLE)(LONG_PTR)file;
}

static DWORD access_of(UINT mode)
{
    static const DWORD access[] = {GENERIC_READ, GENERIC_WRITE, GENERIC_READ | GENERIC_WRITE, 0};
    return access[mode & 3];
}

/* OF_SHARE_COMPAT, which is none of the others, lets all others use the file. */
static DWORD shares_of(UINT mode)
{
    switch (mode & 0x70) {
    case OF_SHARE_EXCLUSIVE:
        return 0;
    case OF_SHARE_DENY_WRITE:
        return FILE_SHARE_READ;
    case OF_SHARE_DENY_READ:
        return FILE_SHARE_WRITE;
    default:
        return FILE_SHARE_READ | FILE_SHARE_WRITE;
    }
}

HFILE WINAPI _lopen(LPCSTR lpPathName, INT iReadWrite)
{
    return small(CreateFileA(lpPathName, access_of((UINT)iReadWrite), shares_of((UINT)iReadWrite),
                             NULL, OPEN_EXISTING, 0, NULL));
}

HFILE WINAPI _lcreat(LPCSTR lpPathName, INT iAttribute)
{
    return small(CreateFileA(lpPathName, GENERIC_READ | GENERIC_WRITE,
                             FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, CREATE_ALWAYS,
                             (DWORD)iAttribute & 7, NULL));
}

UINT WINAPI _lread(HFILE hFile, LPVOID lpBuffer, UINT uBytes)
{
    DWORD got = 0;
    return ReadFile(large(hFile), lpBuffer, uBytes, &got, NULL) ? got : (UINT)HFILE_ERROR;
}

/* To write no bytes sets the end of the file at its position. */
UINT WINAPI _lwrite(HFILE hFile, LPCSTR lpBuffer, UINT uBytes)
{
    DWORD put = 0;
    if (!uBytes)
        return SetEndOfFile(large(hFile)) ? 0 : (UINT)HFILE_ERROR;
    return WriteFile(large(hFile), lpBuffer, uBytes, &put, NULL) ? put : (UINT)HFILE_ERROR;
}

LONG WINAPI _hread(HFILE hFile, LPVOID lpBuffer, LONG lBytes)
{
    return (LONG)_lread(hFile, lpBuffer, (UINT)lBytes);
}

LONG WINAPI _hwrite(HFILE hFile, LPCSTR lpBuffer, LONG lBytes)
{
    return (LONG)_lwrite(hFile, lpBuffer, (UINT)lBytes);
}

LONG WINAPI _llseek(HFILE hFile, LONG lOffset, INT iOrigin)
{
    return (LONG)SetFilePointer(large(hFile), lOffset, NULL, (DWORD)iOrigin);
}

HFILE WINAPI _lclose(HFILE hFile)
{
    return CloseHandle(large(hFile)) ? 0 : HFILE_ERROR;
}

/* ---- OpenFile ------------------------------------------------------------------------------ */

static HFILE refuse(OFSTRUCT *about, DWORD error)
{
    about->nErrCode = (WORD)error;
    win__fail(error);
    return HFILE_ERROR;
}

static HFILE opened(HANDLE file, UINT style, OFSTRUCT *about)
{
    if (file == INVALID_HANDLE_VALUE)
        return refuse(about, GetLastError());
    if (!(style & OF_EXIST))
        return small(file);
    CloseHandle(file);
    return 1; /* the file exists */
}

HFILE WINAPI OpenFile(LPCSTR lpFileName, OFSTRUCT *lpReOpenBuff, UINT uStyle)
{
    char path[OFS_MAXPATHNAME];
    if (!lpReOpenBuff) {
        win__fail(ERROR_INVALID_PARAMETER);
        return HFILE_ERROR;
    }
    memset(lpReOpenBuff, 0, sizeof *lpReOpenBuff);
    lpReOpenBuff->cBytes = sizeof *lpReOpenBuff;
    bool searches = !(uStyle & (OF_CREATE | OF_PARSE));
    DWORD length = searches ? SearchPathA(NULL, lpFileName, NULL, sizeof path, path, NULL)
                            : GetFullPathNameA(lpFileName, sizeof path, path, NULL);
    if (!length || length >= sizeof path)
        return refuse(lpReOpenBuff, length ? ERROR_FILENAME_EXCED_RANGE : GetLastError());
    strcpy(lpReOpenBuff->szPathName, path);
    if (uStyle & OF_PARSE)
        return 0;
    if (uStyle & OF_DELETE)
        return DeleteFileA(path) ? 1 : refuse(lpReOpenBuff, GetLastError());
    return opened(CreateFileA(path, access_of(uStyle), shares_of(uStyle), NULL,
                              uStyle & OF_CREATE ? CREATE_ALWAYS : OPEN_EXISTING, 0, NULL),
                  uStyle, lpReOpenBuff);
}
