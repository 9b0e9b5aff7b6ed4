/* SPDX-License-Identifier: MIT
 *
 * ums_host.c - one UMS worker for each connection, dealt to a few schedulers.
 */
#include "ums_host.h"

SCHEDULER g_schedulers[MAX_SCHEDULERS];
int g_schedulerCount;
SLIST_HEADER g_ended;
volatile LONG g_failures;
static unsigned s_turn;

static DWORD WINAPI WorkerThread(LPVOID param)
{
    CONNECTION *connection = (CONNECTION *)param;

    ServeConnection(connection->socket);
    return 0;
}

/* A connection whose next request is always there already would never block: then nobody else on
 * its scheduler would ever run. */
static VOID Turn(VOID)
{
    UmsThreadYield(NULL);
}

static BOOL StartScheduler(SCHEDULER *scheduler)
{
    HANDLE either[2];
    DWORD error = ERROR_TIMEOUT;

    if (!CreateUmsCompletionList(&scheduler->list) ||
        !GetUmsCompletionListEvent(scheduler->list, &scheduler->arrival))
        return FALSE;
    scheduler->stop = CreateEvent(NULL, TRUE, FALSE, NULL);
    scheduler->ready = CreateEvent(NULL, TRUE, FALSE, NULL);
    scheduler->wake = CreateEvent(NULL, FALSE, FALSE, NULL);
    scheduler->thread = CreateThread(NULL, 0, SchedulerThread, scheduler, 0, NULL);
    if (!scheduler->stop || !scheduler->ready || !scheduler->wake || !scheduler->thread)
        return FALSE;
    either[0] = scheduler->ready;
    either[1] = scheduler->thread;
    if (WaitForMultipleObjects(2, either, FALSE, END_MS) == WAIT_OBJECT_0)
        return TRUE;
    GetExitCodeThread(scheduler->thread, &error);
    SetLastError(error);
    return FALSE;
}

static BOOL Start(int schedulers)
{
    InitializeSListHead(&g_ended);
    for (g_schedulerCount = 0; g_schedulerCount < schedulers; g_schedulerCount++)
        if (!StartScheduler(&g_schedulers[g_schedulerCount]))
            return FALSE;
    return TRUE;
}

static VOID Delete(CONNECTION *connection)
{
    if (connection->thread) {
        WaitForSingleObject(connection->thread, INFINITE);
        CloseHandle(connection->thread);
    }
    if (connection->context)
        DeleteUmsThreadContext(connection->context);
    HeapFree(GetProcessHeap(), 0, connection);
}

static VOID PutAway(VOID)
{
    SLIST_ENTRY *entry = InterlockedFlushSList(&g_ended);

    while (entry) {
        CONNECTION *connection = CONTAINING_RECORD(entry, CONNECTION, ended);

        entry = entry->Next;
        Delete(connection);
    }
}

static BOOL CreateWorker(CONNECTION *connection, PUMS_COMPLETION_LIST list)
{
    DECLSPEC_ALIGN(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums;

    if (!CreateUmsThreadContext(&connection->context) ||
        !SetUmsThreadInformation(connection->context, UmsThreadUserContext, &connection,
                                 sizeof(connection)))
        return FALSE;
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = connection->context;
    ums.UmsCompletionList = list;
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof(ums), NULL, NULL))
        return FALSE;
    connection->thread =
        CreateRemoteThreadEx(GetCurrentProcess(), NULL, STACK_BYTES, WorkerThread, connection,
                             STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, NULL);
    DeleteProcThreadAttributeList(attributes);
    return connection->thread != NULL;
}

static BOOL Serve(NET_SOCKET socket)
{
    CONNECTION *connection =
        (CONNECTION *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(*connection));

    PutAway();
    if (connection) {
        connection->socket = socket;
        InterlockedIncrement(&g_live);
        if (CreateWorker(connection, g_schedulers[s_turn++ % (unsigned)g_schedulerCount].list))
            return TRUE;
        InterlockedDecrement(&g_live);
        Delete(connection);
    }
    NetClose(socket);
    return FALSE;
}

static BOOL Stop(VOID)
{
    BOOL good = TRUE;
    int i;

    for (i = 0; i < g_schedulerCount; i++) {
        SCHEDULER *scheduler = &g_schedulers[i];
        DWORD error = 1;

        SetEvent(scheduler->stop);
        good = WaitForSingleObject(scheduler->thread, END_MS) == WAIT_OBJECT_0 &&
               GetExitCodeThread(scheduler->thread, &error) && error == 0 && good;
    }
    PutAway();
    return good && g_failures == 0;
}

const HOST g_umsHost = {"ums", Start, Serve, Turn, Stop};
