/* SPDX-License-Identifier: MIT
 *
 * socket_option.c - getsockopt, setsockopt.
 *
 * Most options are passed on to Linux under the same name. This file has the options with another
 * type or meaning on Windows, and those that only Windows has.
 */
#include <errno.h>
#include <string.h>
#include <sys/un.h>

#include "winapi/linux/socket.h"

enum { NO_OPTION = -1 }; /* Linux has the option, with the same meaning */

static int put(char *to, int *room, const void *from, int bytes)
{
    if (*room < bytes)
        return WSAEFAULT;
    memcpy(to, from, (size_t)bytes);
    *room = bytes;
    return 0;
}

static int put_int(char *to, int *room, int value)
{
    if (*room == 1) { /* the program's variable is a BOOLEAN */
        *to = (char)(value != 0);
        return 0;
    }
    return put(to, room, &value, sizeof value);
}

static DWORD get_linger(struct file *file, struct linger *linger)
{
    socklen_t bytes = sizeof *linger;
    return getsockopt(file->fd, SOL_SOCKET, SO_LINGER, linger, &bytes)
               ? win__socket_error(file, errno)
               : 0;
}

static int get_buffer_size(struct file *file, int name, char *to, int *room)
{
    int bytes = 0;
    socklen_t length = sizeof bytes;
    if (getsockopt(file->fd, SOL_SOCKET, name, &bytes, &length))
        return (int)win__socket_error(file, errno);
    return put_int(to, room, bytes / 2); /* Linux doubles the size for its own use */
}

static int get_error(struct file *file, char *to, int *room)
{
    int failure = 0;
    socklen_t length = sizeof failure;
    if (*room < (int)sizeof failure)
        return WSAEFAULT;
    if (getsockopt(file->fd, SOL_SOCKET, SO_ERROR, &failure, &length))
        return (int)win__socket_error(file, errno);
    if (!failure)
        failure = atomic_exchange(&win__socket_of(file)->connect_error, 0);
    return put_int(to, room, failure ? (int)win__socket_error(file, failure) : 0);
}

static int get_connect_time(const struct file *file, char *to, int *room)
{
    uint64_t since = win__socket_of(file)->connected_at;
    return put_int(to, room, since ? (int)((plat_now() - since) / 1000000000u) : -1);
}

static int get_protocol(const struct file *file, bool wide, char *to, int *room)
{
    static const char *const names[] = {"MSAFD Tcpip [TCP/IP]", "MSAFD Tcpip [UDP/IP]"};
    const struct socket *socket = win__socket_of(file);
    bool stream = socket->type == SOCK_STREAM;
    WSAPROTOCOL_INFOW info = {
        .dwServiceFlags1 = stream ? 0x20066 : 0x20609, /* XP1_...: reliable stream, datagrams */
        .dwProviderFlags = 8,                          /* PFL_MATCHES_PROTOCOL_ZERO */
        .dwCatalogEntryId = stream ? 1001 : 1002,
        .ProtocolChain = {.ChainLen = 1},
        .iVersion = 2,
        .iAddressFamily = socket->family,
        .iMaxSockAddr = socket->family == AF_UNIX ? (int)sizeof(struct sockaddr_un)
                                                  : win__address_bytes(socket->family),
        .iMinSockAddr = win__address_bytes(socket->family),
        .iSocketType = socket->type,
        .iProtocol = socket->protocol            ? socket->protocol
                     : socket->family == AF_UNIX ? 0
                     : stream                    ? IPPROTO_TCP
                                                 : IPPROTO_UDP,
        .dwMessageSize = stream ? 0 : 65467};
    const char *name = names[!stream];
    if (wide) {
        for (size_t i = 0; name[i]; i++)
            info.szProtocol[i] = (WCHAR)name[i];
        return put(to, room, &info, sizeof info);
    }
    WSAPROTOCOL_INFOA narrow;
    memcpy(&narrow, &info, offsetof(WSAPROTOCOL_INFOA, szProtocol));
    memset(narrow.szProtocol, 0, sizeof narrow.szProtocol);
    strcpy(narrow.szProtocol, name);
    return put(to, room, &narrow, sizeof narrow);
}

/* 0, Winsock's error, or NO_OPTION. */
static int get_own(struct file *file, int name, char *to, int *room)
{
    struct linger linger;
    switch (name) {
    case SO_REUSEADDR:
        return put_int(to, room, win__socket_is(file, SOCKET_REUSE));
    case SO_EXCLUSIVEADDRUSE:
        return put_int(to, room, win__socket_is(file, SOCKET_EXCLUSIVE));
    case SO_DONTLINGER: {
        DWORD error = get_linger(file, &linger);
        return error ? (int)error : put_int(to, room, !linger.l_onoff);
    }
    case SO_SNDBUF:
    case SO_RCVBUF:
        return get_buffer_size(file, name, to, room);
    case SO_SNDTIMEO:
        return put_int(to, room, (int)win__socket_of(file)->send_limit);
    case SO_RCVTIMEO:
        return put_int(to, room, (int)win__socket_of(file)->receive_limit);
    case SO_ERROR:
        return get_error(file, to, room);
    case SO_CONNECT_TIME:
        return get_connect_time(file, to, room);
    case SO_MAX_MSG_SIZE:
        return put_int(to, room, win__socket_of(file)->type == SOCK_STREAM ? -1 : 65507);
    case SO_PROTOCOL_INFOA:
    case SO_PROTOCOL_INFOW:
        return get_protocol(file, name == SO_PROTOCOL_INFOW, to, room);
    default:
        return NO_OPTION;
    }
}

/* The option that asks for control data. On Windows it has the name of the data; Linux has two
 * names. */
static int told_option(int level, int name)
{
    if (level != IPPROTO_IPV6)
        return name;
    return name == IPV6_PKTINFO    ? IPV6_RECVPKTINFO
           : name == IPV6_HOPLIMIT ? IPV6_RECVHOPLIMIT
                                   : name;
}

int umsshim_ws_getsockopt(SOCKET s, int level, int optname, char *optval, int *optlen)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    int error = NO_OPTION;
    if (!optval || !optlen || *optlen < 1)
        error = WSAEFAULT;
    else if (level == SOL_SOCKET)
        error = get_own(file, optname, optval, optlen);
    if (error == NO_OPTION) {
        int value = 0;
        struct linger linger;
        bool lingers = level == SOL_SOCKET && optname == SO_LINGER;
        bool whole = lingers || *optlen > (int)sizeof value;
        void *to = lingers ? (void *)&linger : whole ? (void *)optval : (void *)&value;
        socklen_t bytes = lingers ? sizeof linger : whole ? (socklen_t)*optlen : sizeof value;
        if (getsockopt(file->fd, level, told_option(level, optname), to, &bytes))
            error = errno == EOPNOTSUPP ? WSAENOPROTOOPT : (int)win__socket_error(file, errno);
        else if (lingers)
            error = put(optval, optlen, &linger, sizeof linger);
        else if (whole)
            error = 0, *optlen = (int)bytes;
        else
            error = bytes == 1 ? put_int(optval, optlen, *(char *)&value)
                               : put_int(optval, optlen, value);
    }
    return win__socket_end(file, (DWORD)error);
}

static int set_limit(struct file *file, int name, DWORD milliseconds)
{
    struct timeval limit = {milliseconds / 1000, milliseconds % 1000 * 1000};
    if (milliseconds == INFINITE)
        limit = (struct timeval){0, 0};
    if (setsockopt(file->fd, SOL_SOCKET, name, &limit, sizeof limit))
        return (int)win__socket_error(file, errno);
    *(name == SO_SNDTIMEO ? &win__socket_of(file)->send_limit
                          : &win__socket_of(file)->receive_limit) = milliseconds;
    return 0;
}

/* SO_REUSEADDR and SO_EXCLUSIVEADDRUSE exclude each other. Streams always share their address with
 * ended connections (socket.c), and never with one another. */
static int set_sharing(struct file *file, unsigned flag, unsigned other, int on)
{
    struct socket *socket = win__socket_of(file);
    if (on && win__socket_is(file, other))
        return WSAEINVAL;
    if (flag == SOCKET_EXCLUSIVE && win__socket_is(file, SOCKET_BOUND))
        return WSAEINVAL;
    int share = flag == SOCKET_REUSE && on;
    if (socket->type != SOCK_STREAM &&
        setsockopt(file->fd, SOL_SOCKET, SO_REUSEADDR, &share, sizeof share))
        return (int)win__socket_error(file, errno);
    if (on)
        atomic_fetch_or(&socket->flags, flag);
    else
        atomic_fetch_and(&socket->flags, ~flag);
    return 0;
}

static int update_accepted(SOCKET listener)
{
    struct file *file = win__socket_begin(listener);
    if (!file)
        return (int)GetLastError();
    bool listens = win__socket_is(file, SOCKET_LISTENING);
    win__socket_end(file, 0);
    return listens ? 0 : WSAEINVAL;
}

static int set_own(struct file *file, int name, const char *from, int bytes, int value)
{
    struct linger linger;
    SOCKET listener;
    switch (name) {
    case SO_REUSEADDR:
        return set_sharing(file, SOCKET_REUSE, SOCKET_EXCLUSIVE, value);
    case SO_EXCLUSIVEADDRUSE:
        return set_sharing(file, SOCKET_EXCLUSIVE, SOCKET_REUSE, value);
    case SO_DONTLINGER:
        if (get_linger(file, &linger) == 0)
            linger.l_onoff = !value;
        return setsockopt(file->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger)
                   ? (int)win__socket_error(file, errno)
                   : 0;
    case SO_LINGER:
        return bytes < (int)sizeof linger ? WSAEFAULT : NO_OPTION;
    case SO_SNDTIMEO:
    case SO_RCVTIMEO:
        return set_limit(file, name, (DWORD)value);
    case SO_UPDATE_ACCEPT_CONTEXT:
        if (bytes < (int)sizeof listener)
            return WSAEFAULT;
        memcpy(&listener, from, sizeof listener);
        return update_accepted(listener);
    case SO_UPDATE_CONNECT_CONTEXT:
        return win__socket_is(file, SOCKET_CONNECTED) ? 0 : WSAENOTCONN;
    case SO_CONDITIONAL_ACCEPT:
        return 0; /* accept asks the condition, when the connection exists */
    case SO_ERROR:
    case SO_CONNECT_TIME:
    case SO_MAX_MSG_SIZE:
    case SO_PROTOCOL_INFOA:
    case SO_PROTOCOL_INFOW:
        return WSAENOPROTOOPT; /* the program can only read it */
    default:
        return NO_OPTION;
    }
}

int umsshim_ws_setsockopt(SOCKET s, int level, int optname, const char *optval, int optlen)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    int error = NO_OPTION, value = 0;
    bool without = level == SOL_SOCKET && optname == SO_UPDATE_CONNECT_CONTEXT;
    if (!without && (!optval || optlen < 1))
        error = WSAEFAULT;
    else if (!without)
        memcpy(&value, optval, optlen < (int)sizeof value ? 1 : sizeof value);
    if (error == NO_OPTION && level == SOL_SOCKET)
        error = set_own(file, optname, optval, optlen, value);
    if (error == NO_OPTION) {
        bool narrow = optlen < (int)sizeof value; /* a BOOLEAN */
        error = setsockopt(file->fd, level, told_option(level, optname),
                           narrow ? (const void *)&value : optval,
                           narrow ? sizeof value : (socklen_t)optlen)
                    ? (int)win__socket_error(file, errno)
                    : 0;
        if (error == WSAEOPNOTSUPP)
            error = WSAENOPROTOOPT;
    }
    return win__socket_end(file, (DWORD)error);
}
