/* SPDX-License-Identifier: MIT
 *
 * socket.c - sockets as objects: WSAStartup, the making of sockets, the begin and end of each call
 * on one, and closesocket, which ends calls that wait.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/socket.h"

static _Atomic unsigned startups;

int WSAStartup(WORD wVersionRequested, LPWSADATA lpWSAData)
{
    BYTE major = LOBYTE(wVersionRequested);
    if (!major)
        return WSAVERNOTSUPPORTED;
    if (!lpWSAData)
        return WSAEFAULT;
    bool newest = major > 2 || (major == 2 && HIBYTE(wVersionRequested) > 2);
    *lpWSAData = (WSADATA){.wVersion = newest ? WINSOCK_VERSION : wVersionRequested,
                           .wHighVersion = WINSOCK_VERSION,
                           .szDescription = "WinSock 2.0",
                           .szSystemStatus = "Running"};
    if (major == 1) { /* programs for later versions do not read these */
        lpWSAData->iMaxSockets = 32767;
        lpWSAData->iMaxUdpDg = 65467;
    }
    startups++;
    return 0;
}

bool win__winsock_started(void)
{
    return startups || win__fail(WSANOTINITIALISED);
}

/* Open sockets stay open. */
int WSACleanup(void)
{
    unsigned count = startups;
    do
        if (!count)
            return win__winsock_fail(WSANOTINITIALISED);
    while (!atomic_compare_exchange_weak(&startups, &count, count - 1));
    return 0;
}

int WSAGetLastError(void)
{
    return (int)GetLastError();
}

void WSASetLastError(int iError)
{
    plat_set_last_error((DWORD)iError);
}

int win__winsock_fail(DWORD error)
{
    plat_set_last_error(error);
    return SOCKET_ERROR;
}

int win__address_bytes(int family)
{
    switch (family) {
    case AF_INET:
        return sizeof(struct sockaddr_in);
    case AF_INET6:
        return sizeof(struct sockaddr_in6);
    case AF_UNIX:
        return offsetof(struct sockaddr_un, sun_path);
    default:
        return 0;
    }
}

/* The operations, which are cancelled by now, keep the listener's descriptor: until the last of
 * them is over the kernel would take connections that no thread serves. */
static bool listens_on(struct file *file)
{
    plat_lock(&file->pending_lock);
    bool pends = file->pending[IN_ANY_ORDER].first;
    plat_unlock(&file->pending_lock);
    return pends && win__socket_is(file, SOCKET_LISTENING);
}

/* The last handle is closed: socket.h. */
static void closed(struct file *file)
{
    struct socket *socket = win__socket_of(file);
    atomic_fetch_or(&socket->flags, SOCKET_CLOSED);
    network_events_close(file);
    if (atomic_load(&socket->calls) != socket->parents || listens_on(file))
        shutdown(file->fd, SHUT_RDWR); /* on an unbound socket it fails, but wakes the call */
    else if (socket->parents)
        win__file_let_go(file->fd);
}

static void end(struct file *file)
{
    struct socket *socket = win__socket_of(file);
    if (socket->deferred >= 0)
        close(socket->deferred);
    if (socket->network.event)
        object_drop(socket->network.event); /* the program selected it during the close */
}

/* In a child after fork: the calls under way are those of the parent's threads. They would have the
 * child's closesocket shut the socket down, which is the parent's, too. */
static void forget(struct file *file)
{
    struct socket *socket = win__socket_of(file);
    socket->parents = atomic_load(&socket->calls);
    network_events_forget(file);
}

static const struct file_kind socket_kind = {
    .bytes = sizeof(struct socket), .closed = closed, .end = end, .forget = forget};

SOCKET win__socket_handle(int fd, int family, int type, int protocol, unsigned flags,
                          bool overlapped)
{
    struct file *file = win__file_create_kind(fd, FILE_MAY_READ | FILE_MAY_WRITE, &socket_kind);
    if (!file) {
        win__fail(WSAENOBUFS);
        return INVALID_SOCKET;
    }
    struct socket *socket = win__socket_of(file);
    socket->family = family;
    socket->type = type;
    socket->protocol = protocol;
    socket->flags = flags;
    socket->deferred = -1;
    file->socket = true;
    file->overlapped = overlapped;
    HANDLE handle = win__file_publish(file);
    return handle ? (SOCKET)handle : INVALID_SOCKET;
}

void win__socket_new_options(int fd, int family, int type)
{
    int on = 1;
    if (family != AF_UNIX && type == SOCK_STREAM) /* a port with only ended connections is free */
        RAW5(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6)
        RAW5(SYS_setsockopt, fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
}

void win__socket_inherit(struct file *accepted, const struct file *listener)
{
    struct socket *socket = win__socket_of(accepted);
    const struct socket *from = win__socket_of(listener);
    socket->send_limit = atomic_load(&from->send_limit);
    socket->receive_limit = atomic_load(&from->receive_limit);
    socket->connected_at = plat_now();
    atomic_fetch_and(&socket->flags, ~(unsigned)SOCKET_SHARING);
    atomic_fetch_or(&socket->flags, atomic_load(&from->flags) & SOCKET_SHARING);
}

/* Counts a call on a socket. False: the socket is closed. */
static bool enter(struct socket *socket)
{
    atomic_fetch_add(&socket->calls, 1);
    if (!(atomic_load(&socket->flags) & SOCKET_CLOSED))
        return true;
    atomic_fetch_sub(&socket->calls, 1);
    return false;
}

struct file *win__socket_begin(SOCKET handle)
{
    if (!win__winsock_started())
        return NULL;
    struct object *object = handle_object((HANDLE)handle);
    struct file *file = (struct file *)object;
    if (object && object->type == OBJECT_FILE && file->socket && enter(win__socket_of(file)))
        return file;
    if (object)
        object_drop(object);
    win__fail(WSAENOTSOCK);
    return NULL;
}

void win__socket_leave(struct file *file)
{
    atomic_fetch_sub(&win__socket_of(file)->calls, 1);
}

int win__socket_end(struct file *file, DWORD error)
{
    atomic_fetch_sub(&win__socket_of(file)->calls, 1);
    object_drop(&file->object);
    return error ? win__winsock_fail(error) : 0;
}

int closesocket(SOCKET s)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    /* closesocket does not wait, so it need not be woken. */
    atomic_fetch_sub(&win__socket_of(file)->calls, 1);
    bool gone = handle_close((HANDLE)s);
    object_drop(&file->object);
    return gone ? win__winsock_fail(WSAENOTSOCK) : 0; /* another thread has closed it first */
}

static SOCKET create(int af, int type, int protocol, bool overlapped)
{
    if (!win__winsock_started())
        return INVALID_SOCKET;
    DWORD error = 0;
    if (af == AF_UNSPEC && !type && !protocol)
        error = WSAEINVAL;
    else if (af == AF_UNSPEC)
        af = AF_INET; /* the first family with such a type or protocol */
    if (!type)
        type = protocol == IPPROTO_UDP ? SOCK_DGRAM : SOCK_STREAM;
    if (!error && !win__address_bytes(af))
        error = WSAEAFNOSUPPORT;
    else if (!error && (type < SOCK_STREAM || type > SOCK_SEQPACKET))
        error = WSAESOCKTNOSUPPORT;
    int fd = error ? -1 : socket(af, type | SOCK_CLOEXEC, protocol);
    if (fd < 0) {
        win__fail(error ? error : win__winsock_error(errno));
        return INVALID_SOCKET;
    }
    win__socket_new_options(fd, af, type);
    return win__socket_handle(fd, af, type, protocol, 0, overlapped);
}

SOCKET umsshim_ws_socket(int af, int type, int protocol)
{
    return create(af, type, protocol, true);
}

enum { KNOWN_FLAGS = WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT };

static SOCKET create_extended(int af, int type, int protocol, DWORD flags)
{
    if (win__winsock_started() && (flags & ~(DWORD)KNOWN_FLAGS))
        win__fail(WSAEINVAL);
    else
        return create(af, type, protocol, flags & WSA_FLAG_OVERLAPPED);
    return INVALID_SOCKET;
}

/* The call's parameter, or the field of the protocol's description if the parameter says so. */
#define OF(parameter, info, field)                                                                 \
    ((parameter) == FROM_PROTOCOL_INFO && (info) ? (info)->field : (parameter))

SOCKET WSASocketA(int af, int type, int protocol, LPWSAPROTOCOL_INFOA lpProtocolInfo, GROUP g,
                  DWORD dwFlags)
{
    (void)g;
    return create_extended(OF(af, lpProtocolInfo, iAddressFamily),
                           OF(type, lpProtocolInfo, iSocketType),
                           OF(protocol, lpProtocolInfo, iProtocol), dwFlags);
}

SOCKET WSASocketW(int af, int type, int protocol, LPWSAPROTOCOL_INFOW lpProtocolInfo, GROUP g,
                  DWORD dwFlags)
{
    (void)g;
    return create_extended(OF(af, lpProtocolInfo, iAddressFamily),
                           OF(type, lpProtocolInfo, iSocketType),
                           OF(protocol, lpProtocolInfo, iProtocol), dwFlags);
}
