/* SPDX-License-Identifier: MIT
 *
 * socket_transmit.c - TransmitFile: a head, the bytes of a file and a tail, sent as one operation.
 *
 * The operation is in the socket's queue. It reads a piece of the file into its own memory, sends
 * that, reads the next, and so on. It has a reference to the file meanwhile.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/socket_data.h"
#include "winapi/linux/socket_extension.h"

enum { CHUNK = 64 << 10, MOST_BYTES = 2147483646 };
enum {
    WORKER_FLAGS = TF_USE_DEFAULT_WORKER | TF_USE_SYSTEM_THREAD | TF_USE_KERNEL_APC,
    KNOWN_FLAGS = TF_DISCONNECT | TF_REUSE_SOCKET | TF_WRITE_BEHIND | WORKER_FLAGS
};

struct transmission {
    struct msghdr header;
    struct iovec part, tail; /* the piece to send now, and the last one */
    struct file *source;     /* NULL: no file */
    uint64_t offset, left;   /* of the file; `left` may be more than the file has */
    DWORD chunk, flags;
    bool reads; /* the present call reads the file */
    char buffer[];
};

/* ---- The order of the pieces ----------------------------------------------------------------- */

/* True: `part` has to be sent. False: the next piece has to be read; or nothing is left, and all is
 * sent. */
static bool take_part(struct transmission *own)
{
    if (!own->part.iov_len && !own->left) {
        own->part = own->tail;
        own->tail.iov_len = 0;
    }
    return own->part.iov_len;
}

/* A read of the file has got so many bytes. */
static void was_read(struct transmission *own, size_t bytes)
{
    own->left = bytes ? own->left - bytes : 0;
    own->offset += bytes;
    own->part = (struct iovec){own->buffer, bytes};
}

static DWORD next_chunk(const struct transmission *own)
{
    return own->left < own->chunk ? (DWORD)own->left : own->chunk;
}

/* Disconnects, if the flags say so. 0 or an errno. Any thread. */
static int finish(struct file *file, DWORD flags)
{
    if (!(flags & TF_DISCONNECT))
        return 0;
    long failure = RAW2(SYS_shutdown, file->fd, SHUT_WR);
    atomic_fetch_or(&win__socket_of(file)->flags, SOCKET_NO_SEND);
    if (failure && failure != -ENOTCONN)
        return (int)-failure;
    return flags & TF_REUSE_SOCKET ? socket_renew(file) : 0;
}

/* ---- With an OVERLAPPED ---------------------------------------------------------------------- */

/* Sets the next call. False: there is none. */
static bool prepare(struct operation *operation)
{
    struct transmission *own = operation->memory;
    struct async_call *call = &operation->call;
    bool sends = take_part(own);
    own->reads = !sends && own->left;
    call->flags = 0;
    call->disk = own->reads;
    call->fd = own->reads ? own->source->fd : operation->file->fd;
    call->kind = own->reads ? ASYNC_READ : ASYNC_SENDMSG;
    call->address = own->reads ? (void *)own->buffer : (void *)&own->header;
    call->length = own->reads ? next_chunk(own) : 0;
    call->offset = own->offset;
    return sends || own->reads;
}

static bool transmit_step(struct operation *operation, long result)
{
    struct transmission *own = operation->memory;
    if (own->reads && result < 0) {
        operation->error = win__read_error(own->source, (int)-result);
        return true;
    }
    if (!own->reads && socket_operation_again(operation, result, POLLOUT))
        return false;
    if (result < 0)
        return socket_operation_fails(operation, -result);
    if (own->reads) {
        was_read(own, (size_t)result);
    } else {
        operation->bytes += (DWORD)result;
        own->part.iov_base = (char *)own->part.iov_base + result;
        own->part.iov_len -= (size_t)result;
    }
    if (prepare(operation))
        return false;
    int failure = finish(operation->file, own->flags);
    return failure ? socket_operation_fails(operation, failure) : true;
}

static BOOL begin(struct file *file, const struct transmission *asked, OVERLAPPED *overlapped)
{
    size_t room = asked->source ? asked->chunk : 0;
    struct file *source = asked->source;
    struct operation *operation = socket_operation(file, overlapped, NULL, sizeof *asked + room);
    if (!operation) {
        if (source)
            object_drop(&source->object);
        return FALSE;
    }
    struct transmission *own = operation->memory;
    *own = *asked;
    own->header = (struct msghdr){.msg_iov = &own->part, .msg_iovlen = 1};
    operation->other = source ? &source->object : NULL;
    operation->direction = OUTWARD;
    operation->step = transmit_step;
    prepare(operation); /* an empty send, if there is nothing to send */
    return socket_operation_begin(operation, NULL, 0) == 0;
}

/* ---- Without an OVERLAPPED ------------------------------------------------------------------- */

static DWORD read_chunk(struct transmission *own)
{
    ssize_t got;
    do
        got = pread(own->source->fd, own->buffer, next_chunk(own), (off_t)own->offset);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return win__read_error(own->source, errno);
    was_read(own, (size_t)got);
    return 0;
}

static DWORD transmit_now(struct file *file, const struct transmission *asked)
{
    struct transmission *own = malloc(sizeof *own + (asked->source ? asked->chunk : 0));
    DWORD error = own ? 0 : WSAENOBUFS;
    if (own)
        *own = *asked;
    while (!error && (take_part(own) || own->left)) {
        DWORD sent;
        if (own->part.iov_len) {
            struct iovec part = own->part; /* a copy, as the call changes it */
            struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
            error = win__socket_send(file, &message, 0, &sent);
            own->part.iov_base = (char *)own->part.iov_base + sent;
            own->part.iov_len -= sent;
        } else {
            error = read_chunk(own);
        }
    }
    if (own && own->source) /* the file's position is after the bytes that were read */
        lseek(own->source->fd, (off_t)own->offset, SEEK_SET);
    int failure = error ? 0 : finish(file, asked->flags);
    free(own);
    return failure ? win__socket_error(file, failure) : error;
}

/* ---- The call -------------------------------------------------------------------------------- */

/* 0, or the error of the arguments. */
static DWORD check(const struct file *file, const TRANSMIT_FILE_BUFFERS *buffers, DWORD count,
                   DWORD flags)
{
    if (win__socket_of(file)->type != SOCK_STREAM || flags & ~(DWORD)KNOWN_FLAGS ||
        count > MOST_BYTES || (flags & TF_REUSE_SOCKET && !(flags & TF_DISCONNECT)))
        return WSAEINVAL;
    if (buffers &&
        ((buffers->HeadLength && !buffers->Head) || (buffers->TailLength && !buffers->Tail)))
        return WSAEFAULT;
    if (!win__socket_is(file, SOCKET_CONNECTED))
        return WSAENOTCONN;
    return win__socket_is(file, SOCKET_NO_SEND) ? WSAESHUTDOWN : 0;
}

BOOL TransmitFile(SOCKET hSocket, HANDLE hFile, DWORD nNumberOfBytesToWrite,
                  DWORD nNumberOfBytesPerSend, LPOVERLAPPED lpOverlapped,
                  LPTRANSMIT_FILE_BUFFERS lpTransmitBuffers, DWORD dwReserved)
{
    struct file *file = win__socket_begin(hSocket);
    if (!file)
        return FALSE;
    DWORD error = check(file, lpTransmitBuffers, nNumberOfBytesToWrite, dwReserved);
    struct file *source = error || !hFile ? NULL : win__file_for(hFile, FILE_MAY_READ);
    if (!error && hFile && !source)
        error = GetLastError();
    else if (source && source->type != FILE_TYPE_DISK)
        error = ERROR_INVALID_PARAMETER;
    bool chunks = nNumberOfBytesPerSend && nNumberOfBytesPerSend < CHUNK;
    struct transmission asked = {
        .source = source, .chunk = chunks ? nNumberOfBytesPerSend : CHUNK, .flags = dwReserved};
    if (source) {
        asked.left = nNumberOfBytesToWrite ? nNumberOfBytesToWrite : UINT64_MAX;
        asked.offset = lpOverlapped
                           ? (uint64_t)lpOverlapped->OffsetHigh << 32 | lpOverlapped->Offset
                           : (uint64_t)lseek(source->fd, 0, SEEK_CUR);
    }
    if (lpTransmitBuffers) {
        asked.part = (struct iovec){lpTransmitBuffers->Head, lpTransmitBuffers->HeadLength};
        asked.tail = (struct iovec){lpTransmitBuffers->Tail, lpTransmitBuffers->TailLength};
    }
    if (!error && lpOverlapped && file->overlapped)
        return begin(file, &asked, lpOverlapped);
    if (!error)
        error = transmit_now(file, &asked);
    if (source)
        object_drop(&source->object);
    return win__socket_end(file, error) == 0;
}
