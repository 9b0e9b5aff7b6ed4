/* SPDX-License-Identifier: MIT
 *
 * winsock_events.c - WSAEventSelect and WSAEnumNetworkEvents: events are recorded once for all that
 * has come, and certain calls let them be recorded again.
 *
 * modes: ways
 * with: sockets.c, folder.c
 * libraries: ws2_32, mswsock
 * except: a_connection_is_reset, bad_arguments
 * except: room_is_told_once_and_after_a_send_that_would_block
 */
#include "sockets.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { SOON_MS = 30, LIMIT_MS = 10000 };

/* Waits until all of these have been recorded, in whatever portions; records a failure if others
 * come, or one has another error than this. */
static void expect_events(SOCKET one, WSAEVENT event, long wanted, int error)
{
    WSANETWORKEVENTS found;
    long seen = 0;

    while (seen != wanted) {
        int bit;

        if (!EXPECT_EQ(WSAWaitForMultipleEvents(1, &event, TRUE, LIMIT_MS, FALSE),
                       WSA_WAIT_EVENT_0))
            return;
        memset(&found, 0, sizeof found);
        EXPECT_EQ(WSAEnumNetworkEvents(one, event, &found), 0);
        for (bit = 0; bit < FD_MAX_EVENTS; bit++)
            if (found.lNetworkEvents & (1 << bit))
                EXPECT_EQ(found.iErrorCode[bit], error);
        seen |= found.lNetworkEvents;
        if (!EXPECT_EQ(seen & ~wanted, 0))
            return;
    }
}

/* Nothing is recorded, and nothing comes soon. */
static void expect_none(SOCKET one, WSAEVENT event)
{
    WSANETWORKEVENTS found;

    EXPECT_EQ(WSAWaitForMultipleEvents(1, &event, TRUE, SOON_MS, FALSE), WSA_WAIT_TIMEOUT);
    memset(&found, 0, sizeof found);
    EXPECT_EQ(WSAEnumNetworkEvents(one, NULL, &found), 0);
    EXPECT_EQ(found.lNetworkEvents, 0);
}

WINSOCK_TEST(WinsockEvents, a_connection_is_made)
{
    SOCKET listener, one, accepted;
    struct sockaddr_in address;
    WSAEVENT coming, going;

    coming = WSACreateEvent();
    going = WSACreateEvent();
    ASSERT_OK(socket_listener(&listener, &address));
    EXPECT_EQ(WSAEventSelect(listener, coming, FD_ACCEPT | FD_READ), 0);
    expect_none(listener, coming);
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(WSAEventSelect(one, going, FD_CONNECT | FD_WRITE), 0);
    expect_none(one, going);
    if (connect(one, (struct sockaddr *)&address, sizeof address))
        EXPECT_EQ(WSAGetLastError(), WSAEWOULDBLOCK);
    expect_events(one, going, FD_CONNECT | FD_WRITE, 0);
    expect_events(listener, coming, FD_ACCEPT, 0);
    expect_none(listener, coming); /* until it is accepted */
    accepted = accept(listener, NULL, NULL);
    ASSERT_NE(accepted, INVALID_SOCKET);
    expect_none(listener, coming);
    EXPECT_WSA(accept(listener, NULL, NULL), WSAEWOULDBLOCK); /* WSAEventSelect set that mode */
    EXPECT_EQ(WSAEventSelect(accepted, NULL, 0), 0);
    socket_close(accepted);
    socket_close(one);
    socket_close(listener);
    EXPECT_OK(WSACloseEvent(coming));
    EXPECT_OK(WSACloseEvent(going));
}

WINSOCK_TEST(WinsockEvents, each_connection_that_waits_is_told)
{
    SOCKET listener, ones[2], accepted;
    struct sockaddr_in address;
    WSAEVENT event;
    int i;

    event = WSACreateEvent();
    ASSERT_OK(socket_listener(&listener, &address));
    for (i = 0; i < 2; i++) {
        ones[i] = socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(connect(ones[i], (struct sockaddr *)&address, sizeof address), 0);
    }
    EXPECT_EQ(WSAEventSelect(listener, event, FD_ACCEPT), 0); /* they are there already */
    for (i = 0; i < 2; i++) {
        expect_events(listener, event, FD_ACCEPT, 0);
        accepted = accept(listener, NULL, NULL);
        ASSERT_NE(accepted, INVALID_SOCKET);
        socket_close(accepted);
        socket_close(ones[i]);
    }
    expect_none(listener, event);
    socket_close(listener);
    EXPECT_OK(WSACloseEvent(event));
}

WINSOCK_TEST(WinsockEvents, a_connection_is_refused)
{
    SOCKET bound, one;
    struct sockaddr_in address;
    WSAEVENT event;

    event = WSACreateEvent();
    ASSERT_OK(socket_bound(SOCK_STREAM, &bound, &address)); /* the port is nobody else's */
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(WSAEventSelect(one, event, FD_CONNECT), 0);
    EXPECT_WSA(connect(one, (struct sockaddr *)&address, sizeof address), WSAEWOULDBLOCK);
    expect_events(one, event, FD_CONNECT, WSAECONNREFUSED);
    expect_none(one, event);
    socket_close(one);
    socket_close(bound);
    EXPECT_OK(WSACloseEvent(event));
}

WINSOCK_TEST(WinsockEvents, data_is_told_until_it_is_read)
{
    SOCKET pair[2];
    WSAEVENT event;
    char bytes[8];
    WSANETWORKEVENTS found;

    event = WSACreateEvent();
    ASSERT_OK(socket_pair(pair));
    EXPECT_EQ(WSAEventSelect(pair[0], event, FD_READ | FD_CLOSE), 0);
    expect_none(pair[0], event);
    EXPECT_EQ(send(pair[1], "abcd", 4, 0), 4);
    expect_events(pair[0], event, FD_READ, 0);
    EXPECT_EQ(send(pair[1], "efgh", 4, 0), 4);
    expect_none(pair[0], event); /* nobody has read meanwhile */
    EXPECT_EQ(recv(pair[0], bytes, 2, 0), 2);
    EXPECT_EQ(WSAWaitForMultipleEvents(1, &event, TRUE, LIMIT_MS, FALSE), WSA_WAIT_EVENT_0);
    memset(&found, 0, sizeof found);
    EXPECT_EQ(WSAEnumNetworkEvents(pair[0], NULL, &found), 0); /* leaves the event as it is */
    EXPECT_EQ(found.lNetworkEvents, FD_READ);
    EXPECT_EQ(WSAWaitForMultipleEvents(1, &event, TRUE, 0, FALSE), WSA_WAIT_EVENT_0);
    EXPECT_OK(WSAResetEvent(event));
    EXPECT_EQ(recv(pair[0], bytes, 6, MSG_WAITALL), 6);
    expect_none(pair[0], event);
    EXPECT_WSA(recv(pair[0], bytes, 1, 0), WSAEWOULDBLOCK);
    EXPECT_EQ(WSAEventSelect(pair[0], NULL, 0), 0);
    EXPECT_EQ(send(pair[1], "x", 1, 0), 1);
    EXPECT_EQ(WSAWaitForMultipleEvents(1, &event, TRUE, SOON_MS, FALSE), WSA_WAIT_TIMEOUT);
    EXPECT_EQ(WSAEventSelect(pair[0], event, FD_READ), 0);
    expect_events(pair[0], event, FD_READ, 0); /* what is there already counts */
    socket_close(pair[0]);
    socket_close(pair[1]);
    EXPECT_OK(WSACloseEvent(event));
}

WINSOCK_TEST(WinsockEvents, room_is_told_once_and_after_a_send_that_would_block)
{
    static char block[1 << 16];
    SOCKET pair[2];
    WSAEVENT event;
    u_long on = 1;
    long long sent = 0;
    int put;

    event = WSACreateEvent();
    ASSERT_OK(socket_pair(pair));
    EXPECT_EQ(WSAEventSelect(pair[0], event, FD_WRITE), 0);
    expect_events(pair[0], event, FD_WRITE, 0);
    EXPECT_EQ(send(pair[0], block, 1, 0), 1);
    expect_none(pair[0], event);
    for (sent = 1; (put = send(pair[0], block, sizeof block, 0)) > 0; sent += put)
        ;
    EXPECT_EQ(WSAGetLastError(), WSAEWOULDBLOCK);
    EXPECT_EQ(ioctlsocket(pair[1], FIONBIO, &on), 0);
    while (sent > 0) {
        fd_set readable;
        struct timeval limit = {LIMIT_MS / 1000, 0};

        FD_ZERO(&readable);
        FD_SET(pair[1], &readable);
        ASSERT_EQ(select(0, &readable, NULL, NULL, &limit), 1);
        put = recv(pair[1], block, sizeof block, 0);
        ASSERT_GE(put, 1);
        sent -= put;
    }
    expect_events(pair[0], event, FD_WRITE, 0);
    EXPECT_EQ(send(pair[0], block, 1, 0), 1);
    socket_close(pair[0]);
    socket_close(pair[1]);
    EXPECT_OK(WSACloseEvent(event));
}

WINSOCK_TEST(WinsockEvents, the_end_is_told_after_all_data)
{
    SOCKET pair[2];
    WSAEVENT event;
    char bytes[8];

    event = WSACreateEvent();
    ASSERT_OK(socket_pair(pair));
    EXPECT_EQ(WSAEventSelect(pair[0], event, FD_READ | FD_CLOSE), 0);
    EXPECT_EQ(send(pair[1], "abcd", 4, 0), 4);
    expect_events(pair[0], event, FD_READ, 0);
    EXPECT_EQ(shutdown(pair[1], SD_SEND), 0);
    EXPECT_EQ(recv(pair[0], bytes, 4, 0), 4);
    expect_events(pair[0], event, FD_CLOSE, 0);
    EXPECT_EQ(recv(pair[0], bytes, 4, 0), 0);
    expect_none(pair[0], event); /* once */
    socket_close(pair[0]);
    socket_close(pair[1]);
    EXPECT_OK(WSACloseEvent(event));
}

WINSOCK_TEST(WinsockEvents, a_connection_is_reset)
{
    SOCKET pair[2];
    WSAEVENT event;
    struct linger at_once = {1, 0};

    event = WSACreateEvent();
    ASSERT_OK(socket_pair(pair));
    EXPECT_EQ(WSAEventSelect(pair[0], event, FD_READ | FD_CLOSE), 0);
    EXPECT_EQ(setsockopt(pair[1], SOL_SOCKET, SO_LINGER, (char *)&at_once, sizeof at_once), 0);
    socket_close(pair[1]);
    expect_events(pair[0], event, FD_CLOSE, WSAECONNRESET);
    socket_close(pair[0]);
    EXPECT_OK(WSACloseEvent(event));
}

WINSOCK_TEST(WinsockEvents, urgent_data_and_datagrams)
{
    SOCKET pair[2], one, other;
    struct sockaddr_in address, other_address;
    WSAEVENT event;
    char byte;

    event = WSACreateEvent();
    ASSERT_OK(socket_pair(pair));
    EXPECT_EQ(WSAEventSelect(pair[0], event, FD_OOB), 0);
    EXPECT_EQ(send(pair[1], "!", 1, MSG_OOB), 1);
    expect_events(pair[0], event, FD_OOB, 0);
    EXPECT_EQ(recv(pair[0], &byte, 1, MSG_OOB), 1);
    EXPECT_EQ(byte, '!');
    socket_close(pair[0]);
    socket_close(pair[1]);

    ASSERT_OK(socket_bound(SOCK_DGRAM, &one, &address));
    ASSERT_OK(socket_bound(SOCK_DGRAM, &other, &other_address));
    EXPECT_EQ(WSAEventSelect(one, event, FD_READ | FD_WRITE), 0);
    expect_events(one, event, FD_WRITE, 0);
    EXPECT_EQ(sendto(other, "a", 1, 0, (struct sockaddr *)&address, sizeof address), 1);
    EXPECT_EQ(sendto(other, "b", 1, 0, (struct sockaddr *)&address, sizeof address), 1);
    expect_events(one, event, FD_READ, 0);
    EXPECT_EQ(recv(one, &byte, 1, 0), 1);
    expect_events(one, event, FD_READ, 0);
    EXPECT_EQ(recv(one, &byte, 1, 0), 1);
    expect_none(one, event);
    socket_close(one);
    socket_close(other);
    EXPECT_OK(WSACloseEvent(event));
}

WINSOCK_TEST(WinsockEvents, an_accepted_socket_has_its_listeners)
{
    SOCKET listener, one, accepted;
    struct sockaddr_in address;
    WSAEVENT event;

    event = WSACreateEvent();
    ASSERT_OK(socket_listener(&listener, &address));
    EXPECT_EQ(WSAEventSelect(listener, event, FD_ACCEPT | FD_READ), 0);
    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(one, (struct sockaddr *)&address, sizeof address), 0);
    expect_events(listener, event, FD_ACCEPT, 0);
    accepted = accept(listener, NULL, NULL);
    ASSERT_NE(accepted, INVALID_SOCKET);
    EXPECT_EQ(send(one, "a", 1, 0), 1);
    expect_events(accepted, event, FD_READ, 0);
    socket_close(accepted);
    socket_close(one);
    socket_close(listener);
    EXPECT_OK(WSACloseEvent(event));
}

WINSOCK_TEST(WinsockEvents, bad_arguments)
{
    SOCKET pair[2];
    WSAEVENT event;
    WSANETWORKEVENTS found;
    u_long off = 0;

    event = WSACreateEvent();
    ASSERT_OK(socket_pair(pair));
    EXPECT_WSA(WSAEventSelect(INVALID_SOCKET, event, FD_READ), WSAENOTSOCK);
    EXPECT_WSA(WSAEventSelect((SOCKET)event, event, FD_READ), WSAENOTSOCK);
    EXPECT_WSA(WSAEventSelect(pair[0], NULL, FD_READ), WSAEINVAL);
    EXPECT_WSA(WSAEnumNetworkEvents(INVALID_SOCKET, event, &found), WSAENOTSOCK);
    EXPECT_WSA(WSAEnumNetworkEvents(pair[0], event, NULL), WSAEFAULT);
    EXPECT_EQ(WSAEventSelect(pair[0], event, FD_READ), 0);
    EXPECT_WSA(ioctlsocket(pair[0], FIONBIO, &off), WSAEINVAL);
    EXPECT_EQ(WSAEventSelect(pair[0], NULL, 0), 0);
    EXPECT_EQ(ioctlsocket(pair[0], FIONBIO, &off), 0);
    socket_close(pair[0]);
    EXPECT_WSA(WSAEventSelect(pair[0], event, FD_READ), WSAENOTSOCK);
    EXPECT_WSA(WSAEnumNetworkEvents(pair[0], event, &found), WSAENOTSOCK);
    socket_close(pair[1]);
    EXPECT_OK(WSACloseEvent(event));
}

struct waiting {
    SOCKET pair[2];
    WSAEVENT event;
};

static void wait_for_data(void *arg)
{
    struct waiting *waiting = arg;

    EXPECT_EQ(WSAWaitForMultipleEvents(1, &waiting->event, FALSE, LIMIT_MS, FALSE),
              WSA_WAIT_EVENT_0);
    EXPECT_OK(WSAResetEvent(waiting->event));
}

static void send_data(void *arg)
{
    struct waiting *waiting = arg;

    EXPECT_EQ(send(waiting->pair[1], "a", 1, 0), 1);
}

TEST(WinsockEvents, a_worker_that_waits_leaves_its_scheduler)
{
    int kind;

    ASSERT_OK(winsock_start());
    for (kind = 0; kind < KINDS; kind++) {
        struct waiting waiting;

        waiting.event = WSACreateEvent();
        ASSERT_OK(socket_pair(waiting.pair));
        EXPECT_EQ(WSAEventSelect(waiting.pair[0], waiting.event, FD_READ), 0);
        on_kind((enum kind)kind, wait_for_data, send_data, &waiting);
        socket_close(waiting.pair[0]);
        socket_close(waiting.pair[1]);
        EXPECT_OK(WSACloseEvent(waiting.event));
    }
    winsock_stop();
}
