/* SPDX-License-Identifier: MIT
 *
 * pipe_transact.c - TransactNamedPipe and CallNamedPipe, which write a message and read the answer.
 */
#include <stdlib.h>

#include "winapi/linux/file_path.h"
#include "winapi/linux/pipe_data.h"

/* Without an OVERLAPPED. */
static DWORD transact(struct file *file, const void *question, DWORD length, void *answer,
                      DWORD room, DWORD *moved)
{
    DWORD error = 0, written;
    struct pipe_link *link = win__pipe_hold(file, &error);
    if (!link)
        return error;
    error = win__pipe_write_now(file, link, question, length, true, &written);
    if (!error)
        error = win__pipe_read_now(file, link, answer, room, true, true, moved);
    object_drop(&link->object);
    return error;
}

static DWORD transact_overlapped(struct file *file, void *question, DWORD length, void *answer,
                                 DWORD room, DWORD *moved, OVERLAPPED *overlapped)
{
    struct operation *operation;
    DWORD error = win__pipe_operation(file, overlapped, NULL, &operation);
    if (error)
        return error;
    struct pipe_transfer *transfer = operation->memory;
    transfer->writing = (struct pipe_writing){.from = question, .left = length};
    transfer->reading = (struct pipe_reading){.to = answer, .room = room, .whole = true};
    return win__pipe_begin_transaction(operation, moved);
}

/* The error of an end that cannot do this, or that has unread messages. */
static DWORD what_is_wrong(struct file *file, HANDLE handle)
{
    DWORD there = 0;
    const struct pipe_end *end = win__pipe_end(file);
    if (!(file->access & FILE_MAY_READ) || !(file->access & FILE_MAY_WRITE))
        return ERROR_ACCESS_DENIED;
    if (!(end->mode & PIPE_READMODE_MESSAGE))
        return ERROR_BAD_PIPE;
    if (!PeekNamedPipe(handle, NULL, 0, NULL, &there, NULL))
        return GetLastError();
    return there ? ERROR_PIPE_BUSY : 0;
}

BOOL WINAPI TransactNamedPipe(HANDLE hNamedPipe, LPVOID lpInBuffer, DWORD nInBufferSize,
                              LPVOID lpOutBuffer, DWORD nOutBufferSize, LPDWORD lpBytesRead,
                              LPOVERLAPPED lpOverlapped)
{
    DWORD moved = 0;
    struct file *file = win__pipe(hNamedPipe);
    if (!file)
        return FALSE;
    DWORD error = what_is_wrong(file, hNamedPipe);
    if (!error && file->overlapped) {
        error = transact_overlapped(file, lpInBuffer, nInBufferSize, lpOutBuffer, nOutBufferSize,
                                    &moved, lpOverlapped);
    } else {
        if (!error)
            error = transact(file, lpInBuffer, nInBufferSize, lpOutBuffer, nOutBufferSize, &moved);
        object_drop(&file->object);
    }
    if (lpBytesRead)
        *lpBytesRead = moved;
    return win__result((int)error);
}

/* ---- CallNamedPipe --------------------------------------------------------------------------- */

/* Opens the pipe, once an instance is free. */
static HANDLE open_when_free(LPCSTR name, DWORD timeout)
{
    for (;;) {
        HANDLE pipe = win__pipe_open(name, FILE_MAY_READ | FILE_MAY_WRITE, OPEN_EXISTING, 0, false);
        if (pipe != INVALID_HANDLE_VALUE || GetLastError() != ERROR_PIPE_BUSY ||
            timeout == NMPWAIT_NOWAIT)
            return pipe;
        if (!WaitNamedPipeA(name, timeout)) /* another client may take the instance first */
            return INVALID_HANDLE_VALUE;
    }
}

BOOL WINAPI CallNamedPipeA(LPCSTR lpNamedPipeName, LPVOID lpInBuffer, DWORD nInBufferSize,
                           LPVOID lpOutBuffer, DWORD nOutBufferSize, LPDWORD lpBytesRead,
                           DWORD nTimeOut)
{
    DWORD mode = PIPE_READMODE_MESSAGE;
    HANDLE pipe = open_when_free(lpNamedPipeName, nTimeOut);
    if (pipe == INVALID_HANDLE_VALUE)
        return FALSE;
    BOOL done = SetNamedPipeHandleState(pipe, &mode, NULL, NULL) &&
                TransactNamedPipe(pipe, lpInBuffer, nInBufferSize, lpOutBuffer, nOutBufferSize,
                                  lpBytesRead, NULL);
    DWORD error = GetLastError();
    CloseHandle(pipe);
    plat_set_last_error(error);
    return done;
}

BOOL WINAPI CallNamedPipeW(LPCWSTR lpNamedPipeName, LPVOID lpInBuffer, DWORD nInBufferSize,
                           LPVOID lpOutBuffer, DWORD nOutBufferSize, LPDWORD lpBytesRead,
                           DWORD nTimeOut)
{
    char *name = win__name(lpNamedPipeName);
    BOOL done = name && CallNamedPipeA(name, lpInBuffer, nInBufferSize, lpOutBuffer, nOutBufferSize,
                                       lpBytesRead, nTimeOut);
    DWORD error = GetLastError();
    free(name);
    plat_set_last_error(error);
    return done;
}
