/* SPDX-License-Identifier: MIT
 *
 * winsock_reuse.c - sockets that serve one connection after another: DisconnectEx, and AcceptEx and
 * ConnectEx on the same socket again. And every extension function is there.
 *
 * modes: ways
 * with: sockets.c, folder.c
 * libraries: ws2_32, mswsock
 * except: options_of_one_connection, options_as_new, the_address_of_an_old_connection, a_socket_that_accepts_again, a_socket_that_connects_again, an_end_without_reuse
 */
#include "sockets.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { LIMIT_MS = 10000, ROOM = sizeof(struct sockaddr_in) + 16, ROUNDS = 3 };

/* 0 or Winsock's error. */
static int find(SOCKET one, const GUID *id, DWORD id_bytes, void *function, DWORD bytes)
{
    GUID copy = *id;
    DWORD written = 77;

    if (WSAIoctl(one, SIO_GET_EXTENSION_FUNCTION_POINTER, &copy, id_bytes, function, bytes,
                 &written, NULL, NULL) == SOCKET_ERROR)
        return WSAGetLastError();
    EXPECT_EQ(written, sizeof(void *));
    return 0;
}

WINSOCK_TEST(WinsockReuse, every_extension_function)
{
    static const GUID ids[] = {
        WSAID_ACCEPTEX,     WSAID_CONNECTEX,  WSAID_DISCONNECTEX, WSAID_GETACCEPTEXSOCKADDRS,
        WSAID_TRANSMITFILE, WSAID_WSARECVMSG, WSAID_WSASENDMSG};
    static const GUID unknown = {1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
    enum { KNOWN = sizeof ids / sizeof *ids };
    void *found[KNOWN];
    SOCKET one;
    int i, other;

    one = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_NE(one, INVALID_SOCKET);
    for (i = 0; i < KNOWN; i++) {
        found[i] = NULL;
        EXPECT_EQ(find(one, &ids[i], sizeof ids[i], &found[i], sizeof found[i]), 0);
        EXPECT_OK(found[i]);
        for (other = 0; other < i; other++)
            EXPECT_NE(found[other], found[i]);
    }
    EXPECT_EQ(find(one, &unknown, sizeof unknown, &found[0], sizeof found[0]), WSAEINVAL);
    EXPECT_EQ(find(INVALID_SOCKET, &ids[0], sizeof ids[0], &found[0], sizeof found[0]),
              WSAENOTSOCK);
    socket_close(one);
}

static LPFN_DISCONNECTEX disconnect_function(SOCKET one)
{
    static const GUID id = WSAID_DISCONNECTEX;
    LPFN_DISCONNECTEX function = NULL;

    EXPECT_EQ(find(one, &id, sizeof id, &function, sizeof function), 0);
    return function;
}

/* The packet of this operation, which has ended well, without a byte. */
static void expect_end(HANDLE port, OVERLAPPED *overlapped)
{
    DWORD bytes = 77;
    ULONG_PTR key;
    OVERLAPPED *told = NULL;

    EXPECT_OK(GetQueuedCompletionStatus(port, &bytes, &key, &told, LIMIT_MS));
    EXPECT_EQ(bytes, 0);
    EXPECT_EQ((void *)told, (void *)overlapped);
}

/* The call has succeeded or is under way; its packet comes in either case. */
static void expect_begun(BOOL result)
{
    if (!result)
        EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
}

static void expect_byte(SOCKET from, SOCKET to, char byte)
{
    char got = 0;

    EXPECT_EQ(send(from, &byte, 1, 0), 1);
    EXPECT_EQ(recv(to, &got, 1, 0), 1);
    EXPECT_EQ(got, byte);
}

/* The other side sees the end of the connection. */
static void disconnect(SOCKET one, SOCKET peer, HANDLE port)
{
    OVERLAPPED ending = {0};
    char byte;

    expect_begun(disconnect_function(one)(one, &ending, TF_REUSE_SOCKET, 0));
    expect_end(port, &ending);
    EXPECT_EQ(recv(peer, &byte, 1, 0), 0);
    socket_close(peer);
}

WINSOCK_TEST(WinsockReuse, a_socket_that_accepts_again)
{
    struct sockaddr_in address, *local = NULL, *remote = NULL;
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    SOCKET listener, pooled, client;
    int round, local_length, remote_length;

    ASSERT_OK(socket_listener(&listener, &address));
    pooled = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)listener, port, 0, 0), port);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pooled, port, 0, 0), port);
    for (round = 0; round < ROUNDS; round++) {
        _Alignas(8) char buffer[2 * ROOM];
        OVERLAPPED accepting = {0};
        DWORD bytes = 0;

        expect_begun(AcceptEx(listener, pooled, buffer, 0, ROOM, ROOM, &bytes, &accepting));
        client = socket(AF_INET, SOCK_STREAM, 0);
        EXPECT_EQ(connect(client, (struct sockaddr *)&address, sizeof address), 0);
        expect_end(port, &accepting);
        GetAcceptExSockaddrs(buffer, 0, ROOM, ROOM, (struct sockaddr **)&local, &local_length,
                             (struct sockaddr **)&remote, &remote_length);
        EXPECT_EQ(local->sin_port, address.sin_port);
        EXPECT_EQ(setsockopt(pooled, SOL_SOCKET, SO_UPDATE_ACCEPT_CONTEXT, (char *)&listener,
                             sizeof listener),
                  0);
        expect_byte(pooled, client, (char)('a' + round));
        expect_byte(client, pooled, (char)('A' + round));
        disconnect(pooled, client, port);
    }
    socket_close(pooled);
    socket_close(listener);
    EXPECT_OK(CloseHandle(port));
}

/* A program binds a socket before the first ConnectEx, and not again. */
WINSOCK_TEST(WinsockReuse, a_socket_that_connects_again)
{
    static const GUID id = WSAID_CONNECTEX;
    struct sockaddr_in address, own;
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    LPFN_CONNECTEX connect_ex = NULL;
    SOCKET listener, pooled, served;
    int round;

    ASSERT_OK(socket_listener(&listener, &address));
    ASSERT_OK(socket_bound(SOCK_STREAM, &pooled, &own));
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pooled, port, 0, 0), port);
    EXPECT_EQ(find(pooled, &id, sizeof id, &connect_ex, sizeof connect_ex), 0);
    ASSERT_OK(connect_ex);
    for (round = 0; round < ROUNDS; round++) {
        OVERLAPPED connecting = {0};

        expect_begun(connect_ex(pooled, (struct sockaddr *)&address, sizeof address, NULL, 0, NULL,
                                &connecting));
        expect_end(port, &connecting);
        EXPECT_EQ(setsockopt(pooled, SOL_SOCKET, SO_UPDATE_CONNECT_CONTEXT, NULL, 0), 0);
        served = accept(listener, NULL, NULL);
        ASSERT_NE(served, INVALID_SOCKET);
        expect_byte(pooled, served, (char)('a' + round));
        expect_byte(served, pooled, (char)('A' + round));
        disconnect(pooled, served, port);
    }
    socket_close(pooled);
    socket_close(listener);
    EXPECT_OK(CloseHandle(port));
}

static DWORD option_of(SOCKET one, int name)
{
    DWORD value = 77;
    int length = sizeof value;

    EXPECT_EQ(getsockopt(one, SOL_SOCKET, name, (char *)&value, &length), 0);
    return value;
}

/* A connection gets the listener's limit of time, and the socket loses it with the connection. */
WINSOCK_TEST(WinsockReuse, options_of_one_connection)
{
    _Alignas(8) char buffer[2 * ROOM];
    struct sockaddr_in address;
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    OVERLAPPED accepting = {0};
    SOCKET listener, pooled, client, accepted;
    DWORD bytes = 0, limit = 50, on = 1;
    char byte;

    ASSERT_OK(socket_listener(&listener, &address));
    pooled = socket(AF_INET, SOCK_STREAM, 0);
    client = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, (char *)&limit, sizeof limit), 0);
    EXPECT_EQ(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, (char *)&on, sizeof on), 0);
    EXPECT_EQ(setsockopt(pooled, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (char *)&on, sizeof on), 0);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)listener, port, 0, 0), port);
    EXPECT_EQ(CreateIoCompletionPort((HANDLE)pooled, port, 0, 0), port);
    expect_begun(AcceptEx(listener, pooled, buffer, 0, ROOM, ROOM, &bytes, &accepting));
    EXPECT_EQ(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    expect_end(port, &accepting);
    EXPECT_EQ(option_of(pooled, SO_RCVTIMEO), limit);
    EXPECT_EQ(option_of(pooled, SO_REUSEADDR), 1);
    EXPECT_EQ(option_of(pooled, SO_EXCLUSIVEADDRUSE), 0);
    EXPECT_WSA(recv(pooled, &byte, 1, 0), WSAETIMEDOUT);
    disconnect(pooled, client, port);
    EXPECT_EQ(option_of(pooled, SO_RCVTIMEO), 0);
    EXPECT_EQ(option_of(pooled, SO_REUSEADDR), 0);
    EXPECT_EQ(option_of(pooled, SO_CONNECT_TIME), 0xFFFFFFFF);
    client = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    accepted = accept(listener, NULL, NULL);
    EXPECT_EQ(option_of(accepted, SO_REUSEADDR), 1);
    socket_close(accepted);
    socket_close(client);
    socket_close(pooled);
    socket_close(listener);
    EXPECT_OK(CloseHandle(port));
}

static DWORD is_v6_only(SOCKET one)
{
    DWORD value = 77;
    int length = sizeof value;

    EXPECT_EQ(getsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, (char *)&value, &length), 0);
    return value;
}

/* Each of the two options that exclude each other is off again, and so may be the other one's. */
WINSOCK_TEST(WinsockReuse, options_as_new)
{
    static const int names[] = {SO_REUSEADDR, SO_EXCLUSIVEADDRUSE};
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    SOCKET listener, pooled, served;
    DWORD on = 1;
    int round, length = sizeof address;

    listener = socket(AF_INET6, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address))
        SKIP("this machine has no ::1");
    EXPECT_EQ(listen(listener, 5), 0);
    EXPECT_EQ(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    pooled = socket(AF_INET6, SOCK_STREAM, 0);
    EXPECT_EQ(is_v6_only(pooled), 1);
    for (round = 0; round < ROUNDS; round++) {
        int name = names[round % 2];

        EXPECT_EQ(setsockopt(pooled, SOL_SOCKET, name, (char *)&on, sizeof on), 0);
        EXPECT_EQ(connect(pooled, (struct sockaddr *)&address, sizeof address), 0);
        served = accept(listener, NULL, NULL);
        EXPECT_OK(disconnect_function(pooled)(pooled, NULL, TF_REUSE_SOCKET, 0));
        EXPECT_EQ(option_of(pooled, name), 0);
        EXPECT_EQ(is_v6_only(pooled), 1);
        socket_close(served);
    }
    socket_close(pooled);
    socket_close(listener);
}

/* The socket's side ended the old connection first, so the system still remembers its address. The
 * socket can use it again. */
WINSOCK_TEST(WinsockReuse, the_address_of_an_old_connection)
{
    struct sockaddr_in address, other;
    SOCKET listener, pooled, client, served;
    char byte;

    ASSERT_OK(socket_listener(&listener, &address));
    client = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    served = accept(listener, NULL, NULL);
    socket_close(served);
    EXPECT_EQ(recv(client, &byte, 1, 0), 0);
    socket_close(client);
    socket_close(listener);
    ASSERT_OK(socket_listener(&listener, &other));
    pooled = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(pooled, (struct sockaddr *)&other, sizeof other), 0);
    EXPECT_OK(disconnect_function(pooled)(pooled, NULL, TF_REUSE_SOCKET, 0));
    EXPECT_EQ(bind(pooled, (struct sockaddr *)&address, sizeof address), 0);
    socket_close(pooled);
    socket_close(listener);
}

WINSOCK_TEST(WinsockReuse, an_end_without_reuse)
{
    LPFN_DISCONNECTEX disconnect_ex;
    SOCKET pair[2], fresh;
    char byte;

    ASSERT_OK(socket_pair(pair));
    fresh = socket(AF_INET, SOCK_STREAM, 0);
    disconnect_ex = disconnect_function(fresh);
    ASSERT_OK(disconnect_ex);
    EXPECT_FAILS(disconnect_ex(fresh, NULL, 0, 0), WSAENOTCONN);
    EXPECT_FAILS(disconnect_ex(INVALID_SOCKET, NULL, 0, 0), WSAENOTSOCK);
    EXPECT_FAILS(disconnect_ex(pair[0], NULL, 0x100, 0), WSAEINVAL);
    EXPECT_FAILS(disconnect_ex(pair[0], NULL, 0, 1), WSAEINVAL);
    EXPECT_OK(disconnect_ex(pair[0], NULL, 0, 0));
    EXPECT_EQ(recv(pair[1], &byte, 1, 0), 0);
    EXPECT_WSA(send(pair[0], "x", 1, 0), WSAESHUTDOWN);
    socket_close(fresh);
    socket_close(pair[0]);
    socket_close(pair[1]);
}
