/* SPDX-License-Identifier: MIT
 *
 * socket_data.h - sends and receives on a socket, in a call that has begun (socket.h).
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_DATA_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_DATA_H

#include <sys/uio.h>

#include "winapi/linux/socket.h"

enum { MAX_DATAGRAM = 65507 };

/* 0 or Winsock's error. On a blocking stream it sends all. Changes the vector. */
DWORD win__socket_send(struct file *file, struct msghdr *message, int flags, DWORD *sent);

/* False: WSAEOPNOTSUPP. MSG_WAITALL goes with none of the others. */
bool win__receive_flags_are_right(int flags);

/* 0 or Winsock's error. *flags: first the program's, then Winsock's for the program. A datagram
 * that is longer than the buffers fills them, with WSAEMSGSIZE. */
DWORD win__socket_receive(struct file *file, struct msghdr *message, int *flags, DWORD *received);

#endif
