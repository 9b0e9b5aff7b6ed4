/* SPDX-License-Identifier: MIT
 *
 * connection.c - serving a connection: receive, work, send, in a loop that blocks where it has to.
 *
 * The code is the same for threads and for workers.
 */
#include "server.h"

#include "protocol.h"

volatile LONG g_live;
volatile LONGLONG g_requests;

static BOOL ReceiveAll(SOCKET socket, void *buffer, int bytes)
{
    int at = 0;

    while (at < bytes) {
        int got = recv(socket, (char *)buffer + at, bytes - at, 0);

        if (got <= 0)
            return FALSE;
        at += got;
    }
    return TRUE;
}

static BOOL SendAll(SOCKET socket, const void *buffer, int bytes)
{
    int at = 0;

    while (at < bytes) {
        int sent = send(socket, (const char *)buffer + at, bytes - at, 0);

        if (sent <= 0)
            return FALSE;
        at += sent;
    }
    return TRUE;
}

VOID ServeConnection(SOCKET socket)
{
    struct message message;
    LONG requests = 0;

    while (ReceiveAll(socket, &message, sizeof(message))) {
        message.sum = message_sum(&message);
        if (!SendAll(socket, &message, sizeof(message)))
            break;
        requests++;
        g_host->turn();
    }
    closesocket(socket);
    InterlockedExchangeAdd64(&g_requests, requests);
    InterlockedDecrement(&g_live);
}
