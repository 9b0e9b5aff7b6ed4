/* SPDX-License-Identifier: MIT
 *
 * lines_windows.c - see lines.h.
 */
#include "lines.h"

#include <winsock2.h>
#include <windows.h>

#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 256 };

static struct line {
    SOCKET socket;
    OVERLAPPED read;
} * lines;
static int line_count;
static HANDLE port;

bool lines_open(int count)
{
    WSADATA data;

    lines = calloc((size_t)count, sizeof(*lines));
    line_count = lines ? count : 0;
    for (int i = 0; i < line_count; i++)
        lines[i].socket = INVALID_SOCKET;
    port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
    return lines && port && WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

/* What was expected ends with the socket, and is taken before its memory goes. */
void lines_close(void)
{
    struct arrival gone[EVENTS];

    for (int i = 0; i < line_count; i++)
        if (lines[i].socket != INVALID_SOCKET)
            closesocket(lines[i].socket);
    while (port && lines_arrived(gone, EVENTS, 100) > 0)
        ;
    if (port)
        CloseHandle(port);
    free(lines);
    line_count = 0;
}

bool line_connect(int line, unsigned short of_server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(of_server)};
    SOCKET made = WSASocketW(AF_INET, SOCK_STREAM, IPPROTO_TCP, NULL, 0, WSA_FLAG_OVERLAPPED);
    BOOL on = TRUE;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    lines[line].socket = made;
    if (made != INVALID_SOCKET &&
        connect(made, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        setsockopt(made, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof(on)) == 0 &&
        CreateIoCompletionPort((HANDLE)made, port, (ULONG_PTR)line, 0))
        return true;
    fprintf(stderr, "server_load: connection %d: error %d\n", line, WSAGetLastError());
    return false;
}

bool line_send(int line, const void *message, int bytes)
{
    return send(lines[line].socket, message, bytes, 0) == bytes;
}

bool line_expect(int line, void *place, int bytes)
{
    WSABUF buffer = {(ULONG)bytes, place};
    DWORD flags = 0;

    lines[line].read = (OVERLAPPED){0};
    return WSARecv(lines[line].socket, &buffer, 1, NULL, &flags, &lines[line].read, NULL) == 0 ||
           WSAGetLastError() == WSA_IO_PENDING;
}

int lines_arrived(struct arrival *arrivals, int room, int milliseconds)
{
    OVERLAPPED_ENTRY entries[EVENTS];
    ULONG count = 0;

    if (!GetQueuedCompletionStatusEx(port, entries, (ULONG)(room < EVENTS ? room : EVENTS), &count,
                                     (DWORD)milliseconds, FALSE))
        return 0;
    for (ULONG i = 0; i < count; i++)
        arrivals[i] = (struct arrival){(int)entries[i].lpCompletionKey,
                                       (int)entries[i].dwNumberOfBytesTransferred};
    return (int)count;
}
