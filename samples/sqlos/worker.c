/* SPDX-License-Identifier: MIT
 *
 * worker.c - workers: made when tasks want one, parked in between, and how they wait.
 */
#include "sqlos_private.h"

static _Thread_local SOS_WORKER *t_worker;

SOS_WORKER *CurrentWorker(VOID)
{
    return t_worker;
}

SOS_WORKER *WorkerInside(VOID)
{
    SOS_WORKER *worker = t_worker;

    if (worker->outside)
        SosReturnToScheduler();
    return worker;
}

static DWORD WINAPI WorkerThread(LPVOID param)
{
    SOS_WORKER *worker = (SOS_WORKER *)param;

    t_worker = worker;
    while (worker->task) { /* none: the system stops */
        TaskRun(worker);
        UmsThreadYield((PVOID)YIELD_PARK);
    }
    return 0;
}

BOOL WorkerCreate(SOS_SCHEDULER *scheduler)
{
    DECLSPEC_ALIGN(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums;
    SOS_WORKER *worker =
        (SOS_WORKER *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(*worker));

    if (!worker)
        return FALSE;
    worker->scheduler = scheduler;
    if (!CreateUmsThreadContext(&worker->context) ||
        !SetUmsThreadInformation(worker->context, UmsThreadUserContext, &worker, sizeof(worker))) {
        HeapFree(GetProcessHeap(), 0, worker);
        return FALSE;
    }
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = worker->context;
    ums.UmsCompletionList = scheduler->list;
    if (InitializeProcThreadAttributeList(attributes, 1, 0, &size) &&
        UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                  sizeof(ums), NULL, NULL)) {
        /* Counted first: it may have arrived before the call is back. */
        InterlockedIncrement(&scheduler->workers);
        InterlockedIncrement(&scheduler->freeWorkers);
        worker->thread =
            CreateRemoteThreadEx(GetCurrentProcess(), NULL, 256 * 1024, WorkerThread, worker,
                                 STACK_SIZE_PARAM_IS_A_RESERVATION, attributes, NULL);
        DeleteProcThreadAttributeList(attributes);
        if (worker->thread)
            return TRUE;
        InterlockedDecrement(&scheduler->workers);
        InterlockedDecrement(&scheduler->freeWorkers);
    }
    DeleteUmsThreadContext(worker->context);
    HeapFree(GetProcessHeap(), 0, worker);
    return FALSE;
}

VOID WorkerDelete(SOS_WORKER *worker)
{
    WaitForSingleObject(worker->thread, INFINITE);
    CloseHandle(worker->thread);
    DeleteUmsThreadContext(worker->context);
    HeapFree(GetProcessHeap(), 0, worker);
}

VOID PrepareWait(SOS_WORKER *worker, SOS_WAIT_TYPE type, SOS_RESOURCE *resource, DWORD timeout,
                 BOOL abortable)
{
    worker->waitType = type;
    worker->resource = resource;
    worker->abortable = abortable;
    worker->deadline = DeadlineAfter(timeout);
    worker->status = SOS_OK;
    worker->signalled = 0;
    worker->started = Now();
}

SOS_STATUS WaitNow(SOS_WORKER *worker, ULONG_PTR how)
{
    UmsThreadYield((PVOID)how);
    return worker->status;
}

SOS_STATUS SosYield(VOID)
{
    SOS_WORKER *worker = WorkerInside();

    PrepareWait(worker, SOS_WAIT_SCHEDULER_YIELD, NULL, INFINITE, FALSE);
    worker->signalled = worker->started;
    UmsThreadYield((PVOID)YIELD_QUANTUM);
    return worker->task->aborted ? SOS_ABORTED : SOS_OK;
}

SOS_STATUS SosYieldCheck(VOID)
{
    SOS_WORKER *worker = WorkerInside();
    SOS_SCHEDULER *scheduler = worker->scheduler;

    scheduler->yieldChecks++;
    if (Now() >= scheduler->quantumEnd)
        return SosYield();
    return worker->task->aborted ? SOS_ABORTED : SOS_OK;
}

SOS_STATUS SosDelay(DWORD milliseconds)
{
    SOS_WORKER *worker = WorkerInside();

    if (worker->task->aborted)
        return SOS_ABORTED;
    PrepareWait(worker, SOS_WAIT_WAITFOR, NULL, milliseconds, TRUE);
    return WaitNow(worker, YIELD_DELAY);
}
