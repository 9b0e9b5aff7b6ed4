/* SPDX-License-Identifier: MIT
 *
 * posix.c - POSIX headers beside <windows.h>, on either side of it. Compiled only, natively.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <windows.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

C_ASSERT(sizeof(long) == 8);

int Connect(in_addr_t address);
int Connect(in_addr_t address)
{
    struct sockaddr_in name;
    int connection = socket(AF_INET, SOCK_STREAM, 0);

    memset(&name, 0, sizeof(name));
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = address;
    return connect(connection, (struct sockaddr *)&name, sizeof(name));
}
