/* SPDX-License-Identifier: MIT
 *
 * thread_host.c - one thread for each connection; the system schedules them.
 */
#include "server.h"

static DWORD WINAPI ConnectionThread(LPVOID param)
{
    ServeConnection((SOCKET)param);
    return 0;
}

static BOOL Start(int schedulers)
{
    UNREFERENCED_PARAMETER(schedulers);
    return TRUE;
}

static BOOL Serve(SOCKET socket)
{
    HANDLE thread = CreateThread(NULL, STACK_BYTES, ConnectionThread, (LPVOID)socket,
                                 STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);

    if (!thread)
        return FALSE;
    CloseHandle(thread);
    return TRUE;
}

static VOID Turn(VOID)
{
}

static BOOL Stop(VOID)
{
    return TRUE;
}

const HOST g_threadHost = {"threads", Start, Serve, Turn, Stop};
