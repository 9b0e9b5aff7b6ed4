/* SPDX-License-Identifier: MIT
 *
 * file_open.c - CreateFile, DeleteFile, CreatePipe: where files come from and go to.
 *
 * A path is the system's, with backslashes for slashes if the program likes; there are no drives.
 * NUL, CONIN$ and CONOUT$ are known. Share modes are not enforced, and FILE_FLAG_OVERLAPPED is
 * refused with ERROR_NOT_SUPPORTED: what cannot be asynchronous must not look as if it were.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file.h"
#include "winapi/linux/text.h"

static const struct {
    const char *name, *path;
    unsigned access;
} devices[] = {
    {"NUL", "/dev/null", 0},
    {"CONIN$", "/dev/tty", FILE_IS_CONSOLE_INPUT},
    {"CONOUT$", "/dev/tty", 0},
};

/* The system's path for a name, in memory of its own. */
static char *path_of(const char *name, unsigned *access)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (!strcasecmp(name, devices[i].name)) {
            *access |= devices[i].access;
            return strdup(devices[i].path);
        }
    }
    char *path = strdup(name);
    for (char *at = path; at && *at; at++)
        if (*at == '\\')
            *at = '/';
    return path;
}

/* Windows tells a file that is not there from a folder on the way that is not. */
static DWORD absence(const char *path)
{
    const char *last = strrchr(path, '/');
    if (!last || last == path)
        return ERROR_FILE_NOT_FOUND;
    char *folder = strndup(path, (size_t)(last - path));
    struct stat status;
    bool there = folder && stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
    free(folder);
    return there ? ERROR_FILE_NOT_FOUND : ERROR_PATH_NOT_FOUND;
}

static DWORD open_error(const char *path)
{
    return errno == ENOENT ? absence(path) : win__error_of(errno);
}

/* open's flags for the access asked for, and what the handle may be used for. */
static int access_flags(DWORD asked, unsigned *access)
{
    bool read = asked & (GENERIC_READ | GENERIC_ALL | FILE_READ_DATA);
    bool write = asked & (GENERIC_WRITE | GENERIC_ALL | FILE_WRITE_DATA);
    bool append = asked & FILE_APPEND_DATA && !write;
    *access |= (read ? FILE_MAY_READ : 0) | (write || append ? FILE_MAY_WRITE : 0);
    int flags = write || append ? (read ? O_RDWR : O_WRONLY) : O_RDONLY;
    return flags | (append ? O_APPEND : 0);
}

/* Opens it and says whether it was there already. -1 with errno. */
static int open_as(const char *path, DWORD disposition, int flags, mode_t mode, bool *existed)
{
    *existed = true;
    switch (disposition) {
    case CREATE_NEW:
        return open(path, flags | O_CREAT | O_EXCL, mode);
    case OPEN_EXISTING:
        return open(path, flags);
    case TRUNCATE_EXISTING:
        return open(path, flags | O_TRUNC);
    default:
        break;
    }
    int fd = open(path, flags | O_CREAT | O_EXCL, mode);
    *existed = fd < 0;
    if (fd >= 0 || errno != EEXIST)
        return fd;
    /* O_CREAT once more: it may have been deleted in between, or be a link into nothing. */
    return open(path, flags | O_CREAT | (disposition == CREATE_ALWAYS ? O_TRUNC : 0), mode);
}

static HANDLE refuse(DWORD error)
{
    win__fail(error);
    return INVALID_HANDLE_VALUE;
}

HANDLE WINAPI CreateFileA(LPCSTR lpFileName, DWORD dwDesiredAccess, DWORD dwShareMode,
                          LPSECURITY_ATTRIBUTES lpSecurityAttributes, DWORD dwCreationDisposition,
                          DWORD dwFlagsAndAttributes, HANDLE hTemplateFile)
{
    (void)dwShareMode, (void)hTemplateFile;
    unsigned access = 0;
    int flags = access_flags(dwDesiredAccess, &access) | O_NOCTTY;
    if (!lpFileName || !*lpFileName)
        return refuse(ERROR_PATH_NOT_FOUND);
    if (dwCreationDisposition < CREATE_NEW || dwCreationDisposition > TRUNCATE_EXISTING ||
        (dwCreationDisposition == TRUNCATE_EXISTING && !(access & FILE_MAY_WRITE)))
        return refuse(ERROR_INVALID_PARAMETER);
    if (dwFlagsAndAttributes & FILE_FLAG_OVERLAPPED)
        return refuse(ERROR_NOT_SUPPORTED);
    if (!lpSecurityAttributes || !lpSecurityAttributes->bInheritHandle)
        flags |= O_CLOEXEC;
    if (dwFlagsAndAttributes & FILE_FLAG_WRITE_THROUGH)
        flags |= O_SYNC;
    if (!access && dwCreationDisposition == OPEN_EXISTING)
        flags |= O_PATH; /* to ask about it, which needs no right to read it */

    char *path = path_of(lpFileName, &access);
    if (!path)
        return refuse(ERROR_NOT_ENOUGH_MEMORY);
    bool existed;
    mode_t mode = dwFlagsAndAttributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0666;
    int fd = open_as(path, dwCreationDisposition, flags, mode, &existed);
    struct stat status;
    DWORD error = fd < 0 ? open_error(path) : ERROR_SUCCESS;
    if (error == ERROR_ALREADY_EXISTS)
        error = ERROR_FILE_EXISTS;
    if (!error && !(dwFlagsAndAttributes & FILE_FLAG_BACKUP_SEMANTICS) &&
        fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(fd);
        error = ERROR_ACCESS_DENIED; /* a folder */
    }
    char *doomed = !error && dwFlagsAndAttributes & FILE_FLAG_DELETE_ON_CLOSE ? realpath(path, NULL)
                                                                              : NULL;
    free(path);
    HANDLE handle = error ? NULL : win__file_handle(fd, access, false, doomed);
    if (error || !handle)
        return error ? refuse(error) : INVALID_HANDLE_VALUE;
    bool tells = dwCreationDisposition == CREATE_ALWAYS || dwCreationDisposition == OPEN_ALWAYS;
    plat_set_last_error(tells && existed ? ERROR_ALREADY_EXISTS : ERROR_SUCCESS);
    return handle;
}

HANDLE WINAPI CreateFileW(LPCWSTR lpFileName, DWORD dwDesiredAccess, DWORD dwShareMode,
                          LPSECURITY_ATTRIBUTES lpSecurityAttributes, DWORD dwCreationDisposition,
                          DWORD dwFlagsAndAttributes, HANDLE hTemplateFile)
{
    if (!lpFileName)
        return refuse(ERROR_PATH_NOT_FOUND);
    char *name = win__narrow(lpFileName, win__wide_length(lpFileName), NULL);
    if (!name)
        return refuse(ERROR_NOT_ENOUGH_MEMORY);
    HANDLE handle = CreateFileA(name, dwDesiredAccess, dwShareMode, lpSecurityAttributes,
                                dwCreationDisposition, dwFlagsAndAttributes, hTemplateFile);
    free(name);
    return handle;
}

BOOL WINAPI DeleteFileA(LPCSTR lpFileName)
{
    unsigned unused = 0;
    if (!lpFileName || !*lpFileName)
        return win__fail(ERROR_PATH_NOT_FOUND);
    char *path = path_of(lpFileName, &unused);
    if (!path)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    DWORD error = unlink(path) ? open_error(path) : ERROR_SUCCESS;
    free(path);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI DeleteFileW(LPCWSTR lpFileName)
{
    char *name = lpFileName ? win__narrow(lpFileName, win__wide_length(lpFileName), NULL) : NULL;
    if (lpFileName && !name)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    BOOL done = DeleteFileA(name);
    free(name);
    return done;
}

BOOL WINAPI CreatePipe(PHANDLE hReadPipe, PHANDLE hWritePipe,
                       LPSECURITY_ATTRIBUTES lpPipeAttributes, DWORD nSize)
{
    bool inherited = lpPipeAttributes && lpPipeAttributes->bInheritHandle;
    int ends[2];
    if (pipe2(ends, inherited ? 0 : O_CLOEXEC))
        return win__fail_errno();
    if (nSize)
        fcntl(ends[1], F_SETPIPE_SZ, (int)nSize); /* a suggestion on Windows, too */
    *hReadPipe = win__file_handle(ends[0], FILE_MAY_READ, false, NULL);
    *hWritePipe = win__file_handle(ends[1], FILE_MAY_WRITE, false, NULL);
    if (*hReadPipe && *hWritePipe)
        return TRUE;
    if (*hReadPipe)
        CloseHandle(*hReadPipe);
    if (*hWritePipe)
        CloseHandle(*hWritePipe);
    return win__fail(ERROR_NOT_ENOUGH_MEMORY);
}
