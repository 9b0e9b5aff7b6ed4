/* SPDX-License-Identifier: MIT
 *
 * full_path.c - GetFullPathName, GetLongPathName, GetShortPathName, SearchPath.
 *
 * Linux has no short names (8.3): the long name of a file is its only one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "winapi/linux/dos_device.h"
#include "winapi/linux/drive.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/path_steps.h"
#include "winapi/linux/text.h"

/* The full path of a name. A device has no folder: NUL becomes \\.\NUL, as on Windows. */
static char *full_path_of(LPCSTR name)
{
    char *path;
    if (!name || !*name) {
        win__fail(ERROR_INVALID_NAME);
        return NULL;
    }
    if (!win__dos_device(name))
        return win__shown_path(win__full_path(name), win__letter_of(name));
    const char *last = win__last_step(name);
    if (asprintf(&path, "\\\\.\\%.*s", (int)strcspn(last, ".: "), last) >= 0)
        return path;
    win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return NULL;
}

DWORD WINAPI GetFullPathNameA(LPCSTR lpFileName, DWORD nBufferLength, LPSTR lpBuffer,
                              LPSTR *lpFilePart)
{
    char *path = full_path_of(lpFileName);
    if (!path)
        return 0;
    DWORD length = win__give_text(path, lpBuffer, nBufferLength);
    if (lpFilePart && length < nBufferLength && lpBuffer) {
        char *last = (char *)win__last_step(lpBuffer);
        *lpFilePart = *last ? last : NULL;
    }
    free(path);
    return length;
}

static WCHAR *last_step(WCHAR *path, DWORD length)
{
    WCHAR *last = path + length;
    while (last > path && last[-1] != '/' && last[-1] != '\\')
        last--;
    return last;
}

DWORD WINAPI GetFullPathNameW(LPCWSTR lpFileName, DWORD nBufferLength, LPWSTR lpBuffer,
                              LPWSTR *lpFilePart)
{
    char *name = lpFileName ? win__name(lpFileName) : NULL;
    if (lpFileName && !name)
        return 0;
    char *path = full_path_of(name);
    free(name);
    if (!path)
        return 0;
    DWORD length = win__give_wide(path, lpBuffer, nBufferLength);
    free(path);
    if (lpFilePart && length && length < nBufferLength && lpBuffer) {
        WCHAR *last = last_step(lpBuffer, length);
        *lpFilePart = *last ? last : NULL;
    }
    return length;
}

/* The path of a file that exists, as the program gave it, or on a drive. */
static char *existing(LPCSTR name)
{
    struct stat status;
    char *path = win__plain_path(name);
    if (path && lstat(path, &status)) {
        win__fail(win__open_error(path));
        free(path);
        path = NULL;
    }
    return path && *path == '/' ? win__shown_path(path, win__letter_of(name)) : path;
}

static DWORD give_existing(LPCSTR name, LPSTR buffer, DWORD size)
{
    char *path = existing(name);
    DWORD length = path ? win__give_text(path, buffer, size) : 0;
    free(path);
    return length;
}

static DWORD give_existing_w(LPCWSTR name, LPWSTR buffer, DWORD size)
{
    char *narrow = win__name(name), *path = narrow ? existing(narrow) : NULL;
    DWORD length = path ? win__give_wide(path, buffer, size) : 0;
    free(path);
    free(narrow);
    return length;
}

DWORD WINAPI GetLongPathNameA(LPCSTR lpszShortPath, LPSTR lpszLongPath, DWORD cchBuffer)
{
    return give_existing(lpszShortPath, lpszLongPath, cchBuffer);
}

DWORD WINAPI GetLongPathNameW(LPCWSTR lpszShortPath, LPWSTR lpszLongPath, DWORD cchBuffer)
{
    return give_existing_w(lpszShortPath, lpszLongPath, cchBuffer);
}

DWORD WINAPI GetShortPathNameA(LPCSTR lpszLongPath, LPSTR lpszShortPath, DWORD cchBuffer)
{
    return give_existing(lpszLongPath, lpszShortPath, cchBuffer);
}

DWORD WINAPI GetShortPathNameW(LPCWSTR lpszLongPath, LPWSTR lpszShortPath, DWORD cchBuffer)
{
    return give_existing_w(lpszLongPath, lpszShortPath, cchBuffer);
}

/* ---- SearchPath ---------------------------------------------------------------------------- */

/* The file's path in this folder, if it exists, in malloc's memory. */
static char *in_folder(const char *folder, size_t length, const char *name, const char *extension)
{
    struct stat status;
    char *path, *full = NULL;
    if (asprintf(&path, "%.*s%s%s%s", (int)length, folder, length ? "/" : "", name, extension) < 0)
        return NULL;
    char *file = win__path(path);
    if (file && !stat(file, &status))
        full = win__full_path(path);
    free(file);
    free(path);
    return full;
}

/* Searches a list of folders. A ; divides them as on Windows, or a : as in PATH, unless it is a
 * drive's. */
static char *in_list(const char *list, const char *name, const char *extension)
{
    char *found = NULL;
    for (const char *at = list; at && *at && !found;) {
        size_t drive = win__letter_of(at) && win__is_slash(at[2]) ? 2 : 0;
        size_t length = drive + strcspn(at + drive, ";:");
        if (length)
            found = in_folder(at, length, name, extension);
        at += length + (at[length] != 0);
    }
    return found;
}

static char *beside_the_program(const char *name, const char *extension)
{
    char program[4096];
    DWORD length = GetModuleFileNameA(NULL, program, sizeof program);
    while (length && !win__is_slash(program[length - 1]))
        length--;
    return length ? in_folder(program, length - 1, name, extension) : NULL;
}

static char *search(LPCSTR list, const char *name, LPCSTR wanted_extension)
{
    const char *extension =
        wanted_extension && !strchr(win__last_step(name), '.') ? wanted_extension : "";
    if (*name == '/')
        return in_folder("", 0, name, extension);
    char *found;
    if (list) {
        found = in_list(list, name, extension);
    } else {
        found = beside_the_program(name, extension);
        if (!found)
            found = in_folder("", 0, name, extension);
        if (!found)
            found = in_list(getenv("PATH"), name, extension);
    }
    return found;
}

/* The path of the file that is found, as the program sees it. */
static char *searched(LPCSTR list, LPCSTR name, LPCSTR extension)
{
    if (!name || !*name) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    char *path = win__plain_path(name), *found = path ? search(list, path, extension) : NULL;
    if (path && !found)
        win__fail(ERROR_FILE_NOT_FOUND);
    free(path);
    return win__shown_path(found, win__letter_of(name));
}

DWORD WINAPI SearchPathA(LPCSTR lpPath, LPCSTR lpFileName, LPCSTR lpExtension, DWORD nBufferLength,
                         LPSTR lpBuffer, LPSTR *lpFilePart)
{
    char *found = searched(lpPath, lpFileName, lpExtension);
    if (!found)
        return 0;
    DWORD length = win__give_text(found, lpBuffer, nBufferLength);
    if (lpFilePart && length < nBufferLength && lpBuffer)
        *lpFilePart = (char *)win__last_step(lpBuffer);
    free(found);
    return length;
}

DWORD WINAPI SearchPathW(LPCWSTR lpPath, LPCWSTR lpFileName, LPCWSTR lpExtension,
                         DWORD nBufferLength, LPWSTR lpBuffer, LPWSTR *lpFilePart)
{
    char *list = lpPath ? win__name(lpPath) : NULL,
         *name = lpFileName ? win__name(lpFileName) : NULL;
    char *extension = lpExtension ? win__name(lpExtension) : NULL;
    bool complete = (!lpPath || list) && (!lpFileName || name) && (!lpExtension || extension);
    char *found = complete ? searched(list, name, extension) : NULL;
    free(list);
    free(name);
    free(extension);
    if (!found)
        return 0;
    DWORD length = win__give_wide(found, lpBuffer, nBufferLength);
    free(found);
    if (lpFilePart && length && length < nBufferLength && lpBuffer)
        *lpFilePart = last_step(lpBuffer, length);
    return length;
}
