/* SPDX-License-Identifier: MIT
 *
 * socket_ioctl.c - ioctlsocket: whether a socket blocks, and what there is to read.
 */
#include <errno.h>

#include "winapi/linux/socket.h"

static DWORD set_nonblocking(struct file *file, bool on)
{
    int value = on;
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
        error = set_nonblocking(file, *argp != 0);
    } else if (cmd == FIONREAD) {
        error = ask(file, FIONREAD, argp);
    } else if (cmd == SIOCATMARK) {
        error = ask(file, SIOCATMARK, argp);
        *argp = !error && !*argp; /* TRUE: there is no urgent data ahead */
    } else {
        error = WSAEOPNOTSUPP;
    }
    return win__socket_end(file, error);
}
