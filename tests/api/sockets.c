/* SPDX-License-Identifier: MIT
 *
 * sockets.c - see sockets.h.
 */
#include "sockets.h"

#include "gtest_c.h"

#include <string.h>

bool winsock_start(void)
{
    WSADATA data;

    return EXPECT_EQ(WSAStartup(MAKEWORD(2, 2), &data), 0);
}

void winsock_stop(void)
{
    EXPECT_EQ(WSACleanup(), 0);
}

bool socket_bound(int type, SOCKET *made, struct sockaddr_in *address)
{
    int length = sizeof *address;

    memset(address, 0, sizeof *address);
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *made = socket(AF_INET, type, 0);
    return EXPECT_NE(*made, INVALID_SOCKET) &&
           EXPECT_EQ(bind(*made, (struct sockaddr *)address, sizeof *address), 0) &&
           EXPECT_EQ(getsockname(*made, (struct sockaddr *)address, &length), 0);
}

bool socket_listener(SOCKET *listener, struct sockaddr_in *address)
{
    return socket_bound(SOCK_STREAM, listener, address) &&
           EXPECT_EQ(listen(*listener, SOMAXCONN), 0);
}

bool socket_pair(SOCKET pair[2])
{
    SOCKET listener = INVALID_SOCKET;
    struct sockaddr_in address;

    pair[0] = pair[1] = INVALID_SOCKET;
    if (!socket_listener(&listener, &address))
        return false;
    pair[0] = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    if (!EXPECT_NE(pair[0], INVALID_SOCKET) ||
        !EXPECT_EQ(connect(pair[0], (struct sockaddr *)&address, sizeof address), 0))
        return false;
    pair[1] = accept(listener, NULL, NULL);
    return EXPECT_NE(pair[1], INVALID_SOCKET) && EXPECT_EQ(closesocket(listener), 0);
}

void socket_close(SOCKET one)
{
    EXPECT_EQ(closesocket(one), 0);
}

void *socket_extension(SOCKET one, GUID id)
{
    void *function = NULL;
    DWORD bytes = 0;

    EXPECT_EQ(WSAIoctl(one, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &function,
                       sizeof function, &bytes, NULL, NULL),
              0);
    return function;
}
