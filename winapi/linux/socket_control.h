/* SPDX-License-Identifier: MIT
 *
 * socket_control.h - the control data of a datagram that is sent.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_CONTROL_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_CONTROL_H

#include "winapi/linux/socket.h"

/* Makes a copy of the program's control data Linux's. 0, or WSAEINVAL: a level is not IP's, or a
 * length is wrong. The copy has the alignment of a header. */
DWORD win__control_to_send(void *copy, size_t bytes);

#endif
