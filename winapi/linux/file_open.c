/* SPDX-License-Identifier: MIT
 *
 * file_open.c - CreateFile, CreatePipe: which make files.
 *
 * A path is one of the system's, and may have backslashes for slashes (file_path.h). A name that
 * means a device (dos_device.h) opens that device, and never creates, shortens or deletes it,
 * whatever disposition and flags say. Share modes hold among the handles of this process
 * (file_share.h). A console and NUL have no overlapped operations.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/interrupt/sync_call.h"
#include "winapi/linux/dos_device.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/file_share.h"
#include "winapi/linux/pipe.h"
#include "winapi/linux/section.h"

/* open's flags for the access that the program asks for; *access is the access of the handle. */
static int access_flags(DWORD asked, unsigned *access)
{
    bool read = asked & (GENERIC_READ | GENERIC_ALL | FILE_READ_DATA);
    bool write = asked & (GENERIC_WRITE | GENERIC_ALL | FILE_WRITE_DATA);
    bool append = asked & FILE_APPEND_DATA && !write;
    bool execute = asked & (GENERIC_EXECUTE | GENERIC_ALL | FILE_EXECUTE);
    *access |= (read ? FILE_MAY_READ : 0) | (write || append ? FILE_MAY_WRITE : 0) |
               (execute ? FILE_MAY_EXECUTE : 0);
    if (asked & (GENERIC_WRITE | GENERIC_ALL | FILE_WRITE_ATTRIBUTES))
        *access |= FILE_MAY_SET;
    if (asked & (DELETE | GENERIC_ALL))
        *access |= FILE_MAY_DELETE;
    int flags = write || append ? (read ? O_RDWR : O_WRONLY) : O_RDONLY;
    return flags | (append ? O_APPEND : 0);
}

/* CreateFile's arguments. */
struct request {
    DWORD disposition, shares, attributes; /* attributes: with CreateFile's flags */
    unsigned access;
};

/* A FIFO waits for its other end, so the call may be cancelled. */
static int open_waiting(const char *path, int flags, mode_t mode)
{
    int fd;
    struct sync_call outer = sync_call_begin(NULL);
    do
        fd = open(path, flags, mode);
    while (fd < 0 && sync_call_again());
    sync_call_end(&outer);
    return fd;
}

/* Opens the file, and says whether it existed; does not shorten it. -1 with errno. */
static int open_as(const char *path, DWORD disposition, int flags, mode_t mode, bool *existed)
{
    *existed = true;
    if (disposition == OPEN_EXISTING || disposition == TRUNCATE_EXISTING)
        return open_waiting(path, flags, 0);
    int fd = open(path, flags | O_CREAT | O_EXCL, mode);
    *existed = fd < 0;
    if (fd >= 0 || errno != EEXIST || disposition == CREATE_NEW)
        return fd;
    /* With O_CREAT: the file may have been deleted meanwhile, or be a link that leads nowhere. */
    return open_waiting(path, flags | O_CREAT, mode);
}

static HANDLE refuse(DWORD error)
{
    win__fail(error);
    return INVALID_HANDLE_VALUE;
}

static bool empties(DWORD disposition)
{
    return disposition == CREATE_ALWAYS || disposition == TRUNCATE_EXISTING;
}

/* Checks an open file against the request, enters its share mode, and shortens it if the
 * disposition says so. 0 or a Win32 error. */
static DWORD begin(int fd, const struct request *request, bool existed, struct file_share **share)
{
    DWORD disposition = request->disposition, flags = request->attributes;
    unsigned access = request->access;
    struct stat status;
    if (fstat(fd, &status))
        return win__error_of(errno);
    if (S_ISDIR(status.st_mode) && !(flags & FILE_FLAG_BACKUP_SEMANTICS))
        return ERROR_ACCESS_DENIED; /* a folder needs the flag */
    bool changes = existed && (access & FILE_MAY_WRITE || empties(disposition));
    if (win__is_read_only(&status) && (changes || flags & FILE_FLAG_DELETE_ON_CLOSE))
        return ERROR_ACCESS_DENIED;
    bool shorten = existed && empties(disposition) && S_ISREG(status.st_mode);
    unsigned does = access | (flags & FILE_FLAG_DELETE_ON_CLOSE ? FILE_MAY_DELETE : 0) |
                    (shorten ? FILE_MAY_WRITE : 0);
    DWORD error = win__share_enter(fd, does, request->shares, share);
    if (!error && shorten && win__mapped_beyond(fd, 0))
        error = ERROR_USER_MAPPED_FILE;
    if (!error && shorten && ftruncate(fd, 0))
        error = win__error_of(errno);
    return error;
}

static DWORD open_path(const char *path, const struct request *request, int flags, int *fd,
                       bool *existed, struct file_share **share)
{
    DWORD disposition = request->disposition;
    mode_t mode = request->attributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0666;
    if (!(request->access & FILE_CONTENT) && disposition == OPEN_EXISTING)
        flags |= O_PATH; /* to ask about a file needs no right to read it */
    if (empties(disposition) && (flags & O_ACCMODE) == O_RDONLY)
        flags |= O_RDWR; /* to be able to shorten it; the handle's access does not change */
    *fd = open_as(path, disposition, flags, mode, existed);
    if (*fd < 0)
        return errno == EEXIST ? ERROR_FILE_EXISTS : win__open_error(path);
    DWORD error = begin(*fd, request, *existed, share);
    if (error) {
        win__share_leave(share);
        if (!*existed)
            unlink(path); /* this call has just made it, so it is a plain file */
        close(*fd);
    }
    return error;
}

/* Opens a device, which exists already, and leaves it as it is. */
static DWORD open_device(enum dos_device device, DWORD disposition, int flags, DWORD asked,
                         unsigned *access, int *fd)
{
    bool reads = asked & GENERIC_READ, writes = asked & GENERIC_WRITE;
    if (device == DEVICE_CON && reads != writes)
        device = reads ? DEVICE_CONIN : DEVICE_CONOUT;
    if (device == DEVICE_CON || device == DEVICE_ABSENT)
        return ERROR_FILE_NOT_FOUND;
    if (disposition == CREATE_NEW)
        return ERROR_FILE_EXISTS;
    if (device == DEVICE_CONIN)
        *access |= FILE_IS_CONSOLE_INPUT;
    *fd = open(device == DEVICE_NUL ? "/dev/null" : "/dev/tty", flags);
    return *fd < 0 ? win__error_of(errno) : ERROR_SUCCESS;
}

HANDLE WINAPI CreateFileA(LPCSTR lpFileName, DWORD dwDesiredAccess, DWORD dwShareMode,
                          LPSECURITY_ATTRIBUTES lpSecurityAttributes, DWORD dwCreationDisposition,
                          DWORD dwFlagsAndAttributes, HANDLE hTemplateFile)
{
    (void)hTemplateFile;
    unsigned access = 0;
    int flags = access_flags(dwDesiredAccess, &access) | O_NOCTTY;
    if (!lpFileName || !*lpFileName)
        return refuse(ERROR_PATH_NOT_FOUND);
    if (dwCreationDisposition < CREATE_NEW || dwCreationDisposition > TRUNCATE_EXISTING ||
        (dwCreationDisposition == TRUNCATE_EXISTING && !(access & FILE_MAY_WRITE)))
        return refuse(ERROR_INVALID_PARAMETER);
    bool inherited = lpSecurityAttributes && lpSecurityAttributes->bInheritHandle;
    if (win__is_pipe_path(lpFileName))
        return win__pipe_open(lpFileName, access, dwCreationDisposition, dwFlagsAndAttributes,
                              inherited);
    if (!inherited)
        flags |= O_CLOEXEC;
    if (dwFlagsAndAttributes & FILE_FLAG_WRITE_THROUGH)
        flags |= O_SYNC;

    enum dos_device device = win__dos_device(lpFileName);
    char *path = device ? NULL : win__path(lpFileName), *deleted_path = NULL;
    if (!device && !path)
        return INVALID_HANDLE_VALUE;
    int fd;
    bool existed = true;
    struct file_share *share = NULL;
    struct request request = {dwCreationDisposition, dwShareMode, dwFlagsAndAttributes, access};
    DWORD error =
        device ? open_device(device, dwCreationDisposition, flags, dwDesiredAccess, &access, &fd)
               : open_path(path, &request, flags, &fd, &existed, &share);
    if (!error && !device && dwFlagsAndAttributes & FILE_FLAG_DELETE_ON_CLOSE)
        deleted_path = realpath(path, NULL);
    free(path);
    if (error)
        return refuse(error);
    struct file *file = win__file_create(fd, access, false, deleted_path);
    if (file) {
        file->share = share;
        file->overlapped = dwFlagsAndAttributes & FILE_FLAG_OVERLAPPED && !device;
    } else {
        win__share_leave(&share);
    }
    HANDLE handle = win__file_publish(file);
    if (!handle)
        return INVALID_HANDLE_VALUE;
    bool tells = dwCreationDisposition == CREATE_ALWAYS || dwCreationDisposition == OPEN_ALWAYS;
    plat_set_last_error(tells && existed ? ERROR_ALREADY_EXISTS : ERROR_SUCCESS);
    return handle;
}

HANDLE WINAPI CreateFileW(LPCWSTR lpFileName, DWORD dwDesiredAccess, DWORD dwShareMode,
                          LPSECURITY_ATTRIBUTES lpSecurityAttributes, DWORD dwCreationDisposition,
                          DWORD dwFlagsAndAttributes, HANDLE hTemplateFile)
{
    char *name = win__name(lpFileName);
    if (!name)
        return INVALID_HANDLE_VALUE;
    HANDLE handle = CreateFileA(name, dwDesiredAccess, dwShareMode, lpSecurityAttributes,
                                dwCreationDisposition, dwFlagsAndAttributes, hTemplateFile);
    free(name);
    return handle;
}

BOOL WINAPI CreatePipe(PHANDLE hReadPipe, PHANDLE hWritePipe,
                       LPSECURITY_ATTRIBUTES lpPipeAttributes, DWORD nSize)
{
    bool inherited = lpPipeAttributes && lpPipeAttributes->bInheritHandle;
    int ends[2];
    if (pipe2(ends, inherited ? 0 : O_CLOEXEC))
        return win__fail_errno();
    if (nSize)
        fcntl(ends[1], F_SETPIPE_SZ, (int)nSize); /* only a suggestion, as on Windows */
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
