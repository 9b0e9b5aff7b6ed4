/* SPDX-License-Identifier: MIT
 *
 * socket_extension.c - Microsoft's additions: AcceptEx, ConnectEx, DisconnectEx.
 *
 * AcceptEx gives the program's second socket the descriptor of the connection. That socket keeps
 * its handle, and the operation has a reference to its file. AcceptEx operations on one listener go
 * on side by side: while one waits for data, others accept.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/socket_extension.h"

/* ---- AcceptEx -------------------------------------------------------------------------------- */

struct accept_places {
    struct msghdr header;
    struct iovec part;
    char *buffer;
    DWORD received, local, remote; /* the sizes of the three parts of the buffer */
    bool there;                    /* the connection exists, and the operation receives */
};

/* Writes the address's length and the address. */
static void put_address(char *to, long number, int fd)
{
    struct sockaddr_storage found;
    socklen_t length = sizeof found;
    if (RAW3(number, fd, &found, &length))
        length = 0;
    memcpy(to, &length, sizeof length);
    memcpy(to + sizeof length, &found, length);
}

/* Gives the socket the descriptor of a new connection, which has the listener's options. */
static bool take_over(const struct file *listener, struct file *accepted, int fd)
{
    int on = 1;
    long done = overlapped_change_file(accepted, fd);
    RAW1(SYS_close, fd);
    if (done < 0)
        return false;
    if (win__socket_is(accepted, SOCKET_NONBLOCKING))
        RAW3(SYS_ioctl, accepted->fd, FIONBIO, &on);
    win__socket_inherit(accepted, listener);
    atomic_fetch_or(&win__socket_of(accepted)->flags, SOCKET_BOUND | SOCKET_CONNECTED);
    network_events_connect(accepted, false, false);
    return true;
}

static bool accept_step(struct operation *operation, long result)
{
    struct accept_places *places = operation->memory;
    struct file *accepted = (struct file *)operation->other;
    if (socket_operation_again(operation, result, POLLIN))
        return false;
    if (!places->there && (result == -ECONNABORTED || result == -EINTR))
        return false;
    if (!places->there && result == -EINVAL && win__socket_is(operation->file, SOCKET_CLOSED)) {
        operation->error = ERROR_OPERATION_ABORTED; /* the listener is shut down */
        return true;
    }
    if (result < 0)
        return socket_operation_fails(operation, -result);
    if (places->there) {
        operation->bytes = (DWORD)result;
        return true;
    }
    if (!take_over(operation->file, accepted, (int)result))
        return socket_operation_fails(operation, EBADF);
    places->there = true;
    char *local = places->buffer + places->received;
    put_address(local, SYS_getsockname, accepted->fd);
    put_address(local + places->local, SYS_getpeername, accepted->fd);
    if (!places->received)
        return true;
    operation->call.kind = ASYNC_RECVMSG;
    operation->call.fd = accepted->fd;
    operation->call.address = &places->header;
    operation->call.flags = 0;
    return false;
}

/* 0, or the error of the two sockets and the buffer. */
static DWORD check_accept(const struct file *listener, const struct file *accepted,
                          const void *buffer, DWORD local, DWORD remote)
{
    DWORD least = (DWORD)win__address_bytes(win__socket_of(listener)->family) + 16;
    if (!win__socket_is(listener, SOCKET_LISTENING) ||
        win__socket_is(accepted, SOCKET_BOUND | SOCKET_LISTENING | SOCKET_CONNECTED) ||
        win__socket_of(listener)->family != win__socket_of(accepted)->family ||
        win__socket_of(accepted)->type != SOCK_STREAM)
        return WSAEINVAL;
    return buffer && local >= least && remote >= least ? 0 : WSAEFAULT;
}

BOOL AcceptEx(SOCKET sListenSocket, SOCKET sAcceptSocket, PVOID lpOutputBuffer,
              DWORD dwReceiveDataLength, DWORD dwLocalAddressLength, DWORD dwRemoteAddressLength,
              LPDWORD lpdwBytesReceived, LPOVERLAPPED lpOverlapped)
{
    struct file *listener = win__socket_begin(sListenSocket);
    struct file *accepted = listener ? win__socket_begin(sAcceptSocket) : NULL;
    if (listener && !accepted)
        win__socket_end(listener, GetLastError());
    if (!accepted)
        return FALSE;
    DWORD error = lpOverlapped && listener->overlapped
                      ? check_accept(listener, accepted, lpOutputBuffer, dwLocalAddressLength,
                                     dwRemoteAddressLength)
                      : ERROR_INVALID_PARAMETER;
    struct operation *operation = NULL;
    if (error)
        win__socket_end(listener, error);
    else
        operation = socket_operation(listener, lpOverlapped, NULL, sizeof(struct accept_places));
    if (!operation) {
        win__socket_end(accepted, GetLastError());
        return FALSE;
    }
    win__socket_leave(accepted);
    overlapped_await_old(accepted);
    operation->other = &accepted->object;
    struct accept_places *places = operation->memory;
    *places = (struct accept_places){.part = {lpOutputBuffer, dwReceiveDataLength},
                                     .buffer = lpOutputBuffer,
                                     .received = dwReceiveDataLength,
                                     .local = dwLocalAddressLength,
                                     .remote = dwRemoteAddressLength};
    places->header.msg_iov = &places->part;
    places->header.msg_iovlen = 1;
    operation->call.kind = ASYNC_ACCEPT;
    operation->direction = IN_ANY_ORDER;
    operation->step = accept_step;
    return socket_operation_begin(operation, lpdwBytesReceived, FD_ACCEPT) == 0;
}

static void get_address(char *from, struct sockaddr **address, int *length)
{
    memcpy(length, from, sizeof *length);
    *address = (struct sockaddr *)(from + sizeof *length);
}

VOID GetAcceptExSockaddrs(PVOID lpOutputBuffer, DWORD dwReceiveDataLength,
                          DWORD dwLocalAddressLength, DWORD dwRemoteAddressLength,
                          struct sockaddr **LocalSockaddr, LPINT LocalSockaddrLength,
                          struct sockaddr **RemoteSockaddr, LPINT RemoteSockaddrLength)
{
    char *local = (char *)lpOutputBuffer + dwReceiveDataLength;
    (void)dwRemoteAddressLength;
    get_address(local, LocalSockaddr, LocalSockaddrLength);
    get_address(local + dwLocalAddressLength, RemoteSockaddr, RemoteSockaddrLength);
}

/* ---- ConnectEx ------------------------------------------------------------------------------- */

struct connect_parts {
    struct sockaddr_storage name;
    struct msghdr header;
    struct iovec part;
    bool there; /* the connection exists, and the operation sends */
};

static bool connect_step(struct operation *operation, long result)
{
    struct connect_parts *parts = operation->memory;
    struct socket *socket = win__socket_of(operation->file);
    if (socket_operation_again(operation, result, POLLOUT))
        return false;
    if (!parts->there && (result == -EINPROGRESS || result == -EALREADY))
        return !socket_operation_again(operation, -EAGAIN, POLLOUT);
    if (result < 0 && (parts->there || result != -EISCONN))
        return socket_operation_fails(operation, -result);
    if (parts->there) {
        operation->bytes += (DWORD)result;
        parts->part.iov_base = (char *)parts->part.iov_base + result;
        parts->part.iov_len -= (size_t)result;
        return !parts->part.iov_len;
    }
    parts->there = true;
    socket->connected_at = plat_now();
    atomic_fetch_or(&socket->flags, SOCKET_CONNECTED);
    network_events_connect(operation->file, false, true);
    operation->call.kind = ASYNC_SENDMSG;
    operation->call.address = &parts->header;
    operation->call.flags = MSG_NOSIGNAL;
    return !parts->part.iov_len;
}

BOOL win__connect_ex(SOCKET s, const struct sockaddr *name, int namelen, PVOID lpSendBuffer,
                     DWORD dwSendDataLength, LPDWORD lpdwBytesSent, LPOVERLAPPED lpOverlapped)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return FALSE;
    DWORD error = 0;
    int family = win__socket_of(file)->family;
    if (!lpOverlapped || !file->overlapped)
        error = ERROR_INVALID_PARAMETER;
    else if (!name || namelen < win__address_bytes(family) ||
             namelen > (int)sizeof(struct sockaddr_storage))
        error = WSAEFAULT;
    else if (win__socket_is(file, SOCKET_CONNECTED))
        error = WSAEISCONN;
    else if (!win__socket_is(file, SOCKET_BOUND | SOCKET_RENEWED) ||
             win__socket_is(file, SOCKET_LISTENING))
        error = WSAEINVAL;
    if (error)
        return win__socket_end(file, error) == 0;
    struct operation *operation =
        socket_operation(file, lpOverlapped, NULL, sizeof(struct connect_parts));
    if (!operation)
        return FALSE;
    overlapped_await_old(file);
    struct connect_parts *parts = operation->memory;
    *parts = (struct connect_parts){.part = {lpSendBuffer, lpSendBuffer ? dwSendDataLength : 0}};
    memcpy(&parts->name, name, (size_t)namelen);
    parts->header.msg_iov = &parts->part;
    parts->header.msg_iovlen = 1;
    operation->call.kind = ASYNC_CONNECT;
    operation->call.address = &parts->name;
    operation->call.length = (uint32_t)namelen;
    operation->direction = OUTWARD;
    operation->step = connect_step;
    return socket_operation_begin(operation, lpdwBytesSent, 0) == 0;
}

/* ---- DisconnectEx ---------------------------------------------------------------------------- */

int socket_renew(struct file *file)
{
    struct socket *old = win__socket_of(file);
    int on = win__socket_is(file, SOCKET_NONBLOCKING);
    long fresh = RAW3(SYS_socket, old->family, old->type | SOCK_CLOEXEC, old->protocol);
    if (fresh < 0)
        return (int)-fresh;
    RAW3(SYS_ioctl, fresh, FIONBIO, &on);
    win__socket_new_options((int)fresh, old->family, old->type);
    network_events_restart(file);
    long done = overlapped_change_file(file, (int)fresh);
    RAW1(SYS_close, fresh);
    if (done < 0)
        return (int)-done;
    atomic_fetch_and(&old->flags,
                     ~(unsigned)(SOCKET_BOUND | SOCKET_CONNECTED | SOCKET_NO_SEND |
                                 SOCKET_NO_RECEIVE | SOCKET_SHARING | SOCKET_NO_RESETS));
    atomic_fetch_or(&old->flags, SOCKET_RENEWED);
    old->send_limit = old->receive_limit = 0;
    old->connected_at = 0;
    return 0;
}

/* The operation's only call is a poll that is ready at once, so that the port gets a packet. */
static bool disconnect_step(struct operation *operation, long result)
{
    return result < 0 ? socket_operation_fails(operation, -result) : true;
}

BOOL win__disconnect_ex(SOCKET s, LPOVERLAPPED lpOverlapped, DWORD dwFlags, DWORD dwReserved)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return FALSE;
    DWORD error = 0;
    if (dwReserved || dwFlags & ~(DWORD)TF_REUSE_SOCKET)
        error = WSAEINVAL;
    else if (!win__socket_is(file, SOCKET_CONNECTED))
        error = WSAENOTCONN;
    if (!error && shutdown(file->fd, SHUT_WR) && errno != ENOTCONN)
        error = win__socket_error(file, errno);
    int failure = !error && dwFlags & TF_REUSE_SOCKET ? socket_renew(file) : 0;
    overlapped_await_old(file); /* their packets come before this operation's */
    if (failure)
        error = win__socket_error(file, failure);
    if (!error && !(dwFlags & TF_REUSE_SOCKET))
        atomic_fetch_or(&win__socket_of(file)->flags, SOCKET_NO_SEND);
    if (error || !lpOverlapped || !file->overlapped)
        return win__socket_end(file, error) == 0;
    struct operation *operation = socket_operation(file, lpOverlapped, NULL, 0);
    if (!operation)
        return FALSE;
    operation->call.kind = ASYNC_POLL;
    operation->call.flags = POLLOUT | POLLHUP;
    operation->direction = IN_ANY_ORDER;
    operation->step = disconnect_step;
    return socket_operation_begin(operation, NULL, 0) == 0;
}
