/* SPDX-License-Identifier: MIT
 *
 * socket_connect.c - addresses and connections: bind, listen, accept, connect, shutdown,
 * getsockname, getpeername.
 */
#include <errno.h>
#include <string.h>

#include "platform/linux/interrupt/sync_call.h"
#include "winapi/linux/overlapped.h"
#include "winapi/linux/socket.h"

static void note(struct file *file, unsigned flags)
{
    atomic_fetch_or(&win__socket_of(file)->flags, flags);
}

/* 0, or the error of an address that the program gives. */
static DWORD check_address(const struct file *file, const struct sockaddr *name, int length)
{
    if (!name || length < win__address_bytes(win__socket_of(file)->family))
        return WSAEFAULT;
    return name->sa_family == win__socket_of(file)->family ? 0 : WSAEAFNOSUPPORT;
}

int umsshim_ws_bind(SOCKET s, const struct sockaddr *name, int namelen)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    DWORD error = check_address(file, name, namelen);
    if (!error && win__socket_is(file, SOCKET_BOUND))
        error = WSAEINVAL;
    if (!error && bind(file->fd, name, (socklen_t)namelen))
        error = win__socket_error(file, errno);
    if (!error)
        note(file, SOCKET_BOUND);
    return win__socket_end(file, error);
}

int umsshim_ws_listen(SOCKET s, int backlog)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    DWORD error = 0;
    if (win__socket_of(file)->type != SOCK_STREAM)
        error = WSAEOPNOTSUPP;
    else if (win__socket_is(file, SOCKET_CONNECTED))
        error = WSAEISCONN;
    else if (!win__socket_is(file, SOCKET_BOUND))
        error = WSAEINVAL; /* on Linux listen would choose a port */
    else if (listen(file->fd, backlog))
        error = win__socket_error(file, errno);
    if (!error)
        note(file, SOCKET_LISTENING);
    return win__socket_end(file, error);
}

/* Whether the program's room for an address of this family is large enough, if it wants one. */
static bool has_room(const struct file *file, const struct sockaddr *name, const int *length)
{
    return !name || (length && *length >= win__address_bytes(win__socket_of(file)->family));
}

/* Accepts a connection. Returns a descriptor; -1 with *error. */
static int accept_one(struct file *file, struct sockaddr_storage *peer, socklen_t *length,
                      DWORD *error)
{
    int nonblocking = win__socket_is(file, SOCKET_NONBLOCKING) ? SOCK_NONBLOCK : 0;
    int fd = atomic_exchange(&win__socket_of(file)->deferred, -1);
    *error = 0;
    *length = sizeof *peer;
    if (fd >= 0 && getpeername(fd, (struct sockaddr *)peer, length))
        *length = 0; /* the peer has left again */
    if (fd >= 0)
        return fd;
    if (win__socket_of(file)->type != SOCK_STREAM)
        *error = WSAEOPNOTSUPP;
    else if (!win__socket_is(file, SOCKET_LISTENING))
        *error = WSAEINVAL;
    struct sync_call outer = sync_call_begin(&file->object);
    while (!*error && fd < 0) {
        *length = sizeof *peer;
        fd = accept4(file->fd, (struct sockaddr *)peer, length, SOCK_CLOEXEC | nonblocking);
        if (fd >= 0 || sync_call_again() || errno == ECONNABORTED)
            continue;
        /* On Linux a time-out for receives also limits accept, so it is tried again. */
        if (errno != EAGAIN || nonblocking || win__socket_is(file, SOCKET_CLOSED))
            *error = win__socket_error(file, errno);
    }
    sync_call_end(&outer);
    return fd;
}

static SOCKET adopt(struct file *listener, int fd)
{
    unsigned flags = SOCKET_BOUND | SOCKET_CONNECTED |
                     (atomic_load(&win__socket_of(listener)->flags) & SOCKET_NONBLOCKING);
    SOCKET handle =
        win__socket_handle(fd, win__socket_of(listener)->family, win__socket_of(listener)->type,
                           win__socket_of(listener)->protocol, flags, listener->overlapped);
    struct file *file = handle == INVALID_SOCKET ? NULL : win__socket_begin(handle);
    if (file) {
        win__socket_inherit(file, listener);
        network_events_inherit(file, listener);
        win__socket_end(file, 0);
    }
    return handle;
}

static void give_address(const struct sockaddr_storage *from, socklen_t length,
                         struct sockaddr *name, int *namelen)
{
    if (!name)
        return;
    int bytes = (int)length < *namelen ? (int)length : *namelen;
    memcpy(name, from, (size_t)bytes);
    *namelen = (int)length;
}

SOCKET umsshim_ws_accept(SOCKET s, struct sockaddr *addr, int *addrlen)
{
    return WSAAccept(s, addr, addrlen, NULL, 0);
}

/* The connection exists already: asks the program's condition, and closes it if the program does
 * not want it. */
static int ask(LPCONDITIONPROC condition, DWORD_PTR data, struct sockaddr_storage *peer,
               socklen_t length, int fd)
{
    struct sockaddr_storage own;
    socklen_t own_length = sizeof own;
    GROUP group = 0;
    getsockname(fd, (struct sockaddr *)&own, &own_length);
    WSABUF caller = {length, (char *)peer}, callee = {own_length, (char *)&own}, none = {0, NULL};
    return condition(&caller, &none, NULL, NULL, &callee, &none, &group, data);
}

SOCKET WSAAccept(SOCKET s, struct sockaddr *addr, LPINT addrlen, LPCONDITIONPROC lpfnCondition,
                 DWORD_PTR dwCallbackData)
{
    struct sockaddr_storage peer;
    socklen_t length = 0;
    DWORD error = WSAEFAULT;
    SOCKET accepted = INVALID_SOCKET;
    struct file *file = win__socket_begin(s);
    if (!file)
        return INVALID_SOCKET;
    int fd = has_room(file, addr, addrlen) ? accept_one(file, &peer, &length, &error) : -1;
    int verdict = CF_ACCEPT;
    if (fd >= 0 && lpfnCondition)
        verdict = ask(lpfnCondition, dwCallbackData, &peer, length, fd);
    if (fd >= 0 && verdict == CF_ACCEPT) {
        accepted = adopt(file, fd);
        error = accepted == INVALID_SOCKET ? GetLastError() : 0;
    } else if (fd >= 0) {
        if (verdict == CF_DEFER)
            fd = atomic_exchange(&win__socket_of(file)->deferred, fd);
        if (fd >= 0)
            close(fd);
        error = verdict == CF_DEFER ? WSATRY_AGAIN : WSAECONNREFUSED;
    }
    if (!error)
        give_address(&peer, length, addr, addrlen);
    if (verdict != CF_DEFER)
        network_events_enable(file, FD_ACCEPT);
    win__socket_end(file, error);
    return accepted;
}

/* Waits for the end of a blocking connect that was interrupted, or that has reached Linux's
 * time-out for sends. */
static int await_connected(struct file *file)
{
    struct pollfd one = {.fd = file->fd, .events = POLLOUT};
    int done, failure = 0;
    socklen_t length = sizeof failure;
    do {
        errno = EINTR;
        done = sync_call_asked() ? -1 : poll(&one, 1, -1);
    } while (done < 0 && sync_call_again());
    if (done < 0 || getsockopt(file->fd, SOL_SOCKET, SO_ERROR, &failure, &length))
        return errno;
    return failure;
}

static DWORD connect_to(struct file *file, const struct sockaddr *name, int namelen)
{
    bool nonblocking = win__socket_is(file, SOCKET_NONBLOCKING);
    DWORD error = check_address(file, name, namelen);
    if (!error && win__socket_is(file, SOCKET_LISTENING))
        error = WSAEINVAL;
    if (error)
        return error;
    overlapped_await_old(file);
    bool stream = win__socket_of(file)->type == SOCK_STREAM;
    bool again = win__socket_is(file, SOCKET_CONNECTING);
    if (nonblocking && stream)
        note(file, SOCKET_CONNECTING); /* before its end can be seen */
    struct sync_call outer = sync_call_begin(&file->object);
    int failure = connect(file->fd, name, (socklen_t)namelen) ? errno : 0;
    if (!nonblocking && (failure == EINTR || failure == EINPROGRESS || failure == EALREADY))
        failure = await_connected(file);
    sync_call_end(&outer);
    if (failure == EINTR) /* cancelled: ends the connect that has begun */
        (void)connect(file->fd, &(struct sockaddr){.sa_family = AF_UNSPEC},
                      sizeof(struct sockaddr));
    if (failure == EINPROGRESS) {
        note(file, SOCKET_BOUND);
        network_events_connect(file, again, false);
        return WSAEWOULDBLOCK;
    }
    if (failure != EALREADY)
        atomic_fetch_and(&win__socket_of(file)->flags, ~(unsigned)SOCKET_CONNECTING);
    if (failure && failure != EISCONN)
        return win__socket_error(file, failure);
    note(file, SOCKET_BOUND | SOCKET_CONNECTED);
    if (!win__socket_of(file)->connected_at)
        win__socket_of(file)->connected_at = plat_now();
    network_events_connect(file, again || failure, !failure || again);
    return failure || again ? WSAEISCONN : 0; /* Linux reports the end once as a success */
}

int umsshim_ws_connect(SOCKET s, const struct sockaddr *name, int namelen)
{
    struct file *file = win__socket_begin(s);
    return file ? win__socket_end(file, connect_to(file, name, namelen)) : SOCKET_ERROR;
}

int WSAConnect(SOCKET s, const struct sockaddr *name, int namelen, LPWSABUF lpCallerData,
               LPWSABUF lpCalleeData, LPQOS lpSQOS, LPQOS lpGQOS)
{
    (void)lpSQOS, (void)lpGQOS;
    if (lpCallerData || lpCalleeData) { /* neither TCP nor UDP sends data with a connect */
        struct file *file = win__socket_begin(s);
        return file ? win__socket_end(file, WSAEINVAL) : SOCKET_ERROR;
    }
    return umsshim_ws_connect(s, name, namelen);
}

int umsshim_ws_shutdown(SOCKET s, int how)
{
    static const unsigned bits[] = {[SD_RECEIVE] = SOCKET_NO_RECEIVE,
                                    [SD_SEND] = SOCKET_NO_SEND,
                                    [SD_BOTH] = SOCKET_NO_RECEIVE | SOCKET_NO_SEND};
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    DWORD error = 0;
    if (how < SD_RECEIVE || how > SD_BOTH)
        error = WSAEINVAL;
    else if (win__socket_is(file, SOCKET_LISTENING))
        error = WSAENOTCONN; /* on Linux the socket would stop listening */
    else if (shutdown(file->fd, how) &&
             (win__socket_of(file)->type == SOCK_STREAM || errno != ENOTCONN))
        error = win__socket_error(file, errno);
    if (!error)
        note(file, bits[how]);
    return win__socket_end(file, error);
}

/* TCP cannot send data with the end of a connection: a call with data fails, WSAENOPROTOOPT. */
static int disconnect(SOCKET s, const WSABUF *data, int how)
{
    struct file *file = data ? win__socket_begin(s) : NULL;
    if (data)
        return file ? win__socket_end(file, WSAENOPROTOOPT) : SOCKET_ERROR;
    return umsshim_ws_shutdown(s, how);
}

int WSASendDisconnect(SOCKET s, LPWSABUF lpOutboundDisconnectData)
{
    return disconnect(s, lpOutboundDisconnectData, SD_SEND);
}

int WSARecvDisconnect(SOCKET s, LPWSABUF lpInboundDisconnectData)
{
    return disconnect(s, lpInboundDisconnectData, SD_RECEIVE);
}

static int tell_name(SOCKET s, struct sockaddr *name, int *namelen, bool peer)
{
    struct sockaddr_storage found;
    socklen_t length = sizeof found;
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    DWORD error = 0;
    if (!name || !has_room(file, name, namelen))
        error = WSAEFAULT;
    else if (!peer && !win__socket_is(file, SOCKET_BOUND))
        error = WSAEINVAL;
    else if (peer ? getpeername(file->fd, (struct sockaddr *)&found, &length)
                  : getsockname(file->fd, (struct sockaddr *)&found, &length))
        error = win__socket_error(file, errno);
    else
        give_address(&found, length, name, namelen);
    return win__socket_end(file, error);
}

int umsshim_ws_getsockname(SOCKET s, struct sockaddr *name, int *namelen)
{
    return tell_name(s, name, namelen, false);
}

int umsshim_ws_getpeername(SOCKET s, struct sockaddr *name, int *namelen)
{
    return tell_name(s, name, namelen, true);
}
