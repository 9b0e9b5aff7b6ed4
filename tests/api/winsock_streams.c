/* SPDX-License-Identifier: MIT
 *
 * winsock_streams.c - connections and datagrams: bytes come out as they went in, in each of the
 * ways to wait for them, and each end of a connection is told as Winsock tells it.
 *
 * modes: ways
 * with: sockets.c, folder.c
 * libraries: ws2_32, mswsock
 * except: no_datagram_comes_to_a_socket_without_address
 */
#include "sockets.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { SOON_MS = 30, LIMIT_MS = 10000 };

PAIR_TEST(WinsockStreams, there_and_back)
{
    char buffer[16] = "";

    EXPECT_EQ(send(pair[0], "hello", 5, 0), 5);
    EXPECT_EQ(recv(pair[1], buffer, 2, MSG_PEEK), 2);
    EXPECT_EQ(recv(pair[1], buffer, 5, MSG_WAITALL), 5);
    EXPECT_STREQ(buffer, "hello");
    EXPECT_EQ(shutdown(pair[0], SD_SEND), 0);
    EXPECT_WSA(send(pair[0], "x", 1, 0), WSAESHUTDOWN);
    EXPECT_EQ(recv(pair[1], buffer, 5, 0), 0);
    EXPECT_EQ(shutdown(pair[1], SD_RECEIVE), 0);
    EXPECT_WSA(recv(pair[1], buffer, 5, 0), WSAESHUTDOWN);
    EXPECT_WSA(shutdown(pair[1], 9), WSAEINVAL);
}

WINSOCK_TEST(WinsockStreams, a_socket_is_a_handle)
{
    SOCKET pair[2];
    char buffer[16] = "";

    ASSERT_OK(socket_pair(pair));
    EXPECT_EQ(GetFileType((HANDLE)pair[0]), FILE_TYPE_PIPE);
    EXPECT_OK(CloseHandle((HANDLE)pair[0]));
    EXPECT_EQ(recv(pair[1], buffer, 5, 0), 0);
    socket_close(pair[1]);
}

WINSOCK_TEST(WinsockStreams, without_blocking)
{
    SOCKET listener, one, accepted;
    struct sockaddr_in address;
    struct timeval limit = {LIMIT_MS / 1000, 0};
    u_long on = 1, waiting = 77;
    char byte;
    fd_set writable, failed, readable;

    ASSERT_OK(socket_listener(&listener, &address));
    EXPECT_EQ(ioctlsocket(listener, FIONBIO, &on), 0);
    EXPECT_WSA(accept(listener, NULL, NULL), WSAEWOULDBLOCK);
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(ioctlsocket(one, FIONBIO, &on), 0);
    if (connect(one, (struct sockaddr *)&address, sizeof address))
        EXPECT_EQ(WSAGetLastError(), WSAEWOULDBLOCK);
    FD_ZERO(&writable);
    FD_ZERO(&failed);
    FD_SET(one, &writable);
    FD_SET(one, &failed);
    ASSERT_EQ(select(0, NULL, &writable, &failed, &limit), 1);
    EXPECT_OK(FD_ISSET(one, &writable));
    EXPECT_OK(!FD_ISSET(one, &failed));
    EXPECT_WSA(connect(one, (struct sockaddr *)&address, sizeof address), WSAEISCONN);
    FD_ZERO(&readable);
    FD_SET(listener, &readable);
    FD_SET(one, &readable);
    ASSERT_EQ(select(0, &readable, NULL, NULL, &limit), 1);
    EXPECT_OK(FD_ISSET(listener, &readable));
    accepted = accept(listener, NULL, NULL);
    ASSERT_NE(accepted, INVALID_SOCKET);
    EXPECT_WSA(recv(accepted, &byte, 1, 0), WSAEWOULDBLOCK); /* as its listener */
    EXPECT_EQ(send(one, "abc", 3, 0), 3);
    FD_ZERO(&readable);
    FD_SET(accepted, &readable);
    ASSERT_EQ(select(0, &readable, NULL, NULL, &limit), 1);
    EXPECT_EQ(ioctlsocket(accepted, FIONREAD, &waiting), 0);
    EXPECT_EQ(waiting, 3);
    EXPECT_WSA(ioctlsocket(accepted, FIONBIO, NULL), WSAEFAULT);
    socket_close(accepted);
    socket_close(one);
    socket_close(listener);
}

WINSOCK_TEST(WinsockStreams, nobody_listens)
{
    SOCKET bound, one;
    struct sockaddr_in address;
    struct timeval limit = {LIMIT_MS / 1000, 0};
    u_long on = 1;
    int error = 0, length = sizeof error;
    fd_set writable, failed;

    ASSERT_OK(socket_bound(SOCK_STREAM, &bound, &address)); /* the port is nobody else's */
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_WSA(connect(one, (struct sockaddr *)&address, sizeof address), WSAECONNREFUSED);
    socket_close(one);
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(ioctlsocket(one, FIONBIO, &on), 0);
    EXPECT_WSA(connect(one, (struct sockaddr *)&address, sizeof address), WSAEWOULDBLOCK);
    FD_ZERO(&writable);
    FD_ZERO(&failed);
    FD_SET(one, &writable);
    FD_SET(one, &failed);
    ASSERT_EQ(select(0, NULL, &writable, &failed, &limit), 1);
    EXPECT_OK(FD_ISSET(one, &failed));
    EXPECT_EQ(getsockopt(one, SOL_SOCKET, SO_ERROR, (char *)&error, &length), 0);
    EXPECT_EQ(error, WSAECONNREFUSED);
    socket_close(one);
    socket_close(bound);
}

WINSOCK_TEST(WinsockStreams, times_run_out)
{
    SOCKET pair[2];
    struct timeval soon = {0, SOON_MS * 1000};
    DWORD limit = SOON_MS;
    char byte;
    fd_set readable, none;
    WSAPOLLFD polled;

    ASSERT_OK(socket_pair(pair));
    EXPECT_EQ(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, (char *)&limit, sizeof limit), 0);
    EXPECT_WSA(recv(pair[0], &byte, 1, 0), WSAETIMEDOUT);
    FD_ZERO(&readable);
    FD_SET(pair[0], &readable);
    EXPECT_EQ(select(0, &readable, NULL, NULL, &soon), 0);
    EXPECT_EQ(readable.fd_count, 0);
    FD_ZERO(&none);
    EXPECT_WSA(select(0, &none, NULL, NULL, &soon), WSAEINVAL);
    EXPECT_WSA(select(0, NULL, NULL, NULL, &soon), WSAEINVAL);
    polled.fd = pair[0];
    polled.events = POLLRDNORM;
    EXPECT_EQ(WSAPoll(&polled, 1, SOON_MS), 0);
    EXPECT_EQ(send(pair[1], "x", 1, 0), 1);
    EXPECT_EQ(WSAPoll(&polled, 1, LIMIT_MS), 1);
    EXPECT_EQ(polled.revents, POLLRDNORM);
    socket_close(pair[0]);
    EXPECT_WSA(WSAPoll(&polled, 1, SOON_MS), WSAENOTSOCK);
    EXPECT_EQ(polled.revents, POLLNVAL);
    socket_close(pair[1]);
}

WINSOCK_TEST(WinsockStreams, datagrams)
{
    SOCKET one, other;
    struct sockaddr_in own, address, from;
    int length = sizeof from;
    char buffer[16] = "", big[65508];

    memset(big, 0, sizeof big);
    ASSERT_OK(socket_bound(SOCK_DGRAM, &one, &own));
    ASSERT_OK(socket_bound(SOCK_DGRAM, &other, &address));
    EXPECT_EQ(sendto(one, "hello", 5, 0, (struct sockaddr *)&address, sizeof address), 5);
    EXPECT_EQ(recvfrom(other, buffer, sizeof buffer, 0, (struct sockaddr *)&from, &length), 5);
    EXPECT_STREQ(buffer, "hello");
    EXPECT_EQ(from.sin_port, own.sin_port);
    EXPECT_EQ(length, sizeof from);
    EXPECT_EQ(sendto(one, "hello", 5, 0, (struct sockaddr *)&address, sizeof address), 5);
    EXPECT_WSA(recv(other, buffer, 3, 0), WSAEMSGSIZE);
    EXPECT_WSA(sendto(one, big, sizeof big, 0, (struct sockaddr *)&address, sizeof address),
               WSAEMSGSIZE);
    socket_close(one);
    socket_close(other);
}

WINSOCK_TEST(WinsockStreams, no_datagram_comes_to_a_socket_without_address)
{
    SOCKET one;
    char byte;

    one = socket(AF_INET, SOCK_DGRAM, 0);
    EXPECT_WSA(listen(one, 1), WSAEOPNOTSUPP);
    EXPECT_WSA(send(one, "x", 1, 0), WSAENOTCONN);
    EXPECT_WSA(recv(one, &byte, 1, 0), WSAEINVAL);
    socket_close(one);
}

static int CALLBACK decide(LPWSABUF caller, LPWSABUF data, LPQOS qos, LPQOS group_qos,
                           LPWSABUF callee, LPWSABUF answer, GROUP *group, DWORD_PTR verdict)
{
    EXPECT_EQ(((struct sockaddr *)caller->buf)->sa_family, AF_INET);
    EXPECT_EQ(((struct sockaddr *)callee->buf)->sa_family, AF_INET);
    return (int)verdict;
}

TEST(WinsockStreams, a_condition_to_accept)
{
    SOCKET listener, one, accepted;
    struct sockaddr_in address;

    ASSERT_OK(winsock_start());
    ASSERT_OK(socket_listener(&listener, &address));
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(one, (struct sockaddr *)&address, sizeof address), 0);
    EXPECT_WSA(WSAAccept(listener, NULL, NULL, decide, CF_DEFER), WSATRY_AGAIN);
    accepted = WSAAccept(listener, NULL, NULL, decide, CF_ACCEPT);
    EXPECT_NE(accepted, INVALID_SOCKET);
    socket_close(one);
    socket_close(accepted);
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(one, (struct sockaddr *)&address, sizeof address), 0);
    EXPECT_WSA(WSAAccept(listener, NULL, NULL, decide, CF_REJECT), WSAECONNREFUSED);
    socket_close(one);
    socket_close(listener);
    winsock_stop();
}
