/* SPDX-License-Identifier: MIT
 *
 * directory.c - makes and removes folders, and sets the current one, which the whole process shares
 * as on Windows.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/drive.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_facts.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/text.h"

BOOL WINAPI CreateDirectoryA(LPCSTR lpPathName, LPSECURITY_ATTRIBUTES lpSecurityAttributes)
{
    (void)lpSecurityAttributes;
    char *path = win__plain_path(lpPathName);
    if (!path)
        return FALSE;
    DWORD error = ERROR_SUCCESS;
    if (mkdir(path, 0777)) /* ENOENT is a folder on the way that is absent */
        error = errno == ENOENT ? ERROR_PATH_NOT_FOUND : win__error_of(errno);
    free(path);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI CreateDirectoryW(LPCWSTR lpPathName, LPSECURITY_ATTRIBUTES lpSecurityAttributes)
{
    char *name = win__name(lpPathName);
    BOOL done = name && CreateDirectoryA(name, lpSecurityAttributes);
    free(name);
    return done;
}

BOOL WINAPI CreateDirectoryExA(LPCSTR lpTemplateDirectory, LPCSTR lpNewDirectory,
                               LPSECURITY_ATTRIBUTES lpSecurityAttributes)
{
    DWORD attributes = GetFileAttributesA(lpTemplateDirectory);
    if (attributes == INVALID_FILE_ATTRIBUTES)
        return FALSE;
    if (!(attributes & FILE_ATTRIBUTE_DIRECTORY))
        return win__fail(ERROR_DIRECTORY);
    if (!CreateDirectoryA(lpNewDirectory, lpSecurityAttributes))
        return FALSE;
    if (SetFileAttributesA(lpNewDirectory, attributes))
        return TRUE;
    DWORD error = GetLastError();
    RemoveDirectoryA(lpNewDirectory);
    return win__fail(error);
}

BOOL WINAPI CreateDirectoryExW(LPCWSTR lpTemplateDirectory, LPCWSTR lpNewDirectory,
                               LPSECURITY_ATTRIBUTES lpSecurityAttributes)
{
    char *template = win__name(lpTemplateDirectory);
    char *name = template ? win__name(lpNewDirectory) : NULL;
    BOOL done = name && CreateDirectoryExA(template, name, lpSecurityAttributes);
    free(name);
    free(template);
    return done;
}

/* Removes a folder, or a link to a folder; then the folder stays. */
static DWORD remove_folder(const char *path)
{
    struct stat status, target;
    if (lstat(path, &status))
        return win__open_error(path);
    bool link = S_ISLNK(status.st_mode) && !stat(path, &target) && S_ISDIR(target.st_mode);
    if (!link && !S_ISDIR(status.st_mode))
        return ERROR_DIRECTORY;
    return (link ? unlink(path) : rmdir(path)) ? win__error_of(errno) : ERROR_SUCCESS;
}

BOOL WINAPI RemoveDirectoryA(LPCSTR lpPathName)
{
    char *path = win__plain_path(lpPathName);
    if (!path)
        return FALSE;
    DWORD error = remove_folder(path);
    free(path);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI RemoveDirectoryW(LPCWSTR lpPathName)
{
    return win__by_name(RemoveDirectoryA, lpPathName);
}

/* ---- The current one ----------------------------------------------------------------------- */

BOOL WINAPI SetCurrentDirectoryA(LPCSTR lpPathName)
{
    char *path = win__plain_path(lpPathName);
    if (!path)
        return FALSE;
    struct stat status;
    DWORD error = ERROR_SUCCESS;
    if (chdir(path)) {
        error = win__open_error(path);
        if (!stat(path, &status) && !S_ISDIR(status.st_mode))
            error = ERROR_DIRECTORY;
    }
    free(path);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI SetCurrentDirectoryW(LPCWSTR lpPathName)
{
    return win__by_name(SetCurrentDirectoryA, lpPathName);
}

/* The current folder, in malloc's memory; NULL with the last error. */
static char *current(void)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        win__fail_errno();
    return win__shown_path(folder, 0);
}

DWORD WINAPI GetCurrentDirectoryA(DWORD nBufferLength, LPSTR lpBuffer)
{
    char *folder = current();
    if (!folder)
        return 0;
    DWORD length = win__give_text(folder, lpBuffer, nBufferLength);
    free(folder);
    return length;
}

DWORD WINAPI GetCurrentDirectoryW(DWORD nBufferLength, LPWSTR lpBuffer)
{
    char *folder = current();
    if (!folder)
        return 0;
    DWORD length = win__give_wide(folder, lpBuffer, nBufferLength);
    free(folder);
    return length;
}
