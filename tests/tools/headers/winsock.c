/* SPDX-License-Identifier: MIT
 *
 * winsock.c - Winsock in each order with <windows.h> and POSIX headers, and names of libc's in the
 * program's own types. Compiled only.
 */
#if !defined(ORDER) || ORDER == 1
#include <winsock2.h>
#include <ws2tcpip.h>

#include <mswsock.h>
#include <windows.h>
#elif ORDER == 2
#include <windows.h>

#include <winsock2.h>

#include <mswsock.h>
#include <ws2tcpip.h>
#elif ORDER == 3
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ws2tcpip.h>
#elif ORDER == 4
#include <Winsock2.h>
#include <Ws2tcpip.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>
#elif ORDER == 5
#include <stdio.h>
#include <stdlib.h>

#include <windows.h>

#include <sys/socket.h>

#include <WinSock2.h>

#include <netinet/in.h>

#include <WS2tcpip.h>
#elif ORDER == 6
#include <poll.h>
#include <sys/ioctl.h>
#include <winsock.h>

#include <inaddr.h>
#include <ws2def.h>
#include <ws2tcpip.h>
#endif

#include <string.h>

#ifdef __cplusplus
#include <functional>
#include <thread>
#endif

/* What a program calls its own things is its own affair. */
struct Table {
    int (*send)(int);
    int (*bind)(int);
};

static int Same(int value)
{
    return value;
}

int Serve(unsigned short port);
int Serve(unsigned short port)
{
    struct Table table = {Same, Same};
    struct sockaddr_in address;
    struct sockaddr_in6 wide;
    struct addrinfo hints, *list = NULL;
    struct timeval limit = {1, 0};
    struct in_addr any;
    fd_set readable;
    WSADATA data;
    u_long on = 1;
    unsigned long also = 1;
    char name[NI_MAXHOST];
    int length = sizeof(address);
    SOCKET listener, connection;

    if (WSAStartup(MAKEWORD(2, 2), &data) != 0)
        return -1;
    memset(&address, 0, sizeof(address));
    memset(&wide, 0, sizeof(wide));
    memset(&hints, 0, sizeof(hints));
    any.S_un.S_addr = htonl(INADDR_ANY);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr = any;
    wide.sin6_addr = in6addr_any;
    wide.sin6_addr.u.Byte[0] = wide.sin6_addr.s6_addr[1];
    listener = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    if (listener == INVALID_SOCKET || IN6_IS_ADDR_LOOPBACK(&wide.sin6_addr))
        return WSAGetLastError();
    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) == SOCKET_ERROR ||
        listen(listener, SOMAXCONN) == SOCKET_ERROR ||
        getsockname(listener, (SOCKADDR *)&address, &length) == SOCKET_ERROR)
        return WSAGetLastError();
    ioctlsocket(listener, FIONBIO, &on);
    ioctlsocket(listener, FIONBIO, &also);
    setsockopt(listener, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&length, sizeof(length));
    FD_ZERO(&readable);
    FD_SET(listener, &readable);
    if (select(0, &readable, NULL, NULL, &limit) != 1 || !FD_ISSET(listener, &readable))
        FD_CLR(listener, &readable);
    connection = accept(listener, NULL, NULL);
    if (recv(connection, name, (int)sizeof(name), 0) > 0)
        send(connection, name, (int)strlen(name), 0);
    if (getaddrinfo("localhost", NULL, &hints, &list) == 0)
        freeaddrinfo(list);
    if (gethostname(name, sizeof(name)) == 0 && gethostbyname(name))
        any.s_addr = inet_addr(inet_ntoa(any));
    shutdown(connection, SD_BOTH);
    closesocket(connection);
    return closesocket(listener) + table.send(1) + table.bind(WSACleanup());
}

#ifdef __cplusplus
struct Query {
    int select(int row) { return row; }
    int connect(int row) { return row; }
};

int Bound(void);
int Bound(void)
{
    Query query;

    return std::bind(Same, std::placeholders::_1)(query.select(1)) + query.connect(2);
}
#endif
