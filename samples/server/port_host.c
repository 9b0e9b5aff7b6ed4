/* SPDX-License-Identifier: MIT
 *
 * port_host.c - a few UMS workers for all connections: overlapped calls, and a completion port.
 *
 * A connection has one call under way at any time, and belongs to the call: the worker that takes
 * its packet owns it until it has begun the next one. A call that ends at once sends no packet, and
 * the worker goes on.
 */
#include "ums_workers.h"

#include "protocol.h"

enum { WORKERS_EACH = 2, PACKETS = 64, FAIR_CALLS = 16 };

typedef struct CONNECTION {
    OVERLAPPED overlapped;
    SOCKET socket;
    BOOL sending; /* else receiving */
    DWORD at;     /* bytes of the message that are through */
    struct message message;
    LONG requests;
} CONNECTION;

static HANDLE s_port;

static VOID End(CONNECTION *connection)
{
    closesocket(connection->socket);
    InterlockedExchangeAdd64(&g_requests, connection->requests);
    HeapFree(GetProcessHeap(), 0, connection);
    InterlockedDecrement(&g_live);
}

/* 0: it ended at once, with so many bytes. WSA_IO_PENDING: the connection is no longer ours. */
static int BeginCall(CONNECTION *connection, DWORD *bytes)
{
    DWORD flags = 0;
    WSABUF part;
    int result;

    part.buf = (char *)&connection->message + connection->at;
    part.len = (ULONG)sizeof(connection->message) - connection->at;
    ZeroMemory(&connection->overlapped, sizeof(connection->overlapped));
    if (connection->sending)
        result = WSASend(connection->socket, &part, 1, bytes, 0, &connection->overlapped, NULL);
    else
        result =
            WSARecv(connection->socket, &part, 1, bytes, &flags, &connection->overlapped, NULL);
    return result == 0 ? 0 : WSAGetLastError();
}

/* So many bytes are through. */
static VOID Advance(CONNECTION *connection, DWORD bytes)
{
    connection->at += bytes;
    if (connection->at < sizeof(connection->message))
        return;
    if (connection->sending)
        connection->requests++;
    else
        connection->message.sum = message_sum(&connection->message);
    connection->sending = !connection->sending;
    connection->at = 0;
}

/* A call has ended; with 0 bytes if the other side has closed or is gone. */
static VOID GoOn(CONNECTION *connection, DWORD bytes)
{
    int error = 0, calls;

    for (calls = 0; bytes > 0 && calls < FAIR_CALLS; calls++) {
        Advance(connection, bytes);
        error = BeginCall(connection, &bytes);
        if (error == WSA_IO_PENDING)
            return;
        if (error != 0)
            break;
    }
    /* Its data are always there already: others' turn. */
    if (error == 0 && bytes > 0 &&
        PostQueuedCompletionStatus(s_port, bytes, 0, &connection->overlapped))
        return;
    End(connection);
}

/* A packet without an OVERLAPPED ends the worker that takes it, which sends it on. */
static VOID Worker(LPVOID param)
{
    OVERLAPPED_ENTRY packets[PACKETS];
    ULONG count, i;
    BOOL stopped = FALSE;

    UNREFERENCED_PARAMETER(param);
    while (!stopped &&
           GetQueuedCompletionStatusEx(s_port, packets, PACKETS, &count, INFINITE, FALSE)) {
        for (i = 0; i < count; i++) {
            OVERLAPPED *overlapped = packets[i].lpOverlapped;

            if (overlapped)
                GoOn(CONTAINING_RECORD(overlapped, CONNECTION, overlapped),
                     packets[i].dwNumberOfBytesTransferred);
            else
                stopped = PostQueuedCompletionStatus(s_port, 0, 0, NULL);
        }
    }
}

static BOOL Start(int schedulers)
{
    int i;

    s_port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, (DWORD)schedulers);
    if (!s_port || !StartSchedulers(schedulers))
        return FALSE;
    for (i = 0; i < schedulers * WORKERS_EACH; i++)
        if (!StartWorker(Worker, NULL))
            return FALSE;
    return TRUE;
}

static BOOL Serve(SOCKET socket)
{
    CONNECTION *connection =
        (CONNECTION *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(*connection));
    DWORD bytes = 0;
    int error;

    if (!connection)
        return FALSE;
    connection->socket = socket;
    if (!CreateIoCompletionPort((HANDLE)socket, s_port, 0, 0) ||
        !SetFileCompletionNotificationModes((HANDLE)socket, FILE_SKIP_COMPLETION_PORT_ON_SUCCESS |
                                                                FILE_SKIP_SET_EVENT_ON_HANDLE)) {
        HeapFree(GetProcessHeap(), 0, connection);
        return FALSE;
    }
    error = BeginCall(connection, &bytes);
    if (error == 0)
        GoOn(connection, bytes);
    else if (error != WSA_IO_PENDING)
        End(connection); /* its other side has gone already */
    return TRUE;
}

static VOID Turn(VOID)
{
}

static BOOL Stop(VOID)
{
    BOOL good = PostQueuedCompletionStatus(s_port, 0, 0, NULL) && StopSchedulers();

    CloseHandle(s_port);
    return good;
}

const HOST g_portHost = {"port", Start, Serve, Turn, Stop};
