/* SPDX-License-Identifier: MIT
 *
 * scheduler.c - a scheduler: takes back its worker, keeps house, picks the next one.
 *
 * An activation's stack is gone once a worker runs, so all that lasts is in the SOS_SCHEDULER.
 */
#include "sqlos_private.h"

/* SchedulerProc runs as the thread that entered scheduling, so it sees that thread's variables. */
static _Thread_local SOS_SCHEDULER *t_self;

VOID Enqueue(SOS_SCHEDULER *self, SOS_WORKER *worker)
{
    worker->state = SOS_RUNNABLE;
    ListAppend(&self->runnable, &worker->queue);
    self->runnableCount++;
}

VOID WakeScheduler(SOS_SCHEDULER *scheduler)
{
    /* The exchange is a barrier too: what was left for the scheduler is seen before it sleeps. */
    if (InterlockedExchange(&scheduler->idle, 0))
        SetEvent(scheduler->wake);
}

VOID MakeRunnable(SOS_WORKER *worker)
{
    SOS_SCHEDULER *scheduler = worker->scheduler;

    InterlockedPushEntrySList(&scheduler->inbound, &worker->inbound);
    WakeScheduler(scheduler);
}

/* How long the worker had the scheduler, against its quantum. */
static VOID CheckOverrun(SOS_SCHEDULER *self, LONGLONG now)
{
    LONGLONG over = now - self->quantumEnd;

    if (over <= 0)
        return;
    self->overruns++;
    if (over > self->maxOverrun)
        self->maxOverrun = over;
}

static VOID TakeBack(SOS_SCHEDULER *self, SOS_WORKER *worker, ULONG_PTR how)
{
    switch (how) {
    case YIELD_WAIT:
    case YIELD_DELAY:
    case YIELD_IO:
        WaitBegins(self, worker);
        break;
    case YIELD_PARK:
        worker->state = SOS_PARKED;
        ListAppend(&self->parked, &worker->queue);
        self->parkedCount++;
        self->tasksDone++;
        break;
    case YIELD_LEAVE:
        worker->state = SOS_OUTSIDE;
        self->excursions++;
        OutsideRun(worker);
        break;
    default: /* its quantum is over, or it is stuck at a lock */
        Enqueue(self, worker);
        break;
    }
}

static VOID NoteBlocked(SOS_SCHEDULER *self, SOS_WORKER *worker, LONGLONG now)
{
    worker->state = SOS_BLOCKED;
    worker->blocked = now;
    self->kernelBlocks++;
}

static SOS_WORKER *PickNext(SOS_SCHEDULER *self)
{
    SOS_WORKER *worker;

    if (ListEmpty(&self->runnable))
        return NULL;
    worker = CONTAINING_RECORD(self->runnable.Flink, SOS_WORKER, queue);
    ListRemove(&worker->queue);
    self->runnableCount--;
    return worker;
}

/* Comes back only if it failed. */
static VOID Dispatch(SOS_SCHEDULER *self, SOS_WORKER *worker)
{
    LONGLONG now = Now();

    RecordWaits(self, worker, now);
    worker->state = SOS_RUNNING;
    self->current = worker;
    self->dispatched = now;
    self->quantumEnd = now + g_sos.quantum;
    self->switches++;
    ExecuteUmsThread(worker->context);
    self->current = NULL;
    if (GetLastError() == ERROR_RETRY)
        Enqueue(self, worker);
    else
        InterlockedIncrement(&g_sos.failures);
}

/* Nothing to run: until something arrives, is left here, or a timer is due. */
static VOID Idle(SOS_SCHEDULER *self)
{
    HANDLE both[2];
    DWORD timeout = INFINITE;
    LONGLONG next = TimerNext(self);

    InterlockedExchange(&self->idle, 1);
    /* A worker that came before others could see that we sleep gave no wake-up. */
    if (QueryDepthSList(&self->inbound) || QueryDepthSList(&self->tasks) ||
        QueryDepthSList(&self->aborts) || self->ioCompleted != self->ioSeen) {
        InterlockedExchange(&self->idle, 0);
        return;
    }
    if (!ListEmpty(&self->abortsAgain)) {
        timeout = 1;
    } else if (next) {
        LONGLONG left = next - Now();

        timeout = left > 0 ? (DWORD)(left * 1000 / g_sos.ticksPerSecond) + 1 : 0;
    }
    both[0] = self->arrival;
    both[1] = self->wake;
    self->idles++;
    WaitForMultipleObjects(2, both, FALSE, timeout);
    InterlockedExchange(&self->idle, 0);
}

static VOID SendHome(SOS_SCHEDULER *self)
{
    while (!ListEmpty(&self->parked)) {
        SOS_WORKER *worker = CONTAINING_RECORD(self->parked.Flink, SOS_WORKER, queue);

        ListRemove(&worker->queue);
        self->parkedCount--;
        Enqueue(self, worker); /* without a task: it ends */
    }
}

static VOID NTAPI SchedulerProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    SOS_SCHEDULER *self = t_self;
    SOS_WORKER *worker = self->current;

    UNREFERENCED_PARAMETER(payload);
    self->current = NULL;
    if (reason == UmsSchedulerStartup)
        SetEvent(g_sos.ready);
    if (worker) {
        LONGLONG now = Now();

        CheckOverrun(self, now);
        FetchInbound(self); /* what was made runnable meanwhile comes before the one that yields */
        if (reason == UmsSchedulerThreadYield)
            TakeBack(self, worker, (ULONG_PTR)param);
        else
            NoteBlocked(self, worker, now);
    }
    for (;;) {
        Housekeeping(self);
        if (self->stopping) {
            SendHome(self);
            if (self->endedCount == self->workers)
                return;
        }
        worker = PickNext(self);
        if (worker)
            Dispatch(self, worker);
        else
            Idle(self);
    }
}

DWORD WINAPI SchedulerThread(LPVOID scheduler)
{
    UMS_SCHEDULER_STARTUP_INFO info;

    t_self = (SOS_SCHEDULER *)scheduler;
    if (t_self->processor)
        SetThreadAffinityMask(GetCurrentThread(), t_self->processor);
    info.UmsVersion = UMS_VERSION;
    info.CompletionList = t_self->list;
    info.SchedulerProc = SchedulerProc;
    info.SchedulerParam = NULL;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}
