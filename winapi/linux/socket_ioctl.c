/* SPDX-License-Identifier: MIT
 *
 * socket_ioctl.c - ioctlsocket and WSAIoctl: blocking, bytes to read, keep-alive times, and the
 * extension functions.
 */
#include <errno.h>
#include <string.h>

#include "winapi/linux/socket_extension.h"

DWORD win__set_nonblocking(struct file *file, bool on)
{
    int value = on;
    if (!on && network_events_selected(file))
        return WSAEINVAL;
    if (ioctl(file->fd, FIONBIO, &value))
        return win__socket_error(file, errno);
    if (on)
        atomic_fetch_or(&win__socket_of(file)->flags, SOCKET_NONBLOCKING);
    else
        atomic_fetch_and(&win__socket_of(file)->flags, ~(unsigned)SOCKET_NONBLOCKING);
    return 0;
}

static DWORD ask(struct file *file, unsigned long request, ULONG *answer)
{
    int value = 0;
    if (ioctl(file->fd, request, &value))
        return errno == ENOTTY ? WSAEOPNOTSUPP : win__socket_error(file, errno);
    *answer = (ULONG)value;
    return 0;
}

int ioctlsocket(SOCKET s, LONG cmd, ULONG *argp)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    DWORD error;
    if (!argp) {
        error = WSAEFAULT;
    } else if (cmd == FIONBIO) {
        error = win__set_nonblocking(file, *argp != 0);
    } else if (cmd == FIONREAD) {
        error = ask(file, FIONREAD, argp);
    } else if (cmd == SIOCATMARK) {
        error = ask(file, SIOCATMARK, argp);
        *argp = !error && !*argp; /* TRUE: no urgent data is ahead */
    } else {
        error = WSAEOPNOTSUPP;
    }
    return win__socket_end(file, error);
}

/* ---- WSAIoctl -------------------------------------------------------------------------------- */

struct keepalive {            /* tcp_keepalive of <mstcpip.h> */
    ULONG on, time, interval; /* milliseconds */
};

static DWORD set_keepalive(struct file *file, const struct keepalive *asked)
{
    int on = asked->on != 0;
    int idle = (int)((asked->time + 999) / 1000), interval = (int)((asked->interval + 999) / 1000);
    if (setsockopt(file->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on))
        return win__socket_error(file, errno);
    if (on && (setsockopt(file->fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle) ||
               setsockopt(file->fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval)))
        return win__socket_error(file, errno);
    return 0;
}

static void *extension(const GUID *id)
{
    static const struct {
        GUID id;
        void *function;
    } known[] = {{WSAID_ACCEPTEX, (void *)AcceptEx},
                 {WSAID_GETACCEPTEXSOCKADDRS, (void *)GetAcceptExSockaddrs},
                 {WSAID_TRANSMITFILE, (void *)TransmitFile},
                 {WSAID_CONNECTEX, (void *)win__connect_ex},
                 {WSAID_DISCONNECTEX, (void *)win__disconnect_ex},
                 {WSAID_WSASENDMSG, (void *)WSASendMsg},
                 {WSAID_WSARECVMSG, (void *)win__recv_msg}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!memcmp(&known[i].id, id, sizeof *id))
            return known[i].function;
    return NULL;
}

/* 0 or Winsock's error. */
static DWORD control(SOCKET s, struct file *file, DWORD code, const void *in, DWORD in_bytes,
                     void *out, DWORD out_bytes, DWORD *written)
{
    void *function;
    switch (code) {
    case SIO_GET_EXTENSION_FUNCTION_POINTER:
        if (!in || in_bytes < sizeof(GUID) || !out || out_bytes < sizeof function)
            return WSAEFAULT;
        function = extension(in);
        if (!function)
            return WSAEINVAL;
        memcpy(out, &function, sizeof function);
        *written = sizeof function;
        return 0;
    case SIO_BASE_HANDLE: /* no layer is above it */
        if (!out || out_bytes < sizeof s)
            return WSAEFAULT;
        memcpy(out, &s, sizeof s);
        *written = sizeof s;
        return 0;
    case SIO_UDP_CONNRESET:
        if (!in || in_bytes < sizeof(BOOL))
            return WSAEFAULT;
        if (*(const BOOL *)in)
            atomic_fetch_and(&win__socket_of(file)->flags, ~(unsigned)SOCKET_NO_RESETS);
        else
            atomic_fetch_or(&win__socket_of(file)->flags, SOCKET_NO_RESETS);
        return 0;
    case SIO_KEEPALIVE_VALS:
        return in && in_bytes >= sizeof(struct keepalive) ? set_keepalive(file, in) : WSAEFAULT;
    case FIONBIO:
        return in && in_bytes >= sizeof(ULONG) ? win__set_nonblocking(file, *(const ULONG *)in)
                                               : WSAEFAULT;
    case FIONREAD:
        if (!out || out_bytes < sizeof(ULONG))
            return WSAEFAULT;
        *written = sizeof(ULONG);
        return ask(file, FIONREAD, out);
    default:
        return WSAEOPNOTSUPP;
    }
}

int WSAIoctl(SOCKET s, DWORD dwIoControlCode, LPVOID lpvInBuffer, DWORD cbInBuffer,
             LPVOID lpvOutBuffer, DWORD cbOutBuffer, LPDWORD lpcbBytesReturned,
             LPWSAOVERLAPPED lpOverlapped, LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    struct file *file = win__socket_begin(s);
    if (!file)
        return SOCKET_ERROR;
    DWORD written = 0, error = WSAEFAULT;
    if (lpOverlapped || lpCompletionRoutine)
        error = WSAEOPNOTSUPP; /* no call here takes long enough */
    else if (lpcbBytesReturned)
        error = control(s, file, dwIoControlCode, lpvInBuffer, cbInBuffer, lpvOutBuffer,
                        cbOutBuffer, &written);
    if (lpcbBytesReturned)
        *lpcbBytesReturned = error ? 0 : written;
    return win__socket_end(file, error);
}
