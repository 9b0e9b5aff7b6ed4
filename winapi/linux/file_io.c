/* SPDX-License-Identifier: MIT
 *
 * file_io.c - ReadFile, WriteFile, FlushFileBuffers.
 *
 * They call read and write, which are the library's fronts: a worker that has to wait gives its
 * scheduler the processor.
 */
#include <errno.h>
#include <unistd.h>

#include "platform/linux/interrupt/sync_call.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file.h"
#include "winapi/linux/overlapped_file.h"
#include "winapi/linux/pipe.h"

static off_t offset_of(const OVERLAPPED *overlapped)
{
    return (off_t)((uint64_t)overlapped->OffsetHigh << 32 | overlapped->Offset);
}

/* The position that the call names, if the file has positions; else -1. */
static off_t start_of(const struct file *file, const OVERLAPPED *overlapped)
{
    return overlapped && file->type == FILE_TYPE_DISK ? offset_of(overlapped) : -1;
}

/* The position of a synchronous handle moves also with a call that names a position. */
static void finish(struct file *file, OVERLAPPED *overlapped, off_t start, DWORD count)
{
    if (start >= 0)
        lseek(file->fd, start + count, SEEK_SET);
    if (!overlapped)
        return;
    overlapped->Internal = 0;
    overlapped->InternalHigh = count;
    if (overlapped->hEvent)
        SetEvent((HANDLE)((uintptr_t)overlapped->hEvent & ~(uintptr_t)1));
}

/* Inline, as is write_file: async_first says why. */
static inline __attribute__((always_inline)) BOOL read_file(HANDLE hFile, void *lpBuffer,
                                                            DWORD nNumberOfBytesToRead,
                                                            DWORD *lpNumberOfBytesRead,
                                                            OVERLAPPED *lpOverlapped)
{
    if (lpNumberOfBytesRead)
        *lpNumberOfBytesRead = 0;
    struct file *file = win__file_for(hFile, FILE_MAY_READ);
    if (!file)
        return FALSE;
    if (file->named_pipe)
        return win__pipe_read(file, lpBuffer, nNumberOfBytesToRead, lpNumberOfBytesRead,
                              lpOverlapped, NULL);
    if (file->overlapped)
        return overlapped_read(file, lpBuffer, nNumberOfBytesToRead, lpNumberOfBytesRead,
                               lpOverlapped, NULL);
    off_t start = start_of(file, lpOverlapped);
    ssize_t got;
    struct sync_call outer = sync_call_begin(&file->object);
    do
        got = start >= 0 ? pread(file->fd, lpBuffer, nNumberOfBytesToRead, start)
                         : read(file->fd, lpBuffer, nNumberOfBytesToRead);
    while (got < 0 && sync_call_again());
    sync_call_end(&outer);
    DWORD error = ERROR_SUCCESS;
    if (got < 0)
        error = win__read_error(file, errno);
    else if (!got && nNumberOfBytesToRead && file->type == FILE_TYPE_PIPE)
        error = ERROR_BROKEN_PIPE;
    else if (!got && nNumberOfBytesToRead && start >= 0)
        error = ERROR_HANDLE_EOF;
    if (!error) {
        finish(file, lpOverlapped, start, (DWORD)got);
        if (lpNumberOfBytesRead)
            *lpNumberOfBytesRead = (DWORD)got;
    }
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}

STOP_LOOKS BOOL WINAPI ReadFile(HANDLE hFile, LPVOID lpBuffer, DWORD nNumberOfBytesToRead,
                                LPDWORD lpNumberOfBytesRead, LPOVERLAPPED lpOverlapped)
{
    BOOL done = read_file(hFile, lpBuffer, nNumberOfBytesToRead, lpNumberOfBytesRead, lpOverlapped);
    stop_look();
    return done;
}

static BOOL write_from(struct file *file, const void *bytes, DWORD count, off_t start,
                       DWORD *written)
{
    ssize_t put;
    *written = 0;
    win__no_pipe_signal(file);
    struct sync_call outer = sync_call_begin(&file->object);
    do {
        const char *rest = (const char *)bytes + *written;
        put = start >= 0 ? pwrite(file->fd, rest, count - *written, start + *written)
                         : write(file->fd, rest, count - *written);
        *written += put > 0 ? (DWORD)put : 0;
    } while (put < 0 ? sync_call_again() : *written < count);
    sync_call_end(&outer);
    return put < 0 ? win__fail(win__write_error(file, errno)) : TRUE;
}

BOOL win__write_all(struct file *file, const void *bytes, DWORD count, DWORD *written)
{
    return write_from(file, bytes, count, -1, written);
}

static inline __attribute__((always_inline)) BOOL write_file(HANDLE hFile, const void *lpBuffer,
                                                             DWORD nNumberOfBytesToWrite,
                                                             DWORD *lpNumberOfBytesWritten,
                                                             OVERLAPPED *lpOverlapped)
{
    DWORD written = 0;
    if (lpNumberOfBytesWritten)
        *lpNumberOfBytesWritten = 0;
    struct file *file = win__file_for(hFile, FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    if (file->named_pipe)
        return win__pipe_write(file, lpBuffer, nNumberOfBytesToWrite, lpNumberOfBytesWritten,
                               lpOverlapped, NULL);
    if (file->overlapped)
        return overlapped_write(file, lpBuffer, nNumberOfBytesToWrite, lpNumberOfBytesWritten,
                                lpOverlapped, NULL);
    off_t start = start_of(file, lpOverlapped);
    if (start == -1 && lpOverlapped && file->type == FILE_TYPE_DISK)
        start = lseek(file->fd, 0, SEEK_END); /* all ones in both halves: at the end */
    BOOL done = write_from(file, lpBuffer, nNumberOfBytesToWrite, start, &written);
    if (done)
        finish(file, lpOverlapped, start, written);
    if (lpNumberOfBytesWritten)
        *lpNumberOfBytesWritten = written;
    object_drop(&file->object);
    return done;
}

STOP_LOOKS BOOL WINAPI WriteFile(HANDLE hFile, LPCVOID lpBuffer, DWORD nNumberOfBytesToWrite,
                                 LPDWORD lpNumberOfBytesWritten, LPOVERLAPPED lpOverlapped)
{
    BOOL done =
        write_file(hFile, lpBuffer, nNumberOfBytesToWrite, lpNumberOfBytesWritten, lpOverlapped);
    stop_look();
    return done;
}

BOOL WINAPI FlushFileBuffers(HANDLE hFile)
{
    struct file *file = win__file_for(hFile, FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    /* Bytes in a pipe or terminal have left the program already, so there is nothing to flush. */
    bool failed = file->type == FILE_TYPE_DISK && fsync(file->fd) && errno != EINVAL;
    DWORD error = failed ? win__error_of(errno) : ERROR_SUCCESS;
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}
