/* SPDX-License-Identifier: MIT
 *
 * net_winsock.c - Winsock's blocking calls, as plainly as they come: nothing here knows of UMS.
 *
 * Sockets fit into NET_SOCKET as they are: they are handles, and no handle is -1.
 */
#include "net.h"

#include <winsock2.h>

static int StartWinsock(void)
{
    WSADATA data;

    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

NET_SOCKET NetListen(unsigned short *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int length = sizeof(address);
    SOCKET listener;

    if (!StartWinsock())
        return -1;
    listener = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    if (listener == INVALID_SOCKET)
        return -1;
    address.sin_port = htons(*port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, SOMAXCONN) ||
        getsockname(listener, (struct sockaddr *)&address, &length)) {
        closesocket(listener);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return (NET_SOCKET)listener;
}

NET_SOCKET NetAccept(NET_SOCKET listener)
{
    BOOL on = TRUE;
    SOCKET connection;

    do
        connection = accept((SOCKET)listener, NULL, NULL);
    while (connection == INVALID_SOCKET && WSAGetLastError() == WSAECONNRESET);
    if (connection != INVALID_SOCKET)
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof(on));
    return connection == INVALID_SOCKET ? -1 : (NET_SOCKET)connection;
}

int NetReceive(NET_SOCKET socket, void *buffer, int bytes)
{
    return recv((SOCKET)socket, buffer, bytes, 0);
}

int NetSend(NET_SOCKET socket, const void *buffer, int bytes)
{
    return send((SOCKET)socket, buffer, bytes, 0);
}

int NetCallBare(void)
{
    return 0; /* Winsock's calls are ntdll's, and their numbers change with each Windows */
}

/* A listener cannot be shut down here. Closing it ends the call that waits for it. */
void NetStop(NET_SOCKET listener)
{
    closesocket((SOCKET)listener);
}

void NetClose(NET_SOCKET socket)
{
    closesocket((SOCKET)socket);
}
