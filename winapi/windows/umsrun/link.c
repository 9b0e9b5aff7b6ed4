/* SPDX-License-Identifier: MIT
 *
 * link.c - see link.h.
 */
#include "winapi/windows/umsrun/link.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "winapi/windows/umsrun/pe_link.h"

enum { PATH_CHARS = 32768, PORTION = 1 << 20 };

typedef const char *(*rewriter)(const uint8_t *, size_t, struct pe_linked *);

static const char *rewrite_link(const uint8_t *bytes, size_t size, struct pe_linked *to)
{
    return pe_link(bytes, size, "umsshim.dll", "ExecuteUmsThread", to);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static const char *read_open(HANDLE file, uint8_t **bytes, size_t *size)
{
    LARGE_INTEGER length;
    if (!GetFileSizeEx(file, &length))
        return "cannot be read";
    if (length.QuadPart > INT32_MAX) {
        SetLastError(0);
        return "is too large";
    }
    *size = (size_t)length.QuadPart;
    *bytes = malloc(*size + 1);
    if (!*bytes) {
        SetLastError(0);
        return "takes more memory than there is";
    }
    for (size_t done = 0; done < *size;) {
        DWORD part = *size - done < PORTION ? (DWORD)(*size - done) : PORTION, got = 0;
        if (!ReadFile(file, *bytes + done, part, &got, NULL) || !got)
            return "cannot be read";
        done += got;
    }
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static bool write_all(HANDLE file, const struct pe_linked *from)
{
    for (size_t done = 0; done < from->size;) {
        DWORD part = from->size - done < PORTION ? (DWORD)(from->size - done) : PORTION, put = 0;
        if (!WriteFile(file, from->bytes + done, part, &put, NULL))
            return false;
        if (!put) {
            SetLastError(ERROR_DISK_FULL);
            return false;
        }
        done += put;
    }
    return FlushFileBuffers(file);
}

/* Writes a new file. The name was free before; MoveFileEx checks that again, and replaces
 * nothing. */
static const char *write_new(const wchar_t *path, const struct pe_linked *from)
{
    static wchar_t beside[PATH_CHARS];
    if (_snwprintf(beside, PATH_CHARS - 1, L"%ls.%lu.tmp", path, GetCurrentProcessId()) < 0) {
        SetLastError(ERROR_FILENAME_EXCED_RANGE);
        return "cannot be written";
    }
    HANDLE file =
        CreateFileW(beside, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return "cannot be written";
    bool whole = write_all(file, from);
    DWORD error = GetLastError();
    if (!CloseHandle(file) && whole) {
        whole = false;
        error = GetLastError();
    }
    if (whole && MoveFileExW(beside, path, MOVEFILE_WRITE_THROUGH))
        return NULL;
    if (whole)
        error = GetLastError();
    DeleteFileW(beside);
    SetLastError(error);
    return error == ERROR_ALREADY_EXISTS || error == ERROR_FILE_EXISTS ? "is there already"
                                                                       : "cannot be written";
}

/* ---- Files in, a file out -------------------------------------------------------------------- */

static bool is_same_file(HANDLE file, const wchar_t *path)
{
    BY_HANDLE_FILE_INFORMATION a, b;
    HANDLE other = CreateFileW(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                               NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    bool same = other != INVALID_HANDLE_VALUE && GetFileInformationByHandle(file, &a) &&
                GetFileInformationByHandle(other, &b) &&
                a.dwVolumeSerialNumber == b.dwVolumeSerialNumber &&
                a.nFileIndexHigh == b.nFileIndexHigh && a.nFileIndexLow == b.nFileIndexLow;
    if (other != INVALID_HANDLE_VALUE)
        CloseHandle(other);
    return same;
}

static const char *convert(const wchar_t *from, const wchar_t *to, rewriter rewrite,
                           struct link_result *result)
{
    struct pe_linked linked = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    *result = (struct link_result){.about = from};
    HANDLE file = CreateFileW(from, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    const char *why = "cannot be opened";
    if (file != INVALID_HANDLE_VALUE)
        why = read_open(file, &bytes, &size);
    if (why) {
        result->error = GetLastError();
    } else if (is_same_file(file, to)) {
        why = "is the file that it would be made of: give the new one another name";
        result->about = to;
    } else if (GetFileAttributesW(to) != INVALID_FILE_ATTRIBUTES) {
        why = "is there already";
        result->about = to;
    } else {
        why = rewrite(bytes, size, &linked);
    }
    if (!why) {
        SetConsoleCtrlHandler(NULL, TRUE); /* Ctrl-C must not leave a part of the file behind */
        why = write_new(to, &linked);
        result->about = to;
        result->error = why ? GetLastError() : 0;
        result->notes = linked.notes;
        SetConsoleCtrlHandler(NULL, FALSE);
    }
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    free(linked.bytes);
    free(bytes);
    return why;
}

const char *link_program(const wchar_t *from, const wchar_t *to, struct link_result *result)
{
    return convert(from, to, rewrite_link, result);
}

const char *unlink_program(const wchar_t *from, const wchar_t *to, struct link_result *result)
{
    return convert(from, to, pe_unlink, result);
}
