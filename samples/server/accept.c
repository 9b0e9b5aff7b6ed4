/* SPDX-License-Identifier: MIT
 *
 * accept.c - AcceptEx, a few under way at any time, over a completion port of their own.
 *
 * The listener and the calls under way belong to the thread that accepts. To stop it is to send it
 * a packet without an OVERLAPPED: it closes the listener, which ends the calls, and takes their
 * packets before it leaves. A call that cannot be begun again, for want of descriptors, is idle
 * until another one ends or some time has passed.
 */
#include "server.h"

#include <mswsock.h>

enum { UNDER_WAY = 16, ADDRESS_BYTES = sizeof(struct sockaddr_in) + 16, RETRY_MS = 100 };

typedef struct ACCEPT {
    OVERLAPPED overlapped;
    SOCKET socket; /* of the connection to come */
    char addresses[2 * ADDRESS_BYTES];
} ACCEPT;

LONG g_refused;
static ACCEPT s_accepts[UNDER_WAY];
static int s_underWay;
static ACCEPT *s_idle[UNDER_WAY];
static int s_idleCount;
static SOCKET s_listener;
static HANDLE s_port, s_thread;
static LPFN_ACCEPTEX s_acceptEx;

static BOOL BeginAccept(ACCEPT *call)
{
    DWORD bytes;

    ZeroMemory(&call->overlapped, sizeof(call->overlapped));
    call->socket = WSASocketW(AF_INET, SOCK_STREAM, IPPROTO_TCP, NULL, 0, WSA_FLAG_OVERLAPPED);
    if (call->socket == INVALID_SOCKET)
        return FALSE;
    if (!s_acceptEx(s_listener, call->socket, call->addresses, 0, ADDRESS_BYTES, ADDRESS_BYTES,
                    &bytes, &call->overlapped) &&
        WSAGetLastError() != ERROR_IO_PENDING) {
        closesocket(call->socket);
        return FALSE;
    }
    s_underWay++; /* one that ended at once sends its packet as well */
    return TRUE;
}

static VOID HandOver(SOCKET socket)
{
    BOOL on = TRUE;

    setsockopt(socket, SOL_SOCKET, SO_UPDATE_ACCEPT_CONTEXT, (const char *)&s_listener,
               sizeof(s_listener));
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof(on));
    InterlockedIncrement(&g_live);
    if (g_host->serve(socket))
        return;
    closesocket(socket);
    g_refused++;
    InterlockedDecrement(&g_live);
}

static VOID BeginIdle(VOID)
{
    while (s_idleCount > 0 && BeginAccept(s_idle[s_idleCount - 1]))
        s_idleCount--;
}

static DWORD WINAPI AcceptorThread(LPVOID param)
{
    BOOL stopped = FALSE;

    UNREFERENCED_PARAMETER(param);
    while (s_underWay > 0 || !stopped) {
        OVERLAPPED *overlapped = NULL;
        ULONG_PTR key;
        DWORD bytes;
        BOOL came = GetQueuedCompletionStatus(s_port, &bytes, &key, &overlapped,
                                              s_idleCount > 0 && !stopped ? RETRY_MS : INFINITE);

        if (overlapped) {
            ACCEPT *call = CONTAINING_RECORD(overlapped, ACCEPT, overlapped);

            s_underWay--;
            s_idle[s_idleCount++] = call;
            if (came && !stopped)
                HandOver(call->socket);
            else
                closesocket(call->socket); /* its other side has gone already, or so have we */
        } else if (came) {
            stopped = TRUE;
            closesocket(s_listener);
        }
        if (!stopped)
            BeginIdle();
    }
    return 0;
}

static BOOL Listen(unsigned short *port)
{
    struct sockaddr_in address;
    int length = sizeof(address);

    ZeroMemory(&address, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_port = htons(*port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s_listener = WSASocketW(AF_INET, SOCK_STREAM, IPPROTO_TCP, NULL, 0, WSA_FLAG_OVERLAPPED);
    if (s_listener == INVALID_SOCKET ||
        bind(s_listener, (struct sockaddr *)&address, length) == SOCKET_ERROR ||
        listen(s_listener, SOMAXCONN) == SOCKET_ERROR ||
        getsockname(s_listener, (struct sockaddr *)&address, &length) == SOCKET_ERROR)
        return FALSE;
    *port = ntohs(address.sin_port);
    return TRUE;
}

BOOL StartAccepting(unsigned short *port)
{
    GUID id = WSAID_ACCEPTEX;
    WSADATA data;
    DWORD bytes;
    int i;

    if (WSAStartup(MAKEWORD(2, 2), &data) != 0 || !Listen(port) ||
        WSAIoctl(s_listener, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof(id), &s_acceptEx,
                 sizeof(s_acceptEx), &bytes, NULL, NULL) == SOCKET_ERROR)
        return FALSE;
    s_port = CreateIoCompletionPort((HANDLE)s_listener, NULL, 0, 1);
    if (!s_port)
        return FALSE;
    for (i = 0; i < UNDER_WAY; i++)
        if (!BeginAccept(&s_accepts[i]))
            return FALSE;
    s_thread = CreateThread(NULL, 0, AcceptorThread, NULL, 0, NULL);
    return s_thread != NULL;
}

BOOL StopAccepting(VOID)
{
    DWORD error = 1;

    PostQueuedCompletionStatus(s_port, 0, 0, NULL);
    return WaitForSingleObject(s_thread, END_MS) == WAIT_OBJECT_0 &&
           GetExitCodeThread(s_thread, &error) && error == 0;
}
