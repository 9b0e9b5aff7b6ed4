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

static BOOL ReceiveAll(NET_SOCKET socket, void *buffer, int bytes)
{
    int at = 0;

    while (at < bytes) {
        int got = NetReceive(socket, (char *)buffer + at, bytes - at);

        if (got <= 0)
            return FALSE;
        at += got;
    }
    return TRUE;
}

static BOOL SendAll(NET_SOCKET socket, const void *buffer, int bytes)
{
    int at = 0;

    while (at < bytes) {
        int sent = NetSend(socket, (const char *)buffer + at, bytes - at);

        if (sent <= 0)
            return FALSE;
        at += sent;
    }
    return TRUE;
}

long ServeConnection(NET_SOCKET socket)
{
    struct message message;
    long requests = 0;

    while (ReceiveAll(socket, &message, sizeof(message))) {
        message.sum = message_sum(&message);
        if (!SendAll(socket, &message, sizeof(message)))
            break;
        requests++;
        g_host->turn();
    }
    NetClose(socket);
    InterlockedExchangeAdd64(&g_requests, requests);
    return requests;
}
