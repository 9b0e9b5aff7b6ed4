/* SPDX-License-Identifier: MIT
 *
 * sockets.h - shared by the tests of Winsock, which use only the loopback, and ports that the
 * system chooses.
 */
#ifndef UMSSHIM_TESTS_API_SOCKETS_H
#define UMSSHIM_TESTS_API_SOCKETS_H

#include <winsock2.h>
#include <ws2tcpip.h>

#include <mswsock.h>
#include <windows.h>

#include <stdbool.h>

#include "kinds.h"

/* SOCKET_ERROR and this last error wanted; INVALID_SOCKET is the same number. */
#define EXPECT_WSA(call, code)                                                                     \
    ((void)(WSASetLastError((int)SENTINEL),                                                        \
            EXPECT_EQ((int)(call), SOCKET_ERROR) && EXPECT_EQ(WSAGetLastError(), (code))))

/* Each returns false after a recorded failure. */
bool winsock_start(void);
void winsock_stop(void);
/* A socket of 127.0.0.1, whose address goes to *address. */
bool socket_bound(int type, SOCKET *made, struct sockaddr_in *address);
bool socket_listener(SOCKET *listener, struct sockaddr_in *address);
/* Two ends of one connection. */
bool socket_pair(SOCKET pair[2]);
void socket_close(SOCKET one);
/* The function of this id, as programs get it; NULL after a recorded failure. */
void *socket_extension(SOCKET one, GUID id);

/* A test on each kind of thread, each time between the start of Winsock and its end. PAIR_TEST has
 * two ends of a connection in pair[], which are closed behind it. */
#define WINSOCK_TEST(suite, name)                                                                  \
    static void suite##_##name##_started(void);                                                    \
    TEST_IN_EACH_KIND(suite, name)                                                                 \
    {                                                                                              \
        ASSERT_OK(winsock_start());                                                                \
        suite##_##name##_started();                                                                \
        winsock_stop();                                                                            \
    }                                                                                              \
    static void suite##_##name##_started(void)
#define PAIR_TEST(suite, name)                                                                     \
    static void suite##_##name##_on(SOCKET *pair);                                                 \
    WINSOCK_TEST(suite, name)                                                                      \
    {                                                                                              \
        SOCKET pair[2];                                                                            \
        ASSERT_OK(socket_pair(pair));                                                              \
        suite##_##name##_on(pair);                                                                 \
        socket_close(pair[0]);                                                                     \
        socket_close(pair[1]);                                                                     \
    }                                                                                              \
    static void suite##_##name##_on(SOCKET *pair)

#endif
