/* SPDX-License-Identifier: MIT
 *
 * socket_data.c - bytes and datagrams, synchronously: send, recv and their kin.
 *
 * They call the library's fronts of libc's calls: a worker that has to wait gives its scheduler the
 * processor. No call raises SIGPIPE.
 */
#include <errno.h>

#include "platform/linux/interrupt/sync_call.h"
#include "winapi/linux/socket_data.h"

enum {
    SEND_FLAGS = MSG_OOB | MSG_DONTROUTE | (int)MSG_PARTIAL,
    RECEIVE_FLAGS = MSG_OOB | MSG_PEEK | MSG_WAITALL | (int)MSG_PARTIAL
};

/* For a time-out Linux has the errno of a call that would block. */
static DWORD failure_of(const struct file *file, const _Atomic DWORD *limit)
{
    int failure = errno;
    bool timed_out =
        failure == EAGAIN && *limit && !win__socket_is(file, SOCKET_NONBLOCKING | SOCKET_CLOSED);
    return timed_out ? WSAETIMEDOUT : win__socket_error(file, failure);
}

static size_t bytes_in(const struct msghdr *message)
{
    size_t bytes = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++)
        bytes += message->msg_iov[i].iov_len;
    return bytes;
}

/* Goes past the bytes of a stream that are sent. */
static void advance(struct msghdr *message, size_t sent)
{
    while (message->msg_iovlen && sent >= message->msg_iov->iov_len) {
        sent -= message->msg_iov->iov_len;
        message->msg_iov++;
        message->msg_iovlen--;
    }
    if (message->msg_iovlen) {
        message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + sent;
        message->msg_iov->iov_len -= sent;
    }
}

static DWORD send_until_done(struct file *file, struct msghdr *message, int flags, DWORD *sent)
{
    bool stream = win__socket_of(file)->type == SOCK_STREAM;
    for (;;) {
        ssize_t put = sendmsg(file->fd, message, flags);
        if (put < 0 && sync_call_again() && !win__socket_is(file, SOCKET_CLOSED))
            continue;
        int failure = errno;
        if (put < 0 && failure == EAGAIN)
            network_events_enable(file, FD_WRITE);
        errno = failure;
        if (put < 0)
            return *sent && failure != EINTR ? 0
                                             : failure_of(file, &win__socket_of(file)->send_limit);
        *sent += (DWORD)put;
        if (!win__socket_is(file, SOCKET_BOUND))
            atomic_fetch_or(&win__socket_of(file)->flags, SOCKET_BOUND);
        advance(message, (size_t)put);
        /* A blocking send on a stream ends when all is sent. */
        if (!stream || !message->msg_iovlen || win__socket_is(file, SOCKET_NONBLOCKING))
            return 0;
    }
}

DWORD win__socket_send(struct file *file, struct msghdr *message, int flags, DWORD *sent)
{
    *sent = 0;
    if (flags & ~SEND_FLAGS)
        return WSAEOPNOTSUPP;
    if (win__socket_is(file, SOCKET_NO_SEND))
        return WSAESHUTDOWN;
    bool stream = win__socket_of(file)->type == SOCK_STREAM;
    if (!stream && bytes_in(message) > MAX_DATAGRAM)
        return WSAEMSGSIZE;
    flags = (flags & ~(int)MSG_PARTIAL) | MSG_NOSIGNAL;
    struct sync_call outer = sync_call_begin(&file->object);
    DWORD error = send_until_done(file, message, flags, sent);
    sync_call_end(&outer);
    return error;
}

bool win__receive_flags_are_right(int flags)
{
    return !(flags & ~RECEIVE_FLAGS) &&
           (!(flags & MSG_WAITALL) || !(flags & (MSG_OOB | MSG_PEEK | (int)MSG_PARTIAL)));
}

DWORD win__socket_receive(struct file *file, struct msghdr *message, int *flags, DWORD *received)
{
    *received = 0;
    if (!win__receive_flags_are_right(*flags))
        return WSAEOPNOTSUPP;
    if (win__socket_is(file, SOCKET_NO_RECEIVE))
        return WSAESHUTDOWN;
    bool stream = win__socket_of(file)->type == SOCK_STREAM;
    if (!stream && !win__socket_is(file, SOCKET_BOUND))
        return WSAEINVAL; /* no datagram could ever come */
    ssize_t got;
    struct sync_call outer = sync_call_begin(&file->object);
    do
        got = recvmsg(file->fd, message, *flags & ~(int)MSG_PARTIAL);
    while (got < 0 && !win__socket_is(file, SOCKET_CLOSED) &&
           (sync_call_again() ||
            (!stream && errno == ECONNREFUSED && win__socket_is(file, SOCKET_NO_RESETS))));
    sync_call_end(&outer);
    int failure = errno;
    network_events_enable(file, FD_READ | FD_OOB);
    errno = failure;
    if (got < 0)
        return failure_of(file, &win__socket_of(file)->receive_limit);
    if (win__socket_is(file, SOCKET_CLOSED))
        return WSAEINTR; /* closesocket ended the wait */
    *received = (DWORD)got;
    *flags = message->msg_flags & MSG_OOB;
    if (message->msg_flags & MSG_TRUNC) {
        *flags |= (int)MSG_PARTIAL;
        return WSAEMSGSIZE;
    }
    return 0;
}

int umsshim_ws_send(SOCKET s, const char *buf, int len, int flags)
{
    return umsshim_ws_sendto(s, buf, len, flags, NULL, 0);
}

int umsshim_ws_sendto(SOCKET s, const char *buf, int len, int flags, const struct sockaddr *to,
                      int tolen)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    struct iovec bytes = {(void *)(uintptr_t)buf, len > 0 ? (size_t)len : 0};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    DWORD sent = 0;
    DWORD error =
        len < 0 || (to && tolen < win__address_bytes(win__socket_of(file)->family)) ? WSAEFAULT : 0;
    if (to && win__socket_of(file)->type != SOCK_STREAM) { /* a stream has its peer already */
        message.msg_name = (void *)(uintptr_t)to;
        message.msg_namelen = (socklen_t)tolen;
    }
    if (!error)
        error = win__socket_send(file, &message, flags, &sent);
    if (error == WSAEDESTADDRREQ)
        error = WSAENOTCONN;
    return win__socket_end(file, error) ? SOCKET_ERROR : (int)sent;
}

int umsshim_ws_recv(SOCKET s, char *buf, int len, int flags)
{
    return umsshim_ws_recvfrom(s, buf, len, flags, NULL, NULL);
}

int umsshim_ws_recvfrom(SOCKET s, char *buf, int len, int flags, struct sockaddr *from,
                        int *fromlen)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    struct iovec bytes = {buf, len > 0 ? (size_t)len : 0};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    DWORD received = 0;
    DWORD error = len < 0 ? WSAEFAULT : 0;
    bool wants_name = from && win__socket_of(file)->type != SOCK_STREAM;
    if (wants_name && (!fromlen || *fromlen < win__address_bytes(win__socket_of(file)->family)))
        error = WSAEFAULT;
    if (wants_name && !error) {
        message.msg_name = from;
        message.msg_namelen = (socklen_t)*fromlen;
    }
    if (!error)
        error = win__socket_receive(file, &message, &flags, &received);
    if (wants_name && (!error || error == WSAEMSGSIZE))
        *fromlen = (int)message.msg_namelen;
    return win__socket_end(file, error) ? SOCKET_ERROR : (int)received;
}
