/* SPDX-License-Identifier: MIT
 *
 * pipe_rpc.c - remote procedures over a named pipe in message mode: a server with a thread for each
 * instance, and clients in processes of their own, which are this program with other arguments.
 */
#include <windows.h>

#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <tchar.h>

#define CLIENTS 3
#define CALLS 20
#define CONNECT_MS 30000

typedef enum { CALL_ADD, CALL_UPPER, CALL_QUIT } CALL;

typedef struct _REQUEST {
    CALL Call;
    LONG lA, lB;
    TCHAR szText[32];
} REQUEST;

typedef struct _REPLY {
    DWORD dwStatus;
    LONG lResult;
    TCHAR szText[32];
} REPLY;

static TCHAR g_szPipe[64];
static volatile LONG g_lAdds, g_lUppers, g_lQuits;

static int Fail(LPCTSTR lpszWhat)
{
    _ftprintf(stderr, _T("%s failed with error %u\n"), lpszWhat, (unsigned)GetLastError());
    return 1;
}

static VOID Answer(const REQUEST *pRequest, REPLY *pReply)
{
    ZeroMemory(pReply, sizeof(*pReply));
    switch (pRequest->Call) {
    case CALL_ADD:
        pReply->lResult = pRequest->lA + pRequest->lB;
        InterlockedIncrement(&g_lAdds);
        break;
    case CALL_UPPER:
        lstrcpy(pReply->szText, pRequest->szText);
        CharUpper(pReply->szText);
        InterlockedIncrement(&g_lUppers);
        break;
    case CALL_QUIT:
        InterlockedIncrement(&g_lQuits);
        break;
    default:
        pReply->dwStatus = ERROR_INVALID_FUNCTION;
    }
}

static unsigned __stdcall InstanceThread(void *pvPipe)
{
    HANDLE hPipe = (HANDLE)pvPipe;
    REQUEST Request;
    REPLY Reply;
    DWORD dwBytes;

    do {
        if (!ReadFile(hPipe, &Request, sizeof(Request), &dwBytes, NULL) ||
            dwBytes != sizeof(Request))
            break;
        Answer(&Request, &Reply);
        if (!WriteFile(hPipe, &Reply, sizeof(Reply), &dwBytes, NULL))
            break;
    } while (Request.Call != CALL_QUIT);
    FlushFileBuffers(hPipe);
    DisconnectNamedPipe(hPipe);
    CloseHandle(hPipe);
    return 0;
}

static HANDLE CreateInstance(void)
{
    return CreateNamedPipe(g_szPipe, PIPE_ACCESS_DUPLEX,
                           PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_WAIT,
                           PIPE_UNLIMITED_INSTANCES, sizeof(REPLY), sizeof(REQUEST), 0, NULL);
}

static BOOL StartClient(int nClient, PROCESS_INFORMATION *pInformation)
{
    TCHAR szProgram[MAX_PATH], szLine[MAX_PATH + 128];
    STARTUPINFO si;

    ZeroMemory(&si, sizeof(si));
    si.cb = sizeof(si);
    GetModuleFileName(NULL, szProgram, MAX_PATH);
    _stprintf_s(szLine, _countof(szLine), _T("\"%s\" client %s %d"), szProgram, g_szPipe, nClient);
    return CreateProcess(szProgram, szLine, NULL, NULL, FALSE, 0, NULL, NULL, &si, pInformation);
}

static int Server(void)
{
    PROCESS_INFORMATION Clients[CLIENTS];
    HANDLE hThreads[CLIENTS], hPipe;
    DWORD dwCode;
    int i, nGood = 0;

    _stprintf_s(g_szPipe, _countof(g_szPipe), _T("\\\\.\\pipe\\rpc-%u"),
                (unsigned)GetCurrentProcessId());
    hPipe = CreateInstance();
    if (hPipe == INVALID_HANDLE_VALUE)
        return Fail(_T("CreateNamedPipe"));
    for (i = 0; i < CLIENTS; i++)
        if (!StartClient(i, &Clients[i]))
            return Fail(_T("CreateProcess"));
    for (i = 0; i < CLIENTS; i++) {
        if (!ConnectNamedPipe(hPipe, NULL) && GetLastError() != ERROR_PIPE_CONNECTED)
            return Fail(_T("ConnectNamedPipe"));
        hThreads[i] = (HANDLE)_beginthreadex(NULL, 0, InstanceThread, hPipe, 0, NULL);
        if (i + 1 < CLIENTS && (hPipe = CreateInstance()) == INVALID_HANDLE_VALUE)
            return Fail(_T("CreateNamedPipe"));
    }
    WaitForMultipleObjects(CLIENTS, hThreads, TRUE, INFINITE);
    for (i = 0; i < CLIENTS; i++) {
        WaitForSingleObject(Clients[i].hProcess, INFINITE);
        if (GetExitCodeProcess(Clients[i].hProcess, &dwCode) && dwCode == (DWORD)(40 + i))
            nGood++;
        CloseHandle(Clients[i].hProcess);
        CloseHandle(Clients[i].hThread);
        CloseHandle(hThreads[i]);
    }
    _tprintf(_T("%d of %d clients are content: %ld additions, %ld texts, %ld ends\n"), nGood,
             CLIENTS, (long)g_lAdds, (long)g_lUppers, (long)g_lQuits);
    return nGood == CLIENTS ? 0 : 1;
}

static HANDLE Connect(LPCTSTR lpszPipe)
{
    ULONGLONG ullUntil = GetTickCount64() + CONNECT_MS;
    DWORD dwMode = PIPE_READMODE_MESSAGE;
    HANDLE hPipe;

    for (;;) {
        hPipe = CreateFile(lpszPipe, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
        if (hPipe != INVALID_HANDLE_VALUE)
            break;
        /* All instances are busy, or the next one is not made yet. */
        if ((GetLastError() != ERROR_PIPE_BUSY && GetLastError() != ERROR_FILE_NOT_FOUND) ||
            GetTickCount64() > ullUntil)
            return INVALID_HANDLE_VALUE;
        if (!WaitNamedPipe(lpszPipe, CONNECT_MS))
            SwitchToThread();
    }
    return SetNamedPipeHandleState(hPipe, &dwMode, NULL, NULL) ? hPipe : INVALID_HANDLE_VALUE;
}

static BOOL Call(HANDLE hPipe, REQUEST *pRequest, REPLY *pReply)
{
    DWORD dwBytes;

    return TransactNamedPipe(hPipe, pRequest, sizeof(*pRequest), pReply, sizeof(*pReply), &dwBytes,
                             NULL) &&
           dwBytes == sizeof(*pReply) && pReply->dwStatus == 0;
}

static int Client(LPCTSTR lpszPipe, int nClient)
{
    HANDLE hPipe = Connect(lpszPipe);
    REQUEST Request;
    REPLY Reply;
    int i;

    if (hPipe == INVALID_HANDLE_VALUE)
        return Fail(_T("CreateFile"));
    ZeroMemory(&Request, sizeof(Request));
    for (i = 0; i < CALLS; i++) {
        Request.Call = CALL_ADD;
        Request.lA = i;
        Request.lB = 1000 * nClient;
        if (!Call(hPipe, &Request, &Reply) || Reply.lResult != i + 1000 * nClient)
            return Fail(_T("CALL_ADD"));
        Request.Call = CALL_UPPER;
        lstrcpy(Request.szText, _T("a text"));
        if (!Call(hPipe, &Request, &Reply) || _tcscmp(Reply.szText, _T("A TEXT")) != 0)
            return Fail(_T("CALL_UPPER"));
    }
    Request.Call = CALL_QUIT;
    if (!Call(hPipe, &Request, &Reply))
        return Fail(_T("CALL_QUIT"));
    CloseHandle(hPipe);
    return 40 + nClient;
}

int _tmain(int argc, _TCHAR *argv[])
{
    if (argc == 4 && _tcscmp(argv[1], _T("client")) == 0)
        return Client(argv[2], _ttoi(argv[3]));
    return Server();
}
