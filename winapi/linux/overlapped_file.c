/* SPDX-License-Identifier: MIT
 *
 * overlapped_file.c - see overlapped_file.h.
 */
#include <sys/socket.h>

#include "winapi/linux/overlapped_file.h"
#include "winapi/linux/pipe.h"

/* The message of a call on a socket: a SOCKET's descriptor, or a named pipe's. */
struct message {
    struct msghdr header;
    struct iovec part;
};

/* The number of bytes that are left. */
static uint64_t *left(struct operation *operation)
{
    return &operation->state[0];
}

/* The call has moved a part. False: it goes on with the rest. */
static bool is_whole(struct operation *operation, long result)
{
    struct async_call *call = &operation->call;
    struct message *message = operation->memory;
    operation->bytes += (DWORD)result;
    *left(operation) -= (uint64_t)result;
    if (!*left(operation) || !result)
        return true;
    if (call->kind == ASYNC_SENDMSG) {
        message->part.iov_base = (char *)message->part.iov_base + result;
        message->part.iov_len -= (size_t)result;
    } else {
        call->address = (char *)call->address + result;
        call->length -= (uint32_t)result;
        call->offset += call->offset == UINT64_MAX ? 0 : (uint64_t)result;
    }
    return false;
}

/* A read of a file on a disk is short at the file's end only. A call that must not wait moves no
 * more than the page cache has, and it may have the beginning alone. */
static bool read_step(struct operation *operation, long result)
{
    const struct file *file = operation->file;
    if (result < 0) {
        operation->error = win__read_error(file, (int)-result);
        return true;
    }
    if (result && file->type == FILE_TYPE_DISK)
        return is_whole(operation, result);
    bool ends = !result && *left(operation) && !file->socket && !operation->bytes;
    if (ends && file->type == FILE_TYPE_DISK)
        operation->error = ERROR_HANDLE_EOF;
    else if (ends && file->type == FILE_TYPE_PIPE)
        operation->error = ERROR_BROKEN_PIPE;
    else
        operation->bytes += (DWORD)result;
    return true;
}

static bool write_step(struct operation *operation, long result)
{
    if (result >= 0)
        return is_whole(operation, result);
    operation->error = win__write_error(operation->file, (int)-result);
    return true;
}

/* Fills in the call for these bytes. */
static void describe(struct operation *operation, void *bytes, DWORD count, bool writes)
{
    *left(operation) = count;
    operation->direction = writes ? OUTWARD : INWARD;
    operation->step = writes ? write_step : read_step;
    operation->call.kind = writes ? ASYNC_WRITE : ASYNC_READ;
    operation->call.address = bytes;
    operation->call.length = count;
}

int overlapped_disk_create(struct file *file, const void *bytes, DWORD count,
                           OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine,
                           bool writes, struct operation *operation)
{
    int error = operation_create_here(file, overlapped, routine, operation);
    if (error) {
        object_drop(&file->object);
        return error;
    }
    describe(operation, (void *)bytes, count, writes);
    operation->direction = IN_ANY_ORDER;
    overlapped_place(&operation->call, overlapped, writes);
    return 0;
}

static BOOL tell(int error, DWORD bytes, DWORD *moved)
{
    if (moved)
        *moved = bytes;
    return win__result(error);
}

BOOL overlapped_disk_go_on(struct operation *operation, long first, DWORD *moved)
{
    DWORD bytes;
    int error = operation_go_on(operation, first, &bytes);
    return tell(error, bytes, moved);
}

/* Takes over the caller's reference to the file. */
static BOOL stream_begin(struct file *file, const void *bytes, DWORD count, DWORD *moved,
                         OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine,
                         bool writes)
{
    size_t extra = file->message_calls ? sizeof(struct message) : 0;
    struct operation *operation;
    int error = operation_create(file, overlapped, routine, extra, &operation);
    if (error) {
        object_drop(&file->object);
        return win__result(error);
    }
    describe(operation, (void *)bytes, count, writes);
    if (file->message_calls) {
        struct message *message = operation->memory;
        *message = (struct message){.part = {(void *)bytes, count}};
        message->header.msg_iov = &message->part;
        message->header.msg_iovlen = 1;
        operation->call.kind = writes ? ASYNC_SENDMSG : ASYNC_RECVMSG;
        operation->call.address = &message->header;
        operation->call.length = 0;
    }
    DWORD done;
    error = operation_begin(operation, &done);
    return tell(error, done, moved);
}

BOOL overlapped_stream_read(struct file *file, void *buffer, DWORD count, DWORD *moved,
                            OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine)
{
    if (file->named_pipe)
        return win__pipe_read(file, buffer, count, moved, overlapped, routine);
    return stream_begin(file, buffer, count, moved, overlapped, routine, false);
}

BOOL overlapped_stream_write(struct file *file, const void *buffer, DWORD count, DWORD *moved,
                             OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine)
{
    if (file->named_pipe)
        return win__pipe_write(file, buffer, count, moved, overlapped, routine);
    win__no_pipe_signal(file);
    return stream_begin(file, buffer, count, moved, overlapped, routine, true);
}

/* For a call with a routine, which counts ERROR_IO_PENDING as success. */
static BOOL pends(void)
{
    if (GetLastError() != ERROR_IO_PENDING)
        return FALSE;
    plat_set_last_error(ERROR_SUCCESS);
    return TRUE;
}

BOOL WINAPI ReadFileEx(HANDLE hFile, LPVOID lpBuffer, DWORD nNumberOfBytesToRead,
                       LPOVERLAPPED lpOverlapped,
                       LPOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    struct file *file = win__file_for(hFile, FILE_MAY_READ);
    if (!file)
        return FALSE;
    if (file->overlapped && lpCompletionRoutine)
        return overlapped_read(file, lpBuffer, nNumberOfBytesToRead, NULL, lpOverlapped,
                               lpCompletionRoutine) ||
               pends();
    object_drop(&file->object);
    return win__fail(ERROR_INVALID_PARAMETER);
}

BOOL WINAPI WriteFileEx(HANDLE hFile, LPCVOID lpBuffer, DWORD nNumberOfBytesToWrite,
                        LPOVERLAPPED lpOverlapped,
                        LPOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    struct file *file = win__file_for(hFile, FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    if (file->overlapped && lpCompletionRoutine)
        return overlapped_write(file, lpBuffer, nNumberOfBytesToWrite, NULL, lpOverlapped,
                                lpCompletionRoutine) ||
               pends();
    object_drop(&file->object);
    return win__fail(ERROR_INVALID_PARAMETER);
}
