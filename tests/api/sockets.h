/* SPDX-License-Identifier: MIT
 *
 * sockets.h - what the tests of Winsock share. Only the loopback, and ports that the system
 * chooses.
 */
#ifndef UMSSHIM_TESTS_API_SOCKETS_H
#define UMSSHIM_TESTS_API_SOCKETS_H

#include <winsock2.h>
#include <ws2tcpip.h>

#include <mswsock.h>
#include <windows.h>

#include <stdbool.h>

/* SOCKET_ERROR and this last error wanted; INVALID_SOCKET is the same number. */
#define EXPECT_WSA(call, code)                                                                     \
    ((void)(WSASetLastError((int)TC_SENTINEL),                                                     \
            TC_CMP((int)(call), ==, SOCKET_ERROR) && TC_CMP(WSAGetLastError(), ==, (code))))

/* Each returns false after a recorded failure. */
bool winsock_start(void);
void winsock_stop(void);
/* A socket of 127.0.0.1, whose address goes to *address. */
bool socket_bound(int type, SOCKET *made, struct sockaddr_in *address);
bool socket_listener(SOCKET *listener, struct sockaddr_in *address);
/* Two ends of one connection. */
bool socket_pair(SOCKET pair[2]);
void socket_close(SOCKET one);

#endif
