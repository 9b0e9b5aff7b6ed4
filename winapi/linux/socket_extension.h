/* SPDX-License-Identifier: MIT
 *
 * socket_extension.h - the extension functions that a program gets from WSAIoctl alone.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_EXTENSION_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_EXTENSION_H

#include "winapi/linux/socket_overlapped.h"

BOOL win__connect_ex(SOCKET s, const struct sockaddr *name, int namelen, PVOID lpSendBuffer,
                     DWORD dwSendDataLength, LPDWORD lpdwBytesSent, LPOVERLAPPED lpOverlapped);
BOOL win__disconnect_ex(SOCKET s, LPOVERLAPPED lpOverlapped, DWORD dwFlags, DWORD dwReserved);

#endif
