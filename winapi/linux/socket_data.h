/* SPDX-License-Identifier: MIT
 *
 * socket_data.h - sending and receiving on a socket whose call has begun.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_DATA_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_DATA_H

#include <sys/uio.h>

#include "winapi/linux/socket.h"

enum { MAX_DATAGRAM = 65507 };

/* 0 or Winsock's error. Of a stream that blocks all is sent; the vector is used up. */
DWORD win__socket_send(struct file *file, struct msghdr *message, int flags, DWORD *sent);

/* The same. *flags: as the program gives them, and as Winsock gives them back. A datagram that is
 * longer than the buffers fills them, and is WSAEMSGSIZE. */
DWORD win__socket_receive(struct file *file, struct msghdr *message, int *flags, DWORD *received);

#endif
