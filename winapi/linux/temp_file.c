/* SPDX-License-Identifier: MIT
 *
 * temp_file.c - GetTempPath and GetTempFileName.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "winapi/linux/dos_device.h"
#include "winapi/linux/drive.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/path_steps.h"
#include "winapi/linux/text.h"

enum { TRIES = 0x10000 };

static const char *slash_for(const char *path)
{
    return win__letter_of(path) ? "\\" : "/";
}

DWORD WINAPI GetTempPathA(DWORD nBufferLength, LPSTR lpBuffer)
{
    static const char *const variables[] = {"TMPDIR", "TMP", "TEMP"};
    const char *path = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && (!path || !*path); i++)
        path = secure_getenv(variables[i]); /* a setuid program's caller cannot choose it */
    if (!path || !*path)
        path = "/tmp";
    char *shown = strdup(path), *whole = NULL;
    if (shown && *path == '/')
        shown = win__shown_path(shown, 0);
    bool slash = shown && !win__is_slash(shown[strlen(shown) - 1]);
    if (!shown || asprintf(&whole, "%s%s", shown, slash ? slash_for(shown) : "") < 0)
        whole = NULL;
    free(shown);
    DWORD length = whole ? win__give_text(whole, lpBuffer, nBufferLength)
                         : (DWORD)win__fail(ERROR_NOT_ENOUGH_MEMORY);
    free(whole);
    return length;
}

DWORD WINAPI GetTempPathW(DWORD nBufferLength, LPWSTR lpBuffer)
{
    char path[4096];
    DWORD length = GetTempPathA(sizeof path, path);
    return length < sizeof path ? win__give_wide(path, lpBuffer, nBufferLength)
                                : (DWORD)win__fail(ERROR_FILENAME_EXCED_RANGE);
}

/* Adds a slash to the folder's name, unless it ends with one of either kind. */
static void name_file(char *to, const char *folder, const char *prefix, unsigned number)
{
    size_t length = strlen(folder);
    bool slash = length && !win__is_slash(folder[length - 1]);
    sprintf(to, "%s%s%.3s%X.TMP", folder, slash ? slash_for(folder) : "", prefix ? prefix : "",
            number & 0xFFFF);
    if (!win__letter_of(to))
        win__forward(to);
}

UINT WINAPI GetTempFileNameA(LPCSTR lpPathName, LPCSTR lpPrefixString, UINT uUnique,
                             LPSTR lpTempFileName)
{
    struct timespec now;
    if (!lpPathName || !lpTempFileName)
        return (UINT)win__fail(ERROR_INVALID_PARAMETER);
    if (strlen(lpPathName) > MAX_PATH - 14)
        return (UINT)win__fail(ERROR_BUFFER_OVERFLOW);
    if (uUnique) {
        name_file(lpTempFileName, lpPathName, lpPrefixString, uUnique);
        return uUnique;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned number = (unsigned)(now.tv_nsec >> 10);
    for (int i = 0; i < TRIES; i++, number++) {
        if (!(number & 0xFFFF))
            continue; /* 0 would mean a failure */
        name_file(lpTempFileName, lpPathName, lpPrefixString, number);
        if (win__dos_device(lpTempFileName))
            continue; /* such as the prefix COM with a small number */
        char *path = win__path(lpTempFileName);
        if (!path)
            return 0;
        int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
        int failed = errno;
        free(path);
        errno = failed;
        if (fd >= 0) {
            close(fd);
            return number & 0xFFFF;
        }
        if (errno != EEXIST)
            break;
    }
    DWORD error = errno == EEXIST ? ERROR_FILE_EXISTS : win__error_of(errno);
    DWORD kind = GetFileAttributesA(lpPathName);
    bool folder = kind != INVALID_FILE_ATTRIBUTES && kind & FILE_ATTRIBUTE_DIRECTORY;
    return (UINT)win__fail(folder ? error : ERROR_DIRECTORY);
}

UINT WINAPI GetTempFileNameW(LPCWSTR lpPathName, LPCWSTR lpPrefixString, UINT uUnique,
                             LPWSTR lpTempFileName)
{
    char path[MAX_PATH];
    if (!lpPathName || !lpTempFileName)
        return (UINT)win__fail(ERROR_INVALID_PARAMETER);
    char *folder = win__name(lpPathName);
    char *prefix = folder && lpPrefixString ? win__name(lpPrefixString) : NULL;
    UINT number =
        folder && (prefix || !lpPrefixString) ? GetTempFileNameA(folder, prefix, uUnique, path) : 0;
    free(prefix);
    free(folder);
    if (number)
        win__give_wide(path, lpTempFileName, MAX_PATH);
    return number;
}
