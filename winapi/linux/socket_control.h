/* SPDX-License-Identifier: MIT
 *
 * socket_control.h - control data that a datagram is sent with.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_CONTROL_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_CONTROL_H

#include "winapi/linux/socket.h"

/* Makes a copy of the program's control data Linux's. 0, or WSAEINVAL: some are of another level
 * than IP's, or a length is none that the bytes have room for. The copy is aligned as a header. */
DWORD win__control_to_send(void *copy, size_t bytes);

#endif
