/* SPDX-License-Identifier: MIT
 *
 * socket_overlapped.h - functions that all overlapped operations on sockets use.
 *
 * An operation has the error that a port reports, which is a Win32 error (ERROR_NETNAME_DELETED for
 * a connection that was reset). A completion routine, WSAGetOverlappedResult and a call that fails
 * at once get Winsock's error.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_OVERLAPPED_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_OVERLAPPED_H

#include "winapi/linux/overlapped.h"
#include "winapi/linux/socket.h"

/* Ends the operation with an errno. Returns true, for the step function. Any thread. */
bool socket_operation_fails(struct operation *operation, long failure);
/* For step functions. True: the socket was not ready, so the operation waits for `events` and makes
 * its call again; or that wait has ended now. */
bool socket_operation_again(struct operation *operation, long result, uint32_t events);

/* Makes an operation in a call that has begun; ends the call if that fails. NULL with the last
 * error. */
struct operation *socket_operation(struct file *file, OVERLAPPED *overlapped,
                                   LPWSAOVERLAPPED_COMPLETION_ROUTINE routine, size_t extra);
/* Begins the operation. 0, or SOCKET_ERROR with the last error, which may be WSA_IO_PENDING.
 * `enables`: network events that the call enables again. */
int socket_operation_begin(struct operation *operation, DWORD *bytes, unsigned enables);

#endif
