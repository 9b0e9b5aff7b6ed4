/* SPDX-License-Identifier: MIT
 *
 * echo.c - an echo server in the style of its time: a completion port, a few threads, a structure
 * for each connection. Its clients are threads of the same program.
 */
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>

#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <tchar.h>

#pragma comment(lib, "ws2_32.lib")

#define CLIENTS 8
#define MESSAGES 50
#define BUFFER_SIZE 512
#define THREADS 4

typedef enum { IO_READ, IO_WRITE } IO_KIND;

typedef struct _PER_IO_DATA {
    OVERLAPPED Overlapped;
    WSABUF Buffer;
    IO_KIND Kind;
    DWORD Total, Done;
    CHAR Data[BUFFER_SIZE];
} PER_IO_DATA, *LPPER_IO_DATA;

typedef struct _PER_HANDLE_DATA {
    SOCKET Socket;
    PER_IO_DATA Io;
} PER_HANDLE_DATA, *LPPER_HANDLE_DATA;

static volatile LONG g_lOpen, g_lWrong;
static volatile LONGLONG g_llEchoed;
static USHORT g_uPort;

static VOID Fail(LPCTSTR lpszWhat)
{
    _ftprintf(stderr, _T("%s failed with error %d\n"), lpszWhat, WSAGetLastError());
    ExitProcess(1);
}

static VOID CloseClient(LPPER_HANDLE_DATA lpHandle)
{
    closesocket(lpHandle->Socket);
    HeapFree(GetProcessHeap(), 0, lpHandle);
    InterlockedDecrement(&g_lOpen);
}

static BOOL PostRead(LPPER_HANDLE_DATA lpHandle)
{
    DWORD dwFlags = 0, dwBytes = 0;

    ZeroMemory(&lpHandle->Io.Overlapped, sizeof(OVERLAPPED));
    lpHandle->Io.Kind = IO_READ;
    lpHandle->Io.Buffer.buf = lpHandle->Io.Data;
    lpHandle->Io.Buffer.len = BUFFER_SIZE;
    return WSARecv(lpHandle->Socket, &lpHandle->Io.Buffer, 1, &dwBytes, &dwFlags,
                   &lpHandle->Io.Overlapped, NULL) != SOCKET_ERROR ||
           WSAGetLastError() == WSA_IO_PENDING;
}

static BOOL PostWrite(LPPER_HANDLE_DATA lpHandle)
{
    DWORD dwBytes = 0;

    ZeroMemory(&lpHandle->Io.Overlapped, sizeof(OVERLAPPED));
    lpHandle->Io.Kind = IO_WRITE;
    lpHandle->Io.Buffer.buf = lpHandle->Io.Data + lpHandle->Io.Done;
    lpHandle->Io.Buffer.len = lpHandle->Io.Total - lpHandle->Io.Done;
    return WSASend(lpHandle->Socket, &lpHandle->Io.Buffer, 1, &dwBytes, 0, &lpHandle->Io.Overlapped,
                   NULL) != SOCKET_ERROR ||
           WSAGetLastError() == WSA_IO_PENDING;
}

static unsigned __stdcall ServerThread(void *lpParam)
{
    HANDLE hPort = (HANDLE)lpParam;

    for (;;) {
        DWORD dwBytes = 0;
        LPPER_HANDLE_DATA lpHandle = NULL;
        LPOVERLAPPED lpOverlapped = NULL;
        LPPER_IO_DATA lpIo;
        BOOL bGood = GetQueuedCompletionStatus(hPort, &dwBytes, (PULONG_PTR)&lpHandle,
                                               &lpOverlapped, INFINITE);

        if (lpOverlapped == NULL)
            return 0; /* told to leave */
        lpIo = CONTAINING_RECORD(lpOverlapped, PER_IO_DATA, Overlapped);
        if (!bGood || dwBytes == 0) {
            CloseClient(lpHandle);
            continue;
        }
        if (lpIo->Kind == IO_READ) {
            lpIo->Total = dwBytes;
            lpIo->Done = 0;
        } else {
            lpIo->Done += dwBytes;
            InterlockedExchangeAdd64(&g_llEchoed, dwBytes);
        }
        if (!(lpIo->Done < lpIo->Total ? PostWrite(lpHandle) : PostRead(lpHandle)))
            CloseClient(lpHandle);
    }
}

static unsigned __stdcall ClientThread(void *lpParam)
{
    int nClient = (int)(INT_PTR)lpParam, i, n;
    struct sockaddr_in sin;
    char szSent[64], szGot[64];
    SOCKET s = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);

    ZeroMemory(&sin, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = g_uPort;
    sin.sin_addr.s_addr = inet_addr("127.0.0.1");
    if (s == INVALID_SOCKET || connect(s, (SOCKADDR *)&sin, sizeof(sin)) == SOCKET_ERROR)
        Fail(_T("connect"));
    for (i = 0; i < MESSAGES; i++) {
        int nLength = sprintf_s(szSent, sizeof(szSent), "client %02d message %04d\n", nClient, i);

        if (send(s, szSent, nLength, 0) != nLength)
            Fail(_T("send"));
        ZeroMemory(szGot, sizeof(szGot));
        for (n = 0; n < nLength;) {
            int nNow = recv(s, szGot + n, nLength - n, 0);

            if (nNow <= 0)
                Fail(_T("recv"));
            n += nNow;
        }
        if (strcmp(szSent, szGot) != 0)
            InterlockedIncrement(&g_lWrong);
    }
    shutdown(s, SD_SEND);
    if (recv(s, szGot, sizeof(szGot), 0) != 0)
        InterlockedIncrement(&g_lWrong);
    closesocket(s);
    return 0;
}

static SOCKET Listen(void)
{
    struct sockaddr_in sin;
    int nLength = sizeof(sin);
    SOCKET s = WSASocket(AF_INET, SOCK_STREAM, IPPROTO_TCP, NULL, 0, WSA_FLAG_OVERLAPPED);

    ZeroMemory(&sin, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s == INVALID_SOCKET || bind(s, (SOCKADDR *)&sin, sizeof(sin)) == SOCKET_ERROR ||
        listen(s, SOMAXCONN) == SOCKET_ERROR ||
        getsockname(s, (SOCKADDR *)&sin, &nLength) == SOCKET_ERROR)
        Fail(_T("listen"));
    g_uPort = sin.sin_port;
    return s;
}

int _tmain(int argc, _TCHAR *argv[])
{
    WSADATA wsaData;
    HANDLE hPort, hServers[THREADS], hClients[CLIENTS];
    SOCKET sListen;
    int i;

    UNREFERENCED_PARAMETER(argc);
    UNREFERENCED_PARAMETER(argv);
    if (WSAStartup(MAKEWORD(2, 2), &wsaData) != 0)
        Fail(_T("WSAStartup"));
    hPort = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    for (i = 0; i < THREADS; i++)
        hServers[i] = (HANDLE)_beginthreadex(NULL, 0, ServerThread, hPort, 0, NULL);
    sListen = Listen();
    for (i = 0; i < CLIENTS; i++)
        hClients[i] = (HANDLE)_beginthreadex(NULL, 0, ClientThread, (void *)(INT_PTR)i, 0, NULL);
    for (i = 0; i < CLIENTS; i++) {
        LPPER_HANDLE_DATA lpHandle = (LPPER_HANDLE_DATA)HeapAlloc(
            GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(PER_HANDLE_DATA));

        lpHandle->Socket = WSAAccept(sListen, NULL, NULL, NULL, 0);
        if (lpHandle->Socket == INVALID_SOCKET)
            Fail(_T("WSAAccept"));
        InterlockedIncrement(&g_lOpen);
        CreateIoCompletionPort((HANDLE)lpHandle->Socket, hPort, (ULONG_PTR)lpHandle, 0);
        if (!PostRead(lpHandle))
            CloseClient(lpHandle);
    }
    WaitForMultipleObjects(CLIENTS, hClients, TRUE, INFINITE);
    for (i = 0; i < THREADS; i++)
        PostQueuedCompletionStatus(hPort, 0, 0, NULL);
    WaitForMultipleObjects(THREADS, hServers, TRUE, INFINITE);
    _tprintf(_T("%d clients, %d messages each, %lld bytes echoed, %ld wrong, %ld open\n"), CLIENTS,
             MESSAGES, (long long)g_llEchoed, (long)g_lWrong, (long)g_lOpen);
    closesocket(sListen);
    for (i = 0; i < THREADS; i++)
        CloseHandle(hServers[i]);
    for (i = 0; i < CLIENTS; i++)
        CloseHandle(hClients[i]);
    CloseHandle(hPort);
    WSACleanup();
    return g_lWrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
