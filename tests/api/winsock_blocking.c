/* SPDX-License-Identifier: MIT
 *
 * winsock_blocking.c - Winsock's calls that wait do wait, on each kind of thread; a worker leaves
 * its scheduler meanwhile, and another thread ends the wait.
 *
 * modes: ways
 * with: sockets.c, folder.c
 * libraries: ws2_32, mswsock
 * except: closesocket_ends_accept, closesocket_ends_recv
 */
#include "sockets.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

static SOCKET waiting, other;
static struct sockaddr_in address;

static void receive(void *unused)
{
    char byte = 0;

    EXPECT_EQ(recv(waiting, &byte, 1, 0), 1);
    EXPECT_EQ(byte, 'x');
}

static void send_one(void *unused)
{
    EXPECT_EQ(send(other, "x", 1, 0), 1);
}

static void pair_on(enum kind kind, void (*block)(void *), void (*release)(void *))
{
    SOCKET pair[2];

    ASSERT_OK(socket_pair(pair));
    waiting = pair[0];
    other = pair[1];
    on_kind(kind, block, release, NULL);
    socket_close(other);
}

TEST(WinsockBlocking, recv)
{
    ASSERT_OK(winsock_start());
    for (enum kind kind = 0; kind < KINDS; kind++) {
        pair_on(kind, receive, send_one);
        socket_close(waiting);
    }
    winsock_stop();
}

static void select_one(void *unused)
{
    fd_set readable;
    struct timeval limit = {10, 0};

    FD_ZERO(&readable);
    FD_SET(waiting, &readable);
    EXPECT_EQ(select(0, &readable, NULL, NULL, &limit), 1);
}

TEST(WinsockBlocking, select)
{
    ASSERT_OK(winsock_start());
    for (enum kind kind = 0; kind < KINDS; kind++) {
        pair_on(kind, select_one, send_one);
        socket_close(waiting);
    }
    winsock_stop();
}

static void receive_until_closed(void *unused)
{
    char byte;
    int got = recv(waiting, &byte, 1, 0);
    int error = WSAGetLastError();

    EXPECT_EQ(got, SOCKET_ERROR);
    EXPECT_THAT(error == WSAEINTR || error == WSAECONNABORTED || error == WSAENOTSOCK, "error %d",
                error);
}

static void close_it(void *unused)
{
    EXPECT_EQ(closesocket(waiting), 0);
}

TEST(WinsockBlocking, closesocket_ends_recv)
{
    ASSERT_OK(winsock_start());
    for (enum kind kind = 0; kind < KINDS; kind++)
        pair_on(kind, receive_until_closed, close_it);
    winsock_stop();
}

static void accept_one(void *unused)
{
    SOCKET accepted;
    struct sockaddr_in peer;
    int length = sizeof peer;

    accepted = accept(waiting, (struct sockaddr *)&peer, &length);
    ASSERT_NE(accepted, INVALID_SOCKET);
    EXPECT_EQ(peer.sin_family, AF_INET);
    EXPECT_EQ(length, sizeof peer);
    socket_close(accepted);
}

static DWORD WINAPI connect_one(LPVOID unused)
{
    other = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(other, (struct sockaddr *)&address, sizeof address), 0);
    return 0;
}

static HANDLE helper;

/* Another thread connects: a worker might leave the scheduler to the one that accepts. */
static void start_to_connect(void *unused)
{
    helper = CreateThread(NULL, 0, connect_one, NULL, 0, NULL);
    EXPECT_OK(helper != NULL);
}

TEST(WinsockBlocking, accept)
{
    ASSERT_OK(winsock_start());
    ASSERT_OK(socket_listener(&waiting, &address));
    for (enum kind kind = 0; kind < KINDS; kind++) {
        on_kind(kind, accept_one, start_to_connect, NULL);
        EXPECT_EQ(WaitForSingleObject(helper, 10000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(helper));
        socket_close(other);
    }
    socket_close(waiting);
    winsock_stop();
}

static void accept_until_closed(void *unused)
{
    SOCKET accepted = accept(waiting, NULL, NULL);
    int error = WSAGetLastError();

    EXPECT_EQ(accepted, INVALID_SOCKET);
    EXPECT_THAT(error == WSAEINTR || error == WSAENOTSOCK, "error %d", error);
}

TEST(WinsockBlocking, closesocket_ends_accept)
{
    ASSERT_OK(winsock_start());
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ASSERT_OK(socket_listener(&waiting, &address));
        on_kind(kind, accept_until_closed, close_it, NULL);
    }
    winsock_stop();
}

enum { LOTS = 2 << 20 };

static char lots_out[LOTS], lots_in[LOTS];

static void send_lots(void *unused)
{
    EXPECT_EQ(send(waiting, lots_out, LOTS, 0), LOTS);
}

static DWORD WINAPI receive_lots(LPVOID unused)
{
    int total = 0, got;

    while (total < LOTS && (got = recv(other, lots_in + total, LOTS - total, 0)) > 0)
        total += got;
    EXPECT_EQ(total, LOTS);
    return 0;
}

/* Another thread receives: a worker that did would leave the scheduler to the sender. */
static void start_to_receive(void *unused)
{
    helper = CreateThread(NULL, 0, receive_lots, NULL, 0, NULL);
    EXPECT_OK(helper != NULL);
}

TEST(WinsockBlocking, send)
{
    SOCKET pair[2];
    int little = 16384;

    ASSERT_OK(winsock_start());
    for (int i = 0; i < LOTS; i++)
        lots_out[i] = (char)(i * 31 >> 3);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        ASSERT_OK(socket_pair(pair));
        EXPECT_EQ(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, (char *)&little, sizeof little), 0);
        EXPECT_EQ(setsockopt(pair[1], SOL_SOCKET, SO_RCVBUF, (char *)&little, sizeof little), 0);
        waiting = pair[0];
        other = pair[1];
        memset(lots_in, 0, LOTS);
        on_kind(kind, send_lots, start_to_receive, NULL);
        EXPECT_EQ(WaitForSingleObject(helper, 10000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(helper));
        EXPECT_EQ(memcmp(lots_in, lots_out, LOTS), 0);
        socket_close(pair[0]);
        socket_close(pair[1]);
    }
    winsock_stop();
}
