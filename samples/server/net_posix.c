/* SPDX-License-Identifier: MIT
 *
 * net_posix.c - POSIX sockets, as plainly as they come: nothing here knows of UMS.
 */
#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

NET_SOCKET NetListen(unsigned short *port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int on = 1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (listener < 0)
        return -1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4096) ||
        getsockname(listener, (struct sockaddr *)&address, &length)) {
        close(listener);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return listener;
}

NET_SOCKET NetAccept(NET_SOCKET listener)
{
    int on = 1;
    int connection;

    do
        connection = accept4((int)listener, NULL, NULL, SOCK_CLOEXEC);
    while (connection < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (connection >= 0)
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return connection;
}

int NetReceive(NET_SOCKET socket, void *buffer, int bytes)
{
    return (int)recv((int)socket, buffer, (size_t)bytes, 0);
}

int NetSend(NET_SOCKET socket, const void *buffer, int bytes)
{
    return (int)send((int)socket, buffer, (size_t)bytes, MSG_NOSIGNAL);
}

void NetStop(NET_SOCKET listener)
{
    shutdown((int)listener, SHUT_RDWR);
}

void NetClose(NET_SOCKET socket)
{
    close((int)socket);
}
