/* SPDX-License-Identifier: MIT
 *
 * winsock_overlapped.c - overlapped sockets: by event, by procedure and by port, AcceptEx and
 * ConnectEx, and operations whose socket is closed.
 *
 * modes: ways
 * with: sockets.c, folder.c
 * libraries: ws2_32, mswsock
 * except: closing_ends_what_is_under_way, sockets_that_cannot_accept, all_that_was_asked_for
 */
#include "sockets.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { LIMIT_MS = 10000, SHORT_MS = 20 };

PAIR_TEST(WinsockOverlapped, by_event)
{
    char first[4] = "", second[4] = "";
    WSABUF into[2] = {{2, first}, {3, second}}, from = {5, (char *)"hello"};
    WSAOVERLAPPED receiving = {0}, sending = {0};
    DWORD bytes = 0, flags = 0;

    receiving.hEvent = WSACreateEvent();
    EXPECT_WSA(WSARecv(pair[0], into, 2, NULL, &flags, &receiving, NULL), WSA_IO_PENDING);
    EXPECT_EQ(WSAWaitForMultipleEvents(1, &receiving.hEvent, TRUE, 0, FALSE), WSA_WAIT_TIMEOUT);
    EXPECT_OK(!WSAGetOverlappedResult(pair[0], &receiving, &bytes, FALSE, &flags));
    EXPECT_EQ(WSAGetLastError(), WSA_IO_INCOMPLETE);
    EXPECT_EQ(WSASend(pair[1], &from, 1, &bytes, 0, &sending, NULL), 0);
    EXPECT_EQ(bytes, 5);
    EXPECT_EQ(WSAWaitForMultipleEvents(1, &receiving.hEvent, TRUE, LIMIT_MS, FALSE),
              WSA_WAIT_EVENT_0);
    EXPECT_OK(WSAGetOverlappedResult(pair[0], &receiving, &bytes, FALSE, &flags));
    EXPECT_EQ(bytes, 5);
    EXPECT_STREQ(first, "he");
    EXPECT_STREQ(second, "llo");
    EXPECT_OK(WSACloseEvent(receiving.hEvent));
}

/* However it comes; the end of the stream ends it, too. */
PAIR_TEST(WinsockOverlapped, all_that_was_asked_for)
{
    char first[4] = "", second[8] = "";
    WSABUF into[2] = {{3, first}, {5, second}};
    static const DWORD others[] = {MSG_OOB, MSG_PEEK, MSG_PARTIAL};
    WSAOVERLAPPED receiving = {0};
    DWORD bytes = 0, flags = MSG_WAITALL;

    receiving.hEvent = WSACreateEvent();
    EXPECT_EQ(send(pair[1], "ab", 2, 0), 2);
    EXPECT_WSA(WSARecv(pair[0], into, 2, NULL, &flags, &receiving, NULL), WSA_IO_PENDING);
    EXPECT_EQ(send(pair[1], "cde", 3, 0), 3);
    EXPECT_EQ(WSAWaitForMultipleEvents(1, &receiving.hEvent, TRUE, SHORT_MS, FALSE),
              WSA_WAIT_TIMEOUT);
    EXPECT_EQ(send(pair[1], "fghi", 4, 0), 4);
    EXPECT_OK(WSAGetOverlappedResult(pair[0], &receiving, &bytes, TRUE, &flags));
    EXPECT_EQ(bytes, 8);
    EXPECT_STREQ(first, "abc");
    EXPECT_STREQ(second, "defgh");
    flags = MSG_WAITALL;
    EXPECT_WSA(WSARecv(pair[0], into, 2, NULL, &flags, &receiving, NULL), WSA_IO_PENDING);
    EXPECT_EQ(shutdown(pair[1], SD_SEND), 0);
    EXPECT_OK(WSAGetOverlappedResult(pair[0], &receiving, &bytes, TRUE, &flags));
    EXPECT_EQ(bytes, 1);
    EXPECT_EQ(first[0], 'i');
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        flags = MSG_WAITALL | others[i];
        EXPECT_WSA(WSARecv(pair[0], into, 2, NULL, &flags, &receiving, NULL), WSAEOPNOTSUPP);
        EXPECT_WSA(WSARecv(pair[0], into, 2, &bytes, &flags, NULL, NULL), WSAEOPNOTSUPP);
        EXPECT_WSA(recv(pair[0], first, 1, (int)flags), WSAEOPNOTSUPP);
    }
    EXPECT_OK(WSACloseEvent(receiving.hEvent));
}

PAIR_TEST(WinsockOverlapped, without_an_overlapped)
{
    char text[8] = "";
    WSABUF into = {sizeof text, text}, from[2] = {{2, (char *)"he"}, {3, (char *)"llo"}};
    DWORD bytes = 0, flags = 0;

    EXPECT_EQ(WSASend(pair[1], from, 2, &bytes, 0, NULL, NULL), 0);
    EXPECT_EQ(bytes, 5);
    EXPECT_EQ(WSARecv(pair[0], &into, 1, &bytes, &flags, NULL, NULL), 0);
    EXPECT_EQ(bytes, 5);
    EXPECT_STREQ(text, "hello");
    EXPECT_WSA(WSARecv(pair[0], &into, 1, &bytes, NULL, NULL, NULL), WSAEFAULT);
    EXPECT_WSA(WSASend(INVALID_SOCKET, from, 2, &bytes, 0, NULL, NULL), WSAENOTSOCK);
}

static DWORD told_error, told_bytes;

static void CALLBACK tell(DWORD error, DWORD bytes, LPWSAOVERLAPPED overlapped, DWORD flags)
{
    told_error = error;
    told_bytes = bytes;
}

PAIR_TEST(WinsockOverlapped, by_procedure)
{
    char text[8] = "";
    WSABUF into = {sizeof text, text};
    WSAOVERLAPPED receiving = {0};
    DWORD flags = 0;

    told_error = told_bytes = 77;
    EXPECT_WSA(WSARecv(pair[0], &into, 1, NULL, &flags, &receiving, tell), WSA_IO_PENDING);
    EXPECT_EQ(send(pair[1], "abc", 3, 0), 3);
    EXPECT_EQ(SleepEx(LIMIT_MS, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(told_error, 0);
    EXPECT_EQ(told_bytes, 3);
}

/* The packet that a port gives out next. */
static void expect_packet(HANDLE port, ULONG_PTR key, OVERLAPPED *overlapped, DWORD bytes,
                          DWORD error)
{
    DWORD got = 0, failure;
    ULONG_PTR got_key = 0;
    OVERLAPPED *got_overlapped = NULL;

    SetLastError(0);
    failure = GetQueuedCompletionStatus(port, &got, &got_key, &got_overlapped, LIMIT_MS)
                  ? 0
                  : GetLastError();
    EXPECT_EQ(failure, error);
    EXPECT_EQ(got, bytes);
    EXPECT_EQ(got_key, key);
    EXPECT_EQ((void *)got_overlapped, (void *)overlapped);
}

WINSOCK_TEST(WinsockOverlapped, accept_and_connect_by_port)
{
    enum { ROOM = sizeof(struct sockaddr_in) + 16 };
    GUID accept_id = WSAID_ACCEPTEX, connect_id = WSAID_CONNECTEX,
         names_id = WSAID_GETACCEPTEXSOCKADDRS;
    SOCKET listener, accepted, one, unbound;
    struct sockaddr_in address, own, *local = NULL, *remote = NULL;
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    OVERLAPPED accepting = {0}, connecting = {0}, receiving = {0};
    _Alignas(8) char buffer[8 + 2 * ROOM]; /* aligned for the addresses in it */
    char text[8] = "";
    WSABUF into = {sizeof text, text};
    DWORD bytes = 0, flags = 0;
    int local_length = 0, remote_length = 0, seconds = -1, length = sizeof seconds;
    LPFN_ACCEPTEX accept_ex;
    LPFN_CONNECTEX connect_ex;
    LPFN_GETACCEPTEXSOCKADDRS get_names;

    ASSERT_OK(socket_listener(&listener, &address));
    ASSERT_OK(socket_bound(SOCK_STREAM, &one, &own));
    accept_ex = (LPFN_ACCEPTEX)socket_extension(listener, accept_id);
    connect_ex = (LPFN_CONNECTEX)socket_extension(listener, connect_id);
    get_names = (LPFN_GETACCEPTEXSOCKADDRS)socket_extension(listener, names_id);
    ASSERT_OK(accept_ex && connect_ex && get_names);
    accepted = socket(AF_INET, SOCK_STREAM, 0);
    unbound = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)listener, port, 1, 0), port);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)one, port, 2, 0), port);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)accepted, port, 3, 0), port);
    EXPECT_OK(!connect_ex(unbound, (struct sockaddr *)&address, sizeof address, NULL, 0, NULL,
                          &connecting));
    EXPECT_EQ(WSAGetLastError(), WSAEINVAL);

    EXPECT_OK(!accept_ex(listener, accepted, buffer, 8, ROOM, ROOM, &bytes, &accepting));
    EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
    if (!connect_ex(one, (struct sockaddr *)&address, sizeof address, NULL, 0, &bytes, &connecting))
        EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
    expect_packet(port, 2, &connecting, 0, 0); /* the other end waits for data yet */
    EXPECT_EQ(setsockopt(one, SOL_SOCKET, SO_UPDATE_CONNECT_CONTEXT, NULL, 0), 0);
    EXPECT_EQ(send(one, "good day", 8, 0), 8);
    expect_packet(port, 1, &accepting, 8, 0);
    EXPECT_EQ(memcmp(buffer, "good day", 8), 0);
    EXPECT_EQ(setsockopt(accepted, SOL_SOCKET, SO_UPDATE_ACCEPT_CONTEXT, (char *)&listener,
                         sizeof listener),
              0);
    get_names(buffer, 8, ROOM, ROOM, (struct sockaddr **)&local, &local_length,
              (struct sockaddr **)&remote, &remote_length);
    EXPECT_EQ(local_length, sizeof *local);
    EXPECT_EQ(local->sin_port, address.sin_port);
    EXPECT_EQ(remote->sin_port, own.sin_port);
    EXPECT_EQ(getsockopt(accepted, SOL_SOCKET, SO_CONNECT_TIME, (char *)&seconds, &length), 0);
    EXPECT_GE(seconds, 0);

    EXPECT_WSA(WSARecv(accepted, &into, 1, NULL, &flags, &receiving, NULL), WSA_IO_PENDING);
    EXPECT_EQ(send(one, "abc", 3, 0), 3);
    expect_packet(port, 3, &receiving, 3, 0);
    EXPECT_STREQ(text, "abc");
    EXPECT_WSA(WSARecv(accepted, &into, 1, NULL, &flags, &receiving, NULL), WSA_IO_PENDING);
    socket_close(one);
    expect_packet(port, 3, &receiving, 0, 0); /* the peer has closed */
    socket_close(accepted);
    socket_close(unbound);
    socket_close(listener);
    EXPECT_OK(CloseHandle(port));
}

WINSOCK_TEST(WinsockOverlapped, sockets_that_cannot_accept)
{
    enum { ROOM = sizeof(struct sockaddr_in) + 16 };
    SOCKET listener, bound, fresh;
    struct sockaddr_in address;
    OVERLAPPED accepting = {0};
    char buffer[2 * ROOM];
    DWORD bytes = 0;

    ASSERT_OK(socket_listener(&listener, &address));
    ASSERT_OK(socket_bound(SOCK_STREAM, &bound, &address));
    fresh = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_FAILS(AcceptEx(bound, fresh, buffer, 0, ROOM, ROOM, &bytes, &accepting), WSAEINVAL);
    EXPECT_FAILS(AcceptEx(listener, bound, buffer, 0, ROOM, ROOM, &bytes, &accepting), WSAEINVAL);
    EXPECT_FAILS(AcceptEx(listener, fresh, buffer, 0, 4, ROOM, &bytes, &accepting), WSAEFAULT);
    EXPECT_FAILS(AcceptEx(listener, INVALID_SOCKET, buffer, 0, ROOM, ROOM, &bytes, &accepting),
                 WSAENOTSOCK);
    EXPECT_FAILS(AcceptEx(INVALID_SOCKET, fresh, buffer, 0, ROOM, ROOM, &bytes, &accepting),
                 WSAENOTSOCK);
    socket_close(fresh);
    socket_close(bound);
    socket_close(listener);
}

WINSOCK_TEST(WinsockOverlapped, closing_ends_what_is_under_way)
{
    enum { ROOM = sizeof(struct sockaddr_in) + 16 };
    SOCKET pair[2], listener, accepted;
    struct sockaddr_in address;
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    OVERLAPPED accepting = {0}, receiving = {0};
    char text[8], buffer[2 * ROOM];
    WSABUF into = {sizeof text, text};
    DWORD flags = 0, bytes = 0;

    ASSERT_OK(socket_pair(pair));
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pair[0], port, 5, 0), port);
    EXPECT_WSA(WSARecv(pair[0], &into, 1, NULL, &flags, &receiving, NULL), WSA_IO_PENDING);
    EXPECT_OK(CancelIoEx((HANDLE)pair[0], &receiving));
    expect_packet(port, 5, &receiving, 0, ERROR_OPERATION_ABORTED);
    EXPECT_WSA(WSARecv(pair[0], &into, 1, NULL, &flags, &receiving, NULL), WSA_IO_PENDING);
    socket_close(pair[0]);
    expect_packet(port, 5, &receiving, 0, ERROR_OPERATION_ABORTED);
    socket_close(pair[1]);

    ASSERT_OK(socket_listener(&listener, &address));
    accepted = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)listener, port, 6, 0), port);
    EXPECT_OK(!AcceptEx(listener, accepted, buffer, 0, ROOM, ROOM, &bytes, &accepting));
    EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
    socket_close(listener);
    expect_packet(port, 6, &accepting, 0, ERROR_OPERATION_ABORTED);
    socket_close(accepted);
    EXPECT_OK(CloseHandle(port));
}
