/* SPDX-License-Identifier: MIT
 *
 * socket_error.c - the table from errno to Winsock's errors, and situations for which Winsock has
 * another error than the table.
 */
#include <errno.h>

#include "winapi/linux/socket.h"

DWORD win__winsock_error(int posix_error)
{
    switch (posix_error) {
    case EINTR:
        return WSA_OPERATION_ABORTED; /* as in error.c */
    case EBADF:
    case ENOTSOCK:
        return WSAENOTSOCK;
    case EACCES:
    case EPERM:
        return WSAEACCES;
    case EFAULT:
        return WSAEFAULT;
    case EINVAL:
        return WSAEINVAL;
    case EMFILE:
    case ENFILE:
        return WSAEMFILE;
    case EAGAIN:
    case EINPROGRESS:
        return WSAEWOULDBLOCK;
    case EALREADY:
        return WSAEALREADY;
    case EDESTADDRREQ:
        return WSAEDESTADDRREQ;
    case EMSGSIZE:
        return WSAEMSGSIZE;
    case EPROTOTYPE:
        return WSAEPROTOTYPE;
    case ENOPROTOOPT:
        return WSAENOPROTOOPT;
    case EPROTONOSUPPORT:
        return WSAEPROTONOSUPPORT;
    case ESOCKTNOSUPPORT:
        return WSAESOCKTNOSUPPORT;
    case EOPNOTSUPP:
        return WSAEOPNOTSUPP;
    case EPFNOSUPPORT:
        return WSAEPFNOSUPPORT;
    case EAFNOSUPPORT:
        return WSAEAFNOSUPPORT;
    case EADDRINUSE:
    case EEXIST:
        return WSAEADDRINUSE;
    case EADDRNOTAVAIL:
    case ENODEV:
        return WSAEADDRNOTAVAIL;
    case ENETDOWN:
        return WSAENETDOWN;
    case ENETUNREACH:
        return WSAENETUNREACH;
    case ENETRESET:
        return WSAENETRESET;
    case ECONNABORTED:
        return WSAECONNABORTED;
    case ECONNRESET:
        return WSAECONNRESET;
    case ENOBUFS:
    case ENOMEM:
        return WSAENOBUFS;
    case EISCONN:
        return WSAEISCONN;
    case ENOTCONN:
        return WSAENOTCONN;
    case EPIPE:
        return WSAESHUTDOWN;
    case ETIMEDOUT:
        return WSAETIMEDOUT;
    case ECONNREFUSED:
    case ENOENT: /* no such AF_UNIX socket */
        return WSAECONNREFUSED;
    case ELOOP:
        return WSAELOOP;
    case ENAMETOOLONG:
        return WSAENAMETOOLONG;
    case EHOSTDOWN:
        return WSAEHOSTDOWN;
    case EHOSTUNREACH:
        return WSAEHOSTUNREACH;
    default:
        return WSASYSCALLFAILURE;
    }
}

DWORD win__socket_error(const struct file *file, int posix_error)
{
    if (win__socket_is(file, SOCKET_CLOSED))
        return WSAEINTR;
    if (posix_error == EPIPE && !win__socket_is(file, SOCKET_CONNECTED | SOCKET_CONNECTING))
        return WSAENOTCONN;
    if (posix_error == EPIPE && !win__socket_is(file, SOCKET_NO_SEND))
        return WSAECONNRESET; /* the peer's reset came before this call */
    if (posix_error == ECONNREFUSED && win__socket_of(file)->type == SOCK_DGRAM)
        return WSAECONNRESET; /* the peer says that no socket listens there */
    return win__winsock_error(posix_error);
}
