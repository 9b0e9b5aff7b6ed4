/* SPDX-License-Identifier: MIT
 *
 * socket_overlapped.c - WSASend, WSARecv and their kin, with and without an OVERLAPPED, and
 * WSAGetOverlappedResult: see socket_overlapped.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/linux/dispatch/packet_memory.h"
#include "winapi/linux/socket_data.h"
#include "winapi/linux/socket_overlapped.h"

static const struct {
    int failure;
    DWORD win32, winsock;
} errors[] = {
    {ECONNRESET, ERROR_NETNAME_DELETED, WSAECONNRESET},
    {EPIPE, ERROR_NETNAME_DELETED, WSAECONNRESET},
    {ECONNABORTED, ERROR_CONNECTION_ABORTED, WSAECONNABORTED},
    {ECONNREFUSED, ERROR_CONNECTION_REFUSED, WSAECONNREFUSED},
    {ETIMEDOUT, ERROR_SEM_TIMEOUT, WSAETIMEDOUT},
    {ENETUNREACH, ERROR_NETWORK_UNREACHABLE, WSAENETUNREACH},
    {EHOSTUNREACH, ERROR_HOST_UNREACHABLE, WSAEHOSTUNREACH},
    {EMSGSIZE, ERROR_MORE_DATA, WSAEMSGSIZE},
};

bool socket_operation_fails(struct operation *operation, long failure)
{
    operation->error = win__winsock_error((int)failure);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].failure == failure)
            operation->error = operation->routine ? errors[i].winsock : errors[i].win32;
    return true;
}

static DWORD winsock_of(DWORD error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].win32 == error)
            return errors[i].winsock;
    return error == ERROR_INVALID_HANDLE ? WSAENOTSOCK : error;
}

/* state[0]: while the operation waits for readiness, the kind of the call to make, plus 1; else
 * 0. */
bool socket_operation_again(struct operation *operation, long result, uint32_t events)
{
    struct async_call *call = &operation->call;
    if (operation->state[0]) { /* ready, or in a state that the call will report */
        call->kind = (uint8_t)(operation->state[0] - 1);
        call->flags = (uint32_t)operation->state[1];
        operation->state[0] = 0;
        return true;
    }
    if (result != -EAGAIN)
        return false;
    operation->state[0] = call->kind + 1u;
    operation->state[1] = call->flags;
    call->kind = ASYNC_POLL;
    call->flags = events;
    return true;
}

struct operation *socket_operation(struct file *file, OVERLAPPED *overlapped,
                                   LPWSAOVERLAPPED_COMPLETION_ROUTINE routine, size_t extra)
{
    struct operation *operation;
    /* The fourth parameter of Winsock's routines, flags, is always 0. */
    int error = operation_create(file, overlapped, (LPOVERLAPPED_COMPLETION_ROUTINE)(void *)routine,
                                 extra, &operation);
    if (error) {
        win__socket_end(file, error == ERROR_NOT_ENOUGH_MEMORY ? WSAENOBUFS : (DWORD)error);
        return NULL;
    }
    win__socket_leave(file);
    return operation;
}

int socket_operation_begin(struct operation *operation, DWORD *bytes, unsigned enables)
{
    DWORD moved;
    struct file *file =
        enables && network_events_selected(operation->file) ? operation->file : NULL;
    if (file)
        object_hold(&file->object);
    int error = operation_begin(operation, &moved);
    if (file) {
        network_events_enable(file, enables);
        object_drop(&file->object);
    }
    if (bytes)
        *bytes = moved;
    return error ? win__winsock_fail(winsock_of((DWORD)error)) : 0;
}

/* ---- Data ------------------------------------------------------------------------------------ */

struct message {
    struct msghdr header;
    int *name_length; /* the program's, for WSARecvFrom */
    struct sockaddr_storage to;
    struct iovec parts[];
};
_Static_assert(sizeof(struct operation) + sizeof(struct message) + sizeof(struct iovec) <=
                   PACKET_BLOCK,
               "the memory of an operation with one buffer is used again");

/* So much of a stream was moved. True: it was all that was asked for. */
static bool is_all(struct msghdr *header, long moved)
{
    while (header->msg_iovlen && (size_t)moved >= header->msg_iov->iov_len) {
        moved -= (long)header->msg_iov->iov_len;
        header->msg_iov++;
        header->msg_iovlen--;
    }
    if (!header->msg_iovlen)
        return true;
    header->msg_iov->iov_base = (char *)header->msg_iov->iov_base + moved;
    header->msg_iov->iov_len -= (size_t)moved;
    return false;
}

static bool send_step(struct operation *operation, long result)
{
    struct message *message = operation->memory;
    if (socket_operation_again(operation, result, POLLOUT))
        return false;
    if (result < 0)
        return socket_operation_fails(operation, -result);
    operation->bytes += (DWORD)result;
    return is_all(&message->header, result);
}

/* A try that does not wait takes what is there, and so may the system when it is interrupted. */
static bool wants_more(const struct operation *operation, struct msghdr *header, long result)
{
    return result && operation->call.stream && operation->call.flags & MSG_WAITALL &&
           !is_all(header, result);
}

static bool receive_step(struct operation *operation, long result)
{
    struct message *message = operation->memory;
    if (socket_operation_again(operation, result, POLLIN))
        return false;
    if (result == -ECONNREFUSED && win__socket_is(operation->file, SOCKET_NO_RESETS))
        return false;
    if (result == -ECONNREFUSED && win__socket_of(operation->file)->type == SOCK_DGRAM)
        result = -ECONNRESET;
    if (result < 0)
        return socket_operation_fails(operation, -result);
    operation->bytes += (DWORD)result;
    if (wants_more(operation, &message->header, result))
        return false;
    if (message->name_length)
        *message->name_length = (int)message->header.msg_namelen;
    return message->header.msg_flags & MSG_TRUNC ? socket_operation_fails(operation, EMSGSIZE)
                                                 : true;
}

static bool copy_parts(struct iovec *to, const WSABUF *from, DWORD count)
{
    for (DWORD i = 0; i < count; i++)
        to[i] = (struct iovec){from[i].buf, from[i].len};
    return true;
}

/* Without an OVERLAPPED. */
static int move_now(struct file *file, struct msghdr *header, const WSABUF *buffers, DWORD count,
                    DWORD *bytes, int *flags, bool sends)
{
    struct iovec *parts = calloc(count, sizeof *parts);
    DWORD moved = 0, error = WSAENOBUFS;
    if (parts) {
        copy_parts(parts, buffers, count);
        header->msg_iov = parts;
        header->msg_iovlen = count;
        error = sends ? win__socket_send(file, header, *flags, &moved)
                      : win__socket_receive(file, header, flags, &moved);
    }
    free(parts);
    *bytes = moved;
    return (int)error;
}

enum { MOST_BUFFERS = 1024 }; /* UIO_MAXIOV */

int WSASendTo(SOCKET s, LPWSABUF lpBuffers, DWORD dwBufferCount, LPDWORD lpNumberOfBytesSent,
              DWORD dwFlags, const struct sockaddr *lpTo, int iTolen, LPWSAOVERLAPPED lpOverlapped,
              LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    const struct socket *socket = win__socket_of(file);
    bool waits = lpOverlapped && file->overlapped;
    if (!lpBuffers || !dwBufferCount || (!waits && !lpNumberOfBytesSent))
        return win__socket_end(file, lpBuffers && lpNumberOfBytesSent ? WSAEINVAL : WSAEFAULT);
    if (dwBufferCount > MOST_BUFFERS)
        return win__socket_end(file, WSAENOBUFS);
    if (lpTo && iTolen < win__address_bytes(socket->family))
        return win__socket_end(file, WSAEFAULT);
    bool named = lpTo && socket->type != SOCK_STREAM;
    if (!waits) {
        struct msghdr header = {.msg_name = named ? (void *)(uintptr_t)lpTo : NULL,
                                .msg_namelen = named ? (socklen_t)iTolen : 0};
        int flags = (int)dwFlags;
        return win__socket_end(file, (DWORD)move_now(file, &header, lpBuffers, dwBufferCount,
                                                     lpNumberOfBytesSent, &flags, true));
    }
    if (win__socket_is(file, SOCKET_NO_SEND))
        return win__socket_end(file, WSAESHUTDOWN);
    if (socket->type == SOCK_STREAM && !win__socket_is(file, SOCKET_CONNECTED))
        return win__socket_end(file, WSAENOTCONN);
    struct operation *operation =
        socket_operation(file, lpOverlapped, lpCompletionRoutine,
                         sizeof(struct message) + dwBufferCount * sizeof(struct iovec));
    if (!operation)
        return SOCKET_ERROR;
    struct message *message = operation->memory;
    *message = (struct message){.header = {.msg_iovlen = dwBufferCount}};
    message->header.msg_iov = message->parts;
    copy_parts(message->parts, lpBuffers, dwBufferCount);
    if (named) {
        socklen_t length =
            (socklen_t)iTolen < sizeof message->to ? (socklen_t)iTolen : sizeof message->to;
        message->header.msg_name = memcpy(&message->to, lpTo, length);
        message->header.msg_namelen = length;
        atomic_fetch_or(&win__socket_of(file)->flags, SOCKET_BOUND); /* the send binds the socket */
    }
    operation->call.kind = ASYNC_SENDMSG;
    operation->call.address = &message->header;
    operation->call.stream = socket->type == SOCK_STREAM;
    operation->call.flags = (dwFlags & (MSG_OOB | MSG_DONTROUTE)) | MSG_NOSIGNAL;
    operation->direction = OUTWARD;
    operation->step = send_step;
    return socket_operation_begin(operation, lpNumberOfBytesSent, 0);
}

int WSASend(SOCKET s, LPWSABUF lpBuffers, DWORD dwBufferCount, LPDWORD lpNumberOfBytesSent,
            DWORD dwFlags, LPWSAOVERLAPPED lpOverlapped,
            LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    return WSASendTo(s, lpBuffers, dwBufferCount, lpNumberOfBytesSent, dwFlags, NULL, 0,
                     lpOverlapped, lpCompletionRoutine);
}

int WSARecvFrom(SOCKET s, LPWSABUF lpBuffers, DWORD dwBufferCount, LPDWORD lpNumberOfBytesRecvd,
                LPDWORD lpFlags, struct sockaddr *lpFrom, LPINT lpFromlen,
                LPWSAOVERLAPPED lpOverlapped,
                LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    const struct socket *socket = win__socket_of(file);
    bool waits = lpOverlapped && file->overlapped;
    if (!lpBuffers || !lpFlags || (!waits && !lpNumberOfBytesRecvd))
        return win__socket_end(file, WSAEFAULT);
    if (!dwBufferCount || dwBufferCount > MOST_BUFFERS)
        return win__socket_end(file, WSAEINVAL);
    bool named = lpFrom && socket->type != SOCK_STREAM;
    if (named && (!lpFromlen || *lpFromlen < win__address_bytes(socket->family)))
        return win__socket_end(file, WSAEFAULT);
    struct msghdr header = {.msg_name = named ? lpFrom : NULL,
                            .msg_namelen = named ? (socklen_t)*lpFromlen : 0};
    if (!waits) {
        int flags = (int)*lpFlags;
        int error =
            move_now(file, &header, lpBuffers, dwBufferCount, lpNumberOfBytesRecvd, &flags, false);
        if (!error || error == WSAEMSGSIZE)
            *lpFlags = (DWORD)flags;
        if (named && (!error || error == WSAEMSGSIZE))
            *lpFromlen = (int)header.msg_namelen;
        return win__socket_end(file, (DWORD)error);
    }
    if (!win__receive_flags_are_right((int)*lpFlags))
        return win__socket_end(file, WSAEOPNOTSUPP);
    if (win__socket_is(file, SOCKET_NO_RECEIVE))
        return win__socket_end(file, WSAESHUTDOWN);
    if (socket->type == SOCK_STREAM && !win__socket_is(file, SOCKET_CONNECTED))
        return win__socket_end(file, WSAENOTCONN);
    if (socket->type != SOCK_STREAM && !win__socket_is(file, SOCKET_BOUND))
        return win__socket_end(file, WSAEINVAL);
    struct operation *operation =
        socket_operation(file, lpOverlapped, lpCompletionRoutine,
                         sizeof(struct message) + dwBufferCount * sizeof(struct iovec));
    if (!operation)
        return SOCKET_ERROR;
    struct message *message = operation->memory;
    header.msg_iov = message->parts;
    header.msg_iovlen = dwBufferCount;
    *message = (struct message){.header = header, .name_length = named ? lpFromlen : NULL};
    copy_parts(message->parts, lpBuffers, dwBufferCount);
    operation->call.kind = ASYNC_RECVMSG;
    operation->call.address = &message->header;
    operation->call.stream = socket->type == SOCK_STREAM;
    operation->call.flags = *lpFlags & (MSG_OOB | MSG_PEEK | MSG_WAITALL);
    operation->direction = INWARD;
    operation->step = receive_step;
    *lpFlags = 0;
    return socket_operation_begin(operation, lpNumberOfBytesRecvd, FD_READ | FD_OOB);
}

int WSARecv(SOCKET s, LPWSABUF lpBuffers, DWORD dwBufferCount, LPDWORD lpNumberOfBytesRecvd,
            LPDWORD lpFlags, LPWSAOVERLAPPED lpOverlapped,
            LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    return WSARecvFrom(s, lpBuffers, dwBufferCount, lpNumberOfBytesRecvd, lpFlags, NULL, NULL,
                       lpOverlapped, lpCompletionRoutine);
}

BOOL WSAGetOverlappedResult(SOCKET s, LPWSAOVERLAPPED lpOverlapped, LPDWORD lpcbTransfer,
                            BOOL fWait, LPDWORD lpdwFlags)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return FALSE;
    win__socket_leave(file); /* the end of the operation or of the socket ends this wait */
    DWORD error = 0;
    if (!lpOverlapped || !lpcbTransfer || !lpdwFlags)
        error = WSAEFAULT;
    else if (!GetOverlappedResult((HANDLE)s, lpOverlapped, lpcbTransfer, fWait))
        error = winsock_of(GetLastError());
    if (lpdwFlags)
        *lpdwFlags = 0;
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}
