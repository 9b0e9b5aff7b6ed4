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
#include <sys/syscall.h>
#include <unistd.h>

static int s_bare;

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

int NetCallBare(void)
{
#ifdef __x86_64__
    s_bare = 1;
#endif
    return s_bare;
}

/* The program's own instruction: no library sees the call. The last two parameters are 0. */
static long Bare(long number, long a, const void *b, long c, long d)
{
    long result = -ENOSYS;
#ifdef __x86_64__
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = 0;
    register long sixth __asm__("r9") = 0;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
#endif
    if (result < 0)
        errno = (int)-result;
    return result < 0 ? -1 : result;
}

NET_SOCKET NetAccept(NET_SOCKET listener)
{
    int on = 1;
    int connection;

    do
        connection = s_bare ? (int)Bare(SYS_accept4, (int)listener, NULL, 0, SOCK_CLOEXEC)
                            : accept4((int)listener, NULL, NULL, SOCK_CLOEXEC);
    while (connection < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (connection >= 0)
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return connection;
}

int NetReceive(NET_SOCKET socket, void *buffer, int bytes)
{
    if (s_bare)
        return (int)Bare(SYS_recvfrom, (int)socket, buffer, bytes, 0);
    return (int)recv((int)socket, buffer, (size_t)bytes, 0);
}

int NetSend(NET_SOCKET socket, const void *buffer, int bytes)
{
    if (s_bare)
        return (int)Bare(SYS_sendto, (int)socket, buffer, bytes, MSG_NOSIGNAL);
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
