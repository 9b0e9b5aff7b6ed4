/* SPDX-License-Identifier: MIT
 *
 * winsock_calls.c - Winsock's calls one by one: their errors, options, names and addresses.
 *
 * modes: ways
 * with: sockets.c, folder.c
 * libraries: ws2_32, mswsock
 * except: an_address_comes_once_and_not_for_each_type, nothing_before_the_start
 */
#include "sockets.h"

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

TEST(Winsock, nothing_before_the_start)
{
    struct sockaddr_in address;
    struct addrinfo *list = NULL;

    EXPECT_WSA(socket(AF_INET, SOCK_STREAM, 0), WSANOTINITIALISED);
    EXPECT_WSA(closesocket(4), WSANOTINITIALISED);
    EXPECT_WSA(bind(4, (struct sockaddr *)&address, sizeof address), WSANOTINITIALISED);
    EXPECT_WSA(WSACleanup(), WSANOTINITIALISED);
    EXPECT_EQ(getaddrinfo("127.0.0.1", NULL, NULL, &list), WSANOTINITIALISED);
    EXPECT_EQ(inet_addr("1.2.3.4"), htonl(0x01020304)); /* needs no start */
}

TEST(Winsock, versions)
{
    WSADATA data;

    EXPECT_EQ(WSAStartup(0, &data), WSAVERNOTSUPPORTED);
    EXPECT_EQ(WSAStartup(MAKEWORD(2, 2), NULL), WSAEFAULT);
    EXPECT_EQ(WSAStartup(MAKEWORD(1, 1), &data), 0);
    EXPECT_EQ(data.wVersion, MAKEWORD(1, 1));
    EXPECT_EQ(data.wHighVersion, MAKEWORD(2, 2));
    EXPECT_EQ(WSAStartup(MAKEWORD(9, 9), &data), 0);
    EXPECT_EQ(data.wVersion, MAKEWORD(2, 2));
    EXPECT_EQ(WSACleanup(), 0);
    EXPECT_EQ(WSACleanup(), 0);
    EXPECT_WSA(WSACleanup(), WSANOTINITIALISED);
}

TEST_IN_EACH_KIND(Winsock, errors_are_last_errors)
{
    WSASetLastError(WSAEISCONN);
    EXPECT_EQ(GetLastError(), WSAEISCONN);
    SetLastError(WSAENOTCONN);
    EXPECT_EQ(WSAGetLastError(), WSAENOTCONN);
}

WINSOCK_TEST(Winsock, handles_that_are_no_sockets)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    SOCKET bad[] = {INVALID_SOCKET, 0, (SOCKET)event, 0x7ffffff0, 0};
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct timeval soon = {0, 1000};
    u_long on = 1;
    char byte = 0;
    int length = sizeof address;

    bad[4] = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(closesocket(bad[4]), 0);
    for (unsigned i = 0; i < _countof(bad); i++) {
        SOCKET s = bad[i];
        fd_set set;

        FD_ZERO(&set);
        FD_SET(s, &set);
        EXPECT_WSA(closesocket(s), WSAENOTSOCK);
        EXPECT_WSA(bind(s, (struct sockaddr *)&address, sizeof address), WSAENOTSOCK);
        EXPECT_WSA(listen(s, 1), WSAENOTSOCK);
        EXPECT_WSA(accept(s, NULL, NULL), WSAENOTSOCK);
        EXPECT_WSA(connect(s, (struct sockaddr *)&address, sizeof address), WSAENOTSOCK);
        EXPECT_WSA(send(s, &byte, 1, 0), WSAENOTSOCK);
        EXPECT_WSA(recv(s, &byte, 1, 0), WSAENOTSOCK);
        EXPECT_WSA(shutdown(s, SD_BOTH), WSAENOTSOCK);
        EXPECT_WSA(getsockname(s, (struct sockaddr *)&address, &length), WSAENOTSOCK);
        EXPECT_WSA(setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, (char *)&on, sizeof on), WSAENOTSOCK);
        EXPECT_WSA(ioctlsocket(s, FIONBIO, &on), WSAENOTSOCK);
        EXPECT_WSA(select(0, &set, NULL, NULL, &soon), WSAENOTSOCK);
    }
    EXPECT_OK(CloseHandle(event));
}

TEST(Winsock, what_is_no_socket_type)
{
    ASSERT_OK(winsock_start());
    EXPECT_WSA(socket(9999, SOCK_STREAM, 0), WSAEAFNOSUPPORT);
    EXPECT_WSA(socket(AF_INET, 77, 0), WSAESOCKTNOSUPPORT);
    EXPECT_WSA(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP), WSAEPROTONOSUPPORT);
    winsock_stop();
}

WINSOCK_TEST(Winsock, addresses_of_sockets)
{
    SOCKET one, other;
    struct sockaddr_in address, found;
    int length = sizeof found, small = 4;

    one = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_NE(one, INVALID_SOCKET);
    EXPECT_WSA(getsockname(one, (struct sockaddr *)&found, &length), WSAEINVAL);
    EXPECT_WSA(listen(one, 5), WSAEINVAL);
    EXPECT_WSA(getpeername(one, (struct sockaddr *)&found, &length), WSAENOTCONN);
    socket_close(one);
    ASSERT_OK(socket_bound(SOCK_STREAM, &one, &address));
    EXPECT_NE(address.sin_port, 0);
    EXPECT_EQ(address.sin_addr.S_un.S_un_b.s_b1, 127);
    EXPECT_WSA(getsockname(one, (struct sockaddr *)&found, &small), WSAEFAULT);
    EXPECT_WSA(bind(one, (struct sockaddr *)&address, sizeof address), WSAEINVAL);
    EXPECT_EQ(listen(one, 5), 0);
    other = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_WSA(bind(other, (struct sockaddr *)&address, 4), WSAEFAULT);
    EXPECT_WSA(bind(other, (struct sockaddr *)&address, sizeof address), WSAEADDRINUSE);
    address.sin_addr.s_addr = htonl(0xC0000201); /* TEST-NET-1: nobody has it */
    address.sin_port = 0;
    EXPECT_WSA(bind(other, (struct sockaddr *)&address, sizeof address), WSAEADDRNOTAVAIL);
    socket_close(other);
    socket_close(one);
}

WINSOCK_TEST(Winsock, options)
{
    SOCKET one;
    struct linger linger = {1, 7}, read = {0, 0};
    BOOL on = TRUE;
    DWORD value = 1500;
    int length = sizeof read;

    one = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(setsockopt(one, SOL_SOCKET, SO_LINGER, (char *)&linger, sizeof linger), 0);
    EXPECT_EQ(getsockopt(one, SOL_SOCKET, SO_LINGER, (char *)&read, &length), 0);
    EXPECT_EQ(read.l_onoff != 0, 1);
    EXPECT_EQ(read.l_linger, 7);
    EXPECT_EQ(setsockopt(one, SOL_SOCKET, SO_DONTLINGER, (char *)&on, sizeof on), 0);
    EXPECT_EQ(getsockopt(one, SOL_SOCKET, SO_LINGER, (char *)&read, &length), 0);
    EXPECT_EQ(read.l_onoff, 0);
    EXPECT_EQ(setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, (char *)&value, sizeof value), 0);
    value = 0;
    length = sizeof value;
    EXPECT_EQ(getsockopt(one, SOL_SOCKET, SO_RCVTIMEO, (char *)&value, &length), 0);
    EXPECT_EQ(value, 1500);
    EXPECT_EQ(length, sizeof value);
    EXPECT_EQ(getsockopt(one, SOL_SOCKET, SO_TYPE, (char *)&value, &length), 0);
    EXPECT_EQ(value, SOCK_STREAM);
    EXPECT_EQ(getsockopt(one, SOL_SOCKET, SO_ERROR, (char *)&value, &length), 0);
    EXPECT_EQ(value, 0);
    EXPECT_EQ(setsockopt(one, IPPROTO_TCP, TCP_NODELAY, (char *)&on, sizeof on), 0);
    EXPECT_EQ(getsockopt(one, IPPROTO_TCP, TCP_NODELAY, (char *)&value, &length), 0);
    EXPECT_EQ(value != 0, 1);
    EXPECT_EQ(setsockopt(one, SOL_SOCKET, SO_REUSEADDR, (char *)&on, sizeof on), 0);
    EXPECT_WSA(setsockopt(one, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (char *)&on, sizeof on), WSAEINVAL);
    EXPECT_WSA(setsockopt(one, SOL_SOCKET, SO_KEEPALIVE, NULL, sizeof on), WSAEFAULT);
    EXPECT_WSA(setsockopt(one, SOL_SOCKET, 0x6543, (char *)&on, sizeof on), WSAENOPROTOOPT);
    EXPECT_WSA(getsockopt(one, SOL_SOCKET, SO_TYPE, NULL, &length), WSAEFAULT);
    socket_close(one);
}

WINSOCK_TEST(Winsock, names_to_addresses)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *list = NULL;
    ADDRINFOW *wide = NULL;
    static const WCHAR number[] = {'1', '2', '7', '.', '0', '.', '0', '.', '1', 0};
    char host[NI_MAXHOST], service[NI_MAXSERV];
    struct hostent *entry;

    ASSERT_EQ(getaddrinfo("127.0.0.1", "80", &hints, &list), 0);
    EXPECT_EQ(((struct sockaddr_in *)list->ai_addr)->sin_port, htons(80));
    EXPECT_EQ(list->ai_addrlen, sizeof(struct sockaddr_in));
    EXPECT_EQ(list->ai_next, NULL);
    EXPECT_EQ(getnameinfo(list->ai_addr, (int)list->ai_addrlen, host, sizeof host, service,
                          sizeof service, NI_NUMERICHOST | NI_NUMERICSERV),
              0);
    EXPECT_STREQ(host, "127.0.0.1");
    EXPECT_STREQ(service, "80");
    freeaddrinfo(list);
    EXPECT_EQ(getaddrinfo(NULL, NULL, &hints, &list), WSAHOST_NOT_FOUND);
    hints.ai_flags = AI_NUMERICHOST;
    EXPECT_EQ(getaddrinfo("no.number", NULL, &hints, &list), WSAHOST_NOT_FOUND);
    EXPECT_EQ(GetAddrInfoW(number, NULL, NULL, &wide), 0);
    if (wide)
        EXPECT_EQ(((struct sockaddr_in *)wide->ai_addr)->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    FreeAddrInfoW(wide);
    entry = gethostbyname("127.0.0.1");
    ASSERT_OK(entry != NULL);
    EXPECT_EQ(entry->h_addrtype, AF_INET);
    EXPECT_EQ(*(ULONG *)entry->h_addr_list[0], htonl(INADDR_LOOPBACK));
    EXPECT_EQ(gethostname(host, sizeof host), 0);
    EXPECT_WSA(gethostname(host, 1), WSAEFAULT);
}

TEST(Winsock, an_address_comes_once_and_not_for_each_type)
{
    struct addrinfo *list = NULL;

    ASSERT_OK(winsock_start());
    ASSERT_EQ(getaddrinfo("127.0.0.1", NULL, NULL, &list), 0);
    EXPECT_EQ(list->ai_socktype, 0);
    EXPECT_EQ(list->ai_next, NULL);
    freeaddrinfo(list);
    winsock_stop();
}

WINSOCK_TEST(Winsock, addresses_as_text)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    char text[64];
    DWORD room = sizeof text;
    int length = sizeof four;

    EXPECT_EQ(WSAStringToAddressA((char *)"1.2.3.4:5", AF_INET, NULL, (SOCKADDR *)&four, &length),
              0);
    EXPECT_EQ(four.sin_addr.s_addr, htonl(0x01020304));
    EXPECT_EQ(four.sin_port, htons(5));
    EXPECT_EQ(WSAAddressToStringA((SOCKADDR *)&four, sizeof four, NULL, text, &room), 0);
    EXPECT_STREQ(text, "1.2.3.4:5");
    EXPECT_EQ(room, 10);
    room = 3;
    EXPECT_WSA(WSAAddressToStringA((SOCKADDR *)&four, sizeof four, NULL, text, &room), WSAEFAULT);
    EXPECT_EQ(room, 10);
    length = sizeof six;
    EXPECT_EQ(WSAStringToAddressA((char *)"[::1]:9", AF_INET6, NULL, (SOCKADDR *)&six, &length), 0);
    EXPECT_EQ(six.sin6_port, htons(9));
    EXPECT_OK(IN6_IS_ADDR_LOOPBACK(&six.sin6_addr));
    length = sizeof four;
    EXPECT_WSA(WSAStringToAddressA((char *)"1.2.3.x", AF_INET, NULL, (SOCKADDR *)&four, &length),
               WSAEINVAL);
    EXPECT_STREQ(inet_ntoa((struct in_addr){.S_un.S_addr = htonl(0x7f000001)}), "127.0.0.1");
    EXPECT_EQ(inet_addr("1.2.3.256"), INADDR_NONE);
    EXPECT_EQ(inet_pton(AF_INET, "1.2.3.4", &four.sin_addr), 1);
    EXPECT_EQ(inet_pton(AF_INET, "1.2.3", &four.sin_addr), 0);
    EXPECT_WSA(inet_pton(12345, "1.2.3.4", &four.sin_addr), WSAEAFNOSUPPORT);
    EXPECT_STREQ(inet_ntop(AF_INET, &four.sin_addr, text, sizeof text), "1.2.3.4");
}
