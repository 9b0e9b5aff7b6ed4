/* SPDX-License-Identifier: MIT
 *
 * ums_host.c - one UMS worker for each connection, dealt to a few schedulers.
 *
 * A worker that has to wait in recv or send leaves its scheduler, which executes the next one whose
 * data has come. Nothing is shared between schedulers, so nothing is locked.
 */
#include "server.h"

typedef struct CONNECTION {
    SLIST_ENTRY ended; /* to be put away by the thread that accepts */
    struct CONNECTION *next;
    NET_SOCKET socket;
    PUMS_CONTEXT context;
    HANDLE thread;
} CONNECTION;

typedef struct SCHEDULER {
    HANDLE thread;
    PUMS_COMPLETION_LIST list;
    HANDLE arrival, stop, ready;
    CONNECTION *first, *last; /* ready to run, in the order they came */
} SCHEDULER;

static __declspec(thread) SCHEDULER *t_self;
static SCHEDULER s_schedulers[MAX_SCHEDULERS];
static int s_count;
static unsigned s_turn;
static SLIST_HEADER s_ended;
static volatile LONG s_failures;

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

/* ---- A scheduler ----------------------------------------------------------------------------- */

static VOID PushReady(SCHEDULER *self, CONNECTION *connection)
{
    connection->next = NULL;
    if (self->first)
        self->last->next = connection;
    else
        self->first = connection;
    self->last = connection;
}

static CONNECTION *ConnectionOf(PUMS_CONTEXT context)
{
    CONNECTION *connection = NULL;

    QueryUmsThreadInformation(context, UmsThreadUserContext, &connection, sizeof(connection), NULL);
    return connection;
}

/* A list gives the last that arrived first: turned round, who waits longest is served first. */
static VOID Drain(SCHEDULER *self)
{
    PUMS_CONTEXT context = NULL;
    CONNECTION *arrived = NULL;

    DequeueUmsCompletionListItems(self->list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        CONNECTION *connection = ConnectionOf(context);
        BOOLEAN terminated = FALSE;

        QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                                  NULL);
        if (terminated) {
            InterlockedPushEntrySList(&s_ended, &connection->ended);
            InterlockedDecrement(&g_live);
        } else {
            connection->next = arrived;
            arrived = connection;
        }
        context = next;
    }
    while (arrived) {
        CONNECTION *next = arrived->next;

        PushReady(self, arrived);
        arrived = next;
    }
}

static VOID NTAPI SchedulerProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    SCHEDULER *self = t_self;

    UNREFERENCED_PARAMETER(param);
    if (reason == UmsSchedulerStartup)
        SetEvent(self->ready);
    Drain(self);
    if (reason == UmsSchedulerThreadYield)
        PushReady(self, ConnectionOf((PUMS_CONTEXT)payload));
    for (;; Drain(self)) {
        HANDLE both[2];

        while (self->first) {
            CONNECTION *next = self->first;

            self->first = next->next;
            ExecuteUmsThread(next->context); /* comes back only when it failed */
            if (GetLastError() == ERROR_RETRY)
                PushReady(self, next);
            else
                InterlockedIncrement(&s_failures);
        }
        both[0] = self->arrival;
        both[1] = self->stop;
        if (WaitForMultipleObjects(2, both, FALSE, INFINITE) != WAIT_OBJECT_0)
            return;
    }
}

static DWORD WINAPI SchedulerThread(LPVOID param)
{
    UMS_SCHEDULER_STARTUP_INFO info;

    t_self = (SCHEDULER *)param;
    info.UmsVersion = UMS_VERSION;
    info.CompletionList = t_self->list;
    info.SchedulerProc = SchedulerProc;
    info.SchedulerParam = NULL;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}

/* ---- Start, serve, stop ---------------------------------------------------------------------- */

static BOOL StartScheduler(SCHEDULER *scheduler)
{
    HANDLE either[2];
    DWORD error = ERROR_TIMEOUT;

    if (!CreateUmsCompletionList(&scheduler->list) ||
        !GetUmsCompletionListEvent(scheduler->list, &scheduler->arrival))
        return FALSE;
    scheduler->stop = CreateEvent(NULL, TRUE, FALSE, NULL);
    scheduler->ready = CreateEvent(NULL, TRUE, FALSE, NULL);
    scheduler->thread = CreateThread(NULL, 0, SchedulerThread, scheduler, 0, NULL);
    if (!scheduler->stop || !scheduler->ready || !scheduler->thread)
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
    InitializeSListHead(&s_ended);
    for (s_count = 0; s_count < schedulers; s_count++) {
        if (!StartScheduler(&s_schedulers[s_count]))
            return FALSE;
    }
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
    SLIST_ENTRY *entry = InterlockedFlushSList(&s_ended);

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
        if (CreateWorker(connection, s_schedulers[s_turn++ % (unsigned)s_count].list))
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

    for (i = 0; i < s_count; i++) {
        SCHEDULER *scheduler = &s_schedulers[i];
        DWORD error = 1;

        SetEvent(scheduler->stop);
        good = WaitForSingleObject(scheduler->thread, END_MS) == WAIT_OBJECT_0 &&
               GetExitCodeThread(scheduler->thread, &error) && error == 0 && good;
    }
    PutAway();
    return good && s_failures == 0;
}

const HOST g_umsHost = {"ums", Start, Serve, Turn, Stop};
