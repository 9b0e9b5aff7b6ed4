/* SPDX-License-Identifier: MIT
 *
 * worker.c - workers: made when tasks want one, parked in between, and how they wait.
 */
#include "mode.h"

static _Thread_local SOS_WORKER *t_worker;

SOS_WORKER *CurrentWorker(VOID)
{
    return t_worker;
}

VOID SetCurrentWorker(SOS_WORKER *worker)
{
    t_worker = worker;
}

SOS_WORKER *WorkerInside(VOID)
{
    SOS_WORKER *worker = t_worker;

    if (worker->outside)
        SosReturnToScheduler();
    return worker;
}

VOID WorkerMain(SOS_WORKER *worker)
{
    while (worker->task) { /* none: the system stops */
        TaskRun(worker);
        Leave(worker, YIELD_PARK);
    }
}

BOOL WorkerCreate(SOS_SCHEDULER *scheduler)
{
    SOS_WORKER *worker =
        (SOS_WORKER *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(*worker));

    if (!worker)
        return FALSE;
    worker->scheduler = scheduler;
    /* Counted first: it may have arrived before the call is back. */
    InterlockedIncrement(&scheduler->workers);
    InterlockedIncrement(&scheduler->freeWorkers);
    if (g_sos.mode->create(worker))
        return TRUE;
    InterlockedDecrement(&scheduler->workers);
    InterlockedDecrement(&scheduler->freeWorkers);
    HeapFree(GetProcessHeap(), 0, worker);
    return FALSE;
}

VOID WorkerDelete(SOS_WORKER *worker)
{
    g_sos.mode->destroy(worker);
    HeapFree(GetProcessHeap(), 0, worker);
}

BOOL Leave(SOS_WORKER *worker, ULONG_PTR how)
{
    return g_sos.mode->leave(worker, how);
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
    Leave(worker, how);
    return worker->status;
}

SOS_STATUS SosYield(VOID)
{
    SOS_WORKER *worker = WorkerInside();

    PrepareWait(worker, SOS_WAIT_SCHEDULER_YIELD, NULL, INFINITE, FALSE);
    worker->signalled = worker->started;
    Leave(worker, YIELD_QUANTUM);
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
