/* SPDX-License-Identifier: MIT
 *
 * socket_extension.h - functions that a program can get only from WSAIoctl.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_EXTENSION_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_EXTENSION_H

#include "winapi/linux/socket_overlapped.h"

BOOL win__connect_ex(SOCKET s, const struct sockaddr *name, int namelen, PVOID lpSendBuffer,
                     DWORD dwSendDataLength, LPDWORD lpdwBytesSent, LPOVERLAPPED lpOverlapped);
/* Gives the socket a new descriptor; the old connection ends on its own. 0, or an errno. Any
 * thread. */
int socket_renew(struct file *file);
BOOL win__disconnect_ex(SOCKET s, LPOVERLAPPED lpOverlapped, DWORD dwFlags, DWORD dwReserved);
INT win__recv_msg(SOCKET s, LPWSAMSG lpMsg, LPDWORD lpdwNumberOfBytesRecvd,
                  LPWSAOVERLAPPED lpOverlapped,
                  LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine);

#endif
