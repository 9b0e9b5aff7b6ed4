/* SPDX-License-Identifier: MIT
 *
 * ums_workers.c - UMS workers, dealt to a few schedulers in turn.
 */
#include "ums_workers.h"

SCHEDULER g_schedulers[MAX_SCHEDULERS];
int g_schedulerCount;
SLIST_HEADER g_ended;
volatile LONG g_workers, g_failures;
static unsigned s_turn;

static DWORD WINAPI WorkerThread(LPVOID param)
{
    WORKER *worker = (WORKER *)param;

    worker->routine(worker->param);
    return 0;
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

BOOL StartSchedulers(int schedulers)
{
    InitializeSListHead(&g_ended);
    for (g_schedulerCount = 0; g_schedulerCount < schedulers; g_schedulerCount++)
        if (!StartScheduler(&g_schedulers[g_schedulerCount]))
            return FALSE;
    return TRUE;
}

static VOID Delete(WORKER *worker)
{
    if (worker->thread) {
        WaitForSingleObject(worker->thread, INFINITE);
        CloseHandle(worker->thread);
    }
    if (worker->context)
        DeleteUmsThreadContext(worker->context);
    HeapFree(GetProcessHeap(), 0, worker);
}

static VOID PutAway(VOID)
{
    SLIST_ENTRY *entry = InterlockedFlushSList(&g_ended);

    while (entry) {
        WORKER *worker = CONTAINING_RECORD(entry, WORKER, ended);

        entry = entry->Next;
        Delete(worker);
    }
}

static BOOL CreateWorker(WORKER *worker, PUMS_COMPLETION_LIST list)
{
    DECLSPEC_ALIGN(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums;

    if (!CreateUmsThreadContext(&worker->context) ||
        !SetUmsThreadInformation(worker->context, UmsThreadUserContext, &worker, sizeof(worker)))
        return FALSE;
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = worker->context;
    ums.UmsCompletionList = list;
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof(ums), NULL, NULL))
        return FALSE;
    worker->thread =
        CreateRemoteThreadEx(GetCurrentProcess(), NULL, STACK_BYTES, WorkerThread, worker,
                             STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, NULL);
    DeleteProcThreadAttributeList(attributes);
    return worker->thread != NULL;
}

BOOL StartWorker(VOID (*routine)(LPVOID), LPVOID param)
{
    WORKER *worker = (WORKER *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(*worker));

    PutAway();
    if (!worker)
        return FALSE;
    worker->routine = routine;
    worker->param = param;
    InterlockedIncrement(&g_workers);
    if (CreateWorker(worker, g_schedulers[s_turn++ % (unsigned)g_schedulerCount].list))
        return TRUE;
    InterlockedDecrement(&g_workers);
    Delete(worker);
    return FALSE;
}

BOOL StopSchedulers(VOID)
{
    ULONGLONG until = GetTickCount64() + END_MS;
    BOOL good = TRUE;
    int i;

    while (g_workers && GetTickCount64() < until)
        Sleep(1);
    if (g_workers)
        return FALSE; /* they still use what would be taken away */
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
