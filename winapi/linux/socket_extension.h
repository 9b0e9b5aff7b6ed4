/* SPDX-License-Identifier: MIT
 *
 * socket_extension.h - the extension functions that a program gets from WSAIoctl alone.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_EXTENSION_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_EXTENSION_H

#include "winapi/linux/socket_overlapped.h"

BOOL win__connect_ex(SOCKET s, const struct sockaddr *name, int namelen, PVOID lpSendBuffer,
                     DWORD dwSendDataLength, LPDWORD lpdwBytesSent, LPOVERLAPPED lpOverlapped);
/* A fresh descriptor in the place of the old one, whose connection ends by itself. 0, or an errno.
 * Any thread. */
int socket_renew(struct file *file);
BOOL win__disconnect_ex(SOCKET s, LPOVERLAPPED lpOverlapped, DWORD dwFlags, DWORD dwReserved);
INT win__recv_msg(SOCKET s, LPWSAMSG lpMsg, LPDWORD lpdwNumberOfBytesRecvd,
                  LPWSAOVERLAPPED lpOverlapped,
                  LPWSAOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine);

#endif
