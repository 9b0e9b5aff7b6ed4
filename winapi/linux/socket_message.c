/* SPDX-License-Identifier: MIT
 *
 * socket_message.c - WSASendMsg and WSARecvMsg: datagrams with control data.
 *
 * Control data have Linux's layout and numbers, which the headers give Winsock's names. So received
 * data go into the program's buffer as they are. Sent data are copied, as Windows has the address
 * to send from in another field. Only IP's levels are allowed: others could pass descriptors.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/linux/os/copy.h"
#include "winapi/linux/overlapped_end.h"
#include "winapi/linux/socket_control.h"
#include "winapi/linux/socket_data.h"
#include "winapi/linux/socket_extension.h"

enum {
    MOST_PARTS = 1024,     /* UIO_MAXIOV */
    MOST_CONTROL = 0x10000 /* Linux takes less by default (net.core.optmem_max) */
};

/* The memory of an operation. A copy of the control data to send is behind the parts. */
struct datagram {
    struct msghdr header;
    WSAMSG *message; /* the program's struct; of a receive */
    struct sockaddr_storage to;
    struct iovec parts[];
};

/* Copies from the program's memory: 0, or WSAEFAULT. Where the system offers no way to ask, a bad
 * pointer is a fault. */
static DWORD read_from(void *to, const void *from, size_t bytes)
{
    int failure = copy_in(to, from, bytes);
    if (failure == -EFAULT)
        return WSAEFAULT;
    if (failure)
        memcpy(to, from, bytes);
    return 0;
}

/* Reads the program's struct. 0, or the error of the call. */
static DWORD check(const struct file *file, WSAMSG *message, const WSAMSG *from, bool waits,
                   const DWORD *bytes)
{
    const struct socket *socket = win__socket_of(file);
    if (!from || (!waits && !bytes) || read_from(message, from, sizeof *message) ||
        !message->lpBuffers || (message->Control.len && !message->Control.buf))
        return WSAEFAULT;
    if (socket->type == SOCK_STREAM || socket->family == AF_UNIX)
        return WSAEOPNOTSUPP;
    if (!message->dwBufferCount || message->dwBufferCount > MOST_PARTS)
        return WSAEINVAL;
    if (message->name && message->namelen < win__address_bytes(socket->family))
        return WSAEFAULT;
    return 0;
}

static DWORD fill_parts(struct iovec *parts, const WSAMSG *message)
{
    _Static_assert(sizeof(WSABUF) == sizeof(struct iovec), "each becomes one where it lies");
    DWORD error = read_from(parts, message->lpBuffers, message->dwBufferCount * sizeof *parts);
    for (ULONG i = 0; !error && i < message->dwBufferCount; i++) {
        WSABUF buffer;
        memcpy(&buffer, &parts[i], sizeof buffer);
        parts[i] = (struct iovec){buffer.buf, buffer.len};
    }
    return error;
}

/* The size of a datagram with its parts, and `extra` bytes behind them. */
static size_t datagram_bytes(const WSAMSG *message, size_t extra)
{
    return sizeof(struct datagram) + message->dwBufferCount * sizeof(struct iovec) + extra;
}

static DWORD fill(struct datagram *datagram, const WSAMSG *message)
{
    datagram->header =
        (struct msghdr){.msg_iov = datagram->parts, .msg_iovlen = message->dwBufferCount};
    return fill_parts(datagram->parts, message);
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* 0, or the error of the message. A call that does not wait uses the program's memory for the
 * name. */
static DWORD fill_outward(struct datagram *datagram, const WSAMSG *message, bool waits)
{
    DWORD error = fill(datagram, message);
    if (error)
        return error;
    if (message->name) {
        size_t length = (size_t)message->namelen;
        if (length > sizeof datagram->to)
            length = sizeof datagram->to;
        if (waits && copy_in(&datagram->to, message->name, length))
            return WSAEFAULT;
        datagram->header.msg_name = waits ? (void *)&datagram->to : message->name;
        datagram->header.msg_namelen = (socklen_t)length;
    }
    if (!message->Control.len)
        return 0;
    datagram->header.msg_control = datagram->parts + message->dwBufferCount;
    datagram->header.msg_controllen = message->Control.len;
    int failure = copy_in(datagram->header.msg_control, message->Control.buf, message->Control.len);
    if (failure)
        return failure == -EFAULT ? WSAEFAULT : WSAENOBUFS;
    return win__control_to_send(datagram->header.msg_control, message->Control.len);
}

static bool send_step(struct operation *operation, long result)
{
    if (socket_operation_again(operation, result, POLLOUT))
        return false;
    if (result < 0)
        return socket_operation_fails(operation, -result);
    operation->bytes = (DWORD)result;
    return true;
}

/* Without an OVERLAPPED. */
static DWORD send_now(struct file *file, const WSAMSG *message, int flags, DWORD *bytes)
{
    struct datagram *datagram = malloc(datagram_bytes(message, message->Control.len));
    if (!datagram)
        return WSAENOBUFS;
    DWORD error = fill_outward(datagram, message, false);
    if (!error)
        error = win__socket_send(file, &datagram->header, flags, bytes);
    free(datagram);
    return error;
}

static DWORD check_outward(const struct file *file, const WSAMSG *message, DWORD flags, bool waits)
{
    if (flags & ~(DWORD)MSG_DONTROUTE)
        return WSAEOPNOTSUPP;
    if (message->Control.len > MOST_CONTROL)
        return WSAENOBUFS;
    return waits && win__socket_is(file, SOCKET_NO_SEND) ? WSAESHUTDOWN : 0;
}

int WSASendMsg(SOCKET Handle, LPWSAMSG lpMsg, DWORD dwFlags, LPDWORD lpNumberOfBytesSent,
               LPWSAOVERLAPPED lpOverlapped, LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    struct file *file = win__socket_begin(Handle);
    if (!file)
        return SOCKET_ERROR;
    bool waits = lpOverlapped && file->overlapped;
    WSAMSG message;
    DWORD sent = 0, error = check(file, &message, lpMsg, waits, lpNumberOfBytesSent);
    if (!error)
        error = check_outward(file, &message, dwFlags, waits);
    if (!error && !waits) {
        error = send_now(file, &message, (int)dwFlags, &sent);
        *lpNumberOfBytesSent = sent;
    }
    if (error || !waits)
        return win__socket_end(file, error);
    struct operation *operation = socket_operation(file, lpOverlapped, lpCompletionRoutine,
                                                   datagram_bytes(&message, message.Control.len));
    if (!operation)
        return SOCKET_ERROR;
    struct datagram *datagram = operation->memory;
    error = fill_outward(datagram, &message, true);
    if (error) {
        operation_free(operation);
        return win__winsock_fail(error);
    }
    if (message.name) /* bound once it is sent */
        atomic_fetch_or(&win__socket_of(operation->file)->flags, SOCKET_BOUND);
    operation->call.kind = ASYNC_SENDMSG;
    operation->call.address = &datagram->header;
    operation->call.flags = dwFlags | MSG_NOSIGNAL;
    operation->direction = OUTWARD;
    operation->step = send_step;
    return socket_operation_begin(operation, lpNumberOfBytesSent, 0);
}

/* ---- Receiving ------------------------------------------------------------------------------- */

/* Name and control data go straight to the program's memory. 0, or the error of the message. */
static DWORD fill_inward(struct datagram *datagram, const WSAMSG *message, WSAMSG *given)
{
    DWORD error = fill(datagram, message);
    datagram->message = given;
    datagram->header.msg_name = message->name;
    datagram->header.msg_namelen = message->name ? (socklen_t)message->namelen : 0;
    datagram->header.msg_control = message->Control.len ? message->Control.buf : NULL;
    datagram->header.msg_controllen = message->Control.len;
    return error;
}

/* Sets the program's results. False: some part did not fit. */
static bool give(const struct datagram *datagram)
{
    const struct msghdr *header = &datagram->header;
    WSAMSG *message = datagram->message;
    if (message->name)
        message->namelen = (INT)header->msg_namelen;
    message->Control.len = (ULONG)header->msg_controllen;
    message->dwFlags = (ULONG)header->msg_flags & (MSG_TRUNC | MSG_CTRUNC);
    return !message->dwFlags;
}

static bool receive_step(struct operation *operation, long result)
{
    const struct file *file = operation->file;
    if (socket_operation_again(operation, result, POLLIN))
        return false;
    if (result == -ECONNREFUSED && win__socket_is(file, SOCKET_NO_RESETS))
        return false;
    if (result < 0)
        return socket_operation_fails(operation, result == -ECONNREFUSED ? ECONNRESET : -result);
    operation->bytes = (DWORD)result;
    return give(operation->memory) ? true : socket_operation_fails(operation, EMSGSIZE);
}

/* Without an OVERLAPPED. */
static DWORD receive_now(struct file *file, const WSAMSG *message, WSAMSG *given, DWORD *bytes)
{
    struct datagram *datagram = malloc(datagram_bytes(message, 0));
    int flags = (int)message->dwFlags;
    if (!datagram)
        return WSAENOBUFS;
    DWORD error = fill_inward(datagram, message, given);
    if (!error)
        error = win__socket_receive(file, &datagram->header, &flags, bytes);
    if ((!error || error == WSAEMSGSIZE) && !give(datagram))
        error = WSAEMSGSIZE;
    free(datagram);
    return error;
}

static DWORD check_inward(const struct file *file, const WSAMSG *message, bool waits)
{
    DWORD known = waits ? 0 : MSG_PEEK;
    if (message->dwFlags & ~known)
        return WSAEOPNOTSUPP;
    if (win__socket_is(file, SOCKET_NO_RECEIVE))
        return WSAESHUTDOWN;
    return win__socket_is(file, SOCKET_BOUND) ? 0 : WSAEINVAL;
}

INT win__recv_msg(SOCKET s, LPWSAMSG lpMsg, LPDWORD lpdwNumberOfBytesRecvd,
                  LPWSAOVERLAPPED lpOverlapped,
                  LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    bool waits = lpOverlapped && file->overlapped;
    WSAMSG message;
    DWORD received = 0, error = check(file, &message, lpMsg, waits, lpdwNumberOfBytesRecvd);
    if (!error)
        error = check_inward(file, &message, waits);
    if (!error && !waits) {
        error = receive_now(file, &message, lpMsg, &received);
        *lpdwNumberOfBytesRecvd = received;
    }
    if (error || !waits)
        return win__socket_end(file, error);
    struct operation *operation =
        socket_operation(file, lpOverlapped, lpCompletionRoutine, datagram_bytes(&message, 0));
    if (!operation)
        return SOCKET_ERROR;
    struct datagram *datagram = operation->memory;
    error = fill_inward(datagram, &message, lpMsg);
    if (error) {
        operation_free(operation);
        return win__winsock_fail(error);
    }
    operation->call.kind = ASYNC_RECVMSG;
    operation->call.address = &datagram->header;
    operation->call.flags = 0;
    operation->direction = INWARD;
    operation->step = receive_step;
    return socket_operation_begin(operation, lpdwNumberOfBytesRecvd, FD_READ | FD_OOB);
}
