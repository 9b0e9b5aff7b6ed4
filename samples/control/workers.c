/* SPDX-License-Identifier: MIT
 *
 * workers.c - what can be suspended and ended: workers that yield, spin, wait and end.
 */
#include "control.h"

HANDLE g_door;
volatile LONG g_turns;
volatile LONG g_enough;

/* Can be caught parked. */
DWORD WINAPI Yielder(LPVOID param)
{
    for (;;)
        UmsThreadYield(param);
}

/* Can be caught running: it never enters the system by itself. */
DWORD WINAPI Spinner(LPVOID param)
{
    while (!g_enough) {
        InterlockedIncrement(&g_turns);
        YieldProcessor();
    }
    for (;;)
        UmsThreadYield(param);
}

/* Can be caught blocked. */
DWORD WINAPI Waiter(LPVOID param)
{
    for (;;) {
        WaitForSingleObject(g_door, INFINITE);
        UmsThreadYield(param);
    }
}

DWORD WINAPI Returner(LPVOID param)
{
    UNREFERENCED_PARAMETER(param);
    return 7;
}

DWORD WINAPI Exiter(LPVOID param)
{
    UNREFERENCED_PARAMETER(param);
    ExitThread(8);
}

BOOL CreateWorker(WORKER *worker, const char *name, LPTHREAD_START_ROUTINE start, STAGE *stage,
                  DWORD flags)
{
    DECLSPEC_ALIGN(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums;

    worker->name = name;
    worker->start = start;
    worker->stage = stage;
    worker->arrived = FALSE;
    if (!CreateUmsThreadContext(&worker->context) ||
        !SetUmsThreadInformation(worker->context, UmsThreadUserContext, &worker, sizeof(worker)))
        return FALSE;
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = worker->context;
    ums.UmsCompletionList = g_list;
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof(ums), NULL, NULL))
        return FALSE;
    worker->thread =
        CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, start, worker, flags, attributes, NULL);
    DeleteProcThreadAttributeList(attributes);
    return worker->thread != NULL;
}
