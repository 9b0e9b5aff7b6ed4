/* SPDX-License-Identifier: MIT
 *
 * mode_fibers.c - workers are fibers: switched in user mode, all of a scheduler on its one thread.
 *
 * The scheduler's thread is a fiber itself, and scheduler code runs on that one. A worker that
 * leaves writes down how, and switches to the fiber that dispatched it. So it has left its stack
 * when anybody else may run it: a host outside, which is a thread that switches to it there.
 *
 * The system knows the thread only: a worker that blocks stops its scheduler and all workers of it.
 */
#include "mode.h"

/* ---- Workers --------------------------------------------------------------------------------- */

static VOID WINAPI WorkerFiber(LPVOID param)
{
    SOS_WORKER *worker = (SOS_WORKER *)param;

    WorkerMain(worker);
    worker->how = YIELD_END;
    SwitchToFiber(worker->home); /* and never comes back, for that would end the thread */
}

static BOOL FiberCreate(SOS_WORKER *worker)
{
    worker->fiber = CreateFiberEx(0, WORKER_STACK_BYTES, 0, WorkerFiber, worker);
    if (!worker->fiber)
        return FALSE;
    MakeRunnable(worker);
    return TRUE;
}

static VOID FiberDestroy(SOS_WORKER *worker)
{
    DeleteFiber(worker->fiber);
}

static BOOL FiberLeave(SOS_WORKER *worker, ULONG_PTR how)
{
    worker->how = how;
    SwitchToFiber(worker->home);
    return TRUE;
}

/* On a scheduler's thread or a host, whose fiber is `home`: until the worker leaves. */
static ULONG_PTR Run(SOS_WORKER *worker, PVOID home)
{
    worker->home = home;
    SetCurrentWorker(worker);
    SwitchToFiber(worker->fiber);
    SetCurrentWorker(NULL);
    return worker->how;
}

/* ---- Schedulers ------------------------------------------------------------------------------ */

static BOOL FiberPrepare(SOS_SCHEDULER *scheduler)
{
    UNREFERENCED_PARAMETER(scheduler);
    return TRUE;
}

static VOID FiberDispose(SOS_SCHEDULER *scheduler)
{
    UNREFERENCED_PARAMETER(scheduler);
}

static VOID FiberAbandon(SOS_SCHEDULER *scheduler)
{
    SLIST_ENTRY *entry = FetchAll(&scheduler->inbound);

    while (entry) {
        SOS_WORKER *worker = CONTAINING_RECORD(entry, SOS_WORKER, inbound);

        entry = entry->Next;
        Ended(scheduler, worker);
    }
}

static DWORD FiberSchedule(SOS_SCHEDULER *self)
{
    PVOID home = ConvertThreadToFiber(NULL);
    SOS_WORKER *worker;

    if (!home)
        return GetLastError();
    SetEvent(g_sos.ready);
    while ((worker = SchedulerNext(self)))
        SchedulerTakeBack(self, worker, Run(worker, home));
    ConvertFiberToThread();
    return 0;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

static BOOL FiberPrepareHosts(VOID)
{
    return TRUE;
}

static VOID FiberDisposeHosts(VOID)
{
}

static DWORD FiberHost(VOID)
{
    PVOID home = ConvertThreadToFiber(NULL);
    SOS_WORKER *worker;

    if (!home)
        return GetLastError();
    while (OutsideWait(NULL, &worker) != OUTSIDE_OVER)
        OutsideTakeBack(worker, Run(worker, home));
    ConvertFiberToThread();
    return 0;
}

const SOS_MODE_CALLS g_modeFibers = {
    .name = "fibers",
    .prepare = FiberPrepare,
    .dispose = FiberDispose,
    .abandon = FiberAbandon,
    .schedule = FiberSchedule,
    .create = FiberCreate,
    .destroy = FiberDestroy,
    .leave = FiberLeave,
    .prepareHosts = FiberPrepareHosts,
    .disposeHosts = FiberDisposeHosts,
    .host = FiberHost,
};
