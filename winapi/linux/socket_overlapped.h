/* SPDX-License-Identifier: MIT
 *
 * socket_overlapped.h - what overlapped operations on sockets share.
 *
 * An operation ends with the error that a port reports, which is Win32's (ERROR_NETNAME_DELETED for
 * a connection that was reset); a completion routine, WSAGetOverlappedResult and a call that fails
 * at once say Winsock's.
 */
#ifndef UMSSHIM_WINAPI_LINUX_SOCKET_OVERLAPPED_H
#define UMSSHIM_WINAPI_LINUX_SOCKET_OVERLAPPED_H

#include "winapi/linux/overlapped.h"
#include "winapi/linux/socket.h"

/* Ends the operation with an errno; true, for the step function to return. Any thread. */
bool socket_operation_fails(struct operation *operation, long failure);
/* In a step function. True: the system call was not made, for the socket was not ready though its
 * descriptor does not block: the operation waits for `events` and makes the call again. Or this was
 * the end of that wait. */
bool socket_operation_again(struct operation *operation, long result, uint32_t events);

/* An operation on a socket whose call has begun, which it ends if this fails. NULL: the last error
 * is set. */
struct operation *socket_operation(struct file *file, OVERLAPPED *overlapped,
                                   LPWSAOVERLAPPED_COMPLETION_ROUTINE routine, size_t extra);
/* Begins it. 0, or SOCKET_ERROR with the last error, WSA_IO_PENDING among them. `enables`: events
 * of the network that the call enables again. */
int socket_operation_begin(struct operation *operation, DWORD *bytes, unsigned enables);

#endif
