/* SPDX-License-Identifier: MIT
 *
 * scheduler.c - a scheduler: takes back its worker, keeps house, picks the next one.
 *
 * The mode decides which thread runs this code, and on which stack (mode.h).
 */
#include "mode.h"

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

static VOID NoteBlocked(SOS_SCHEDULER *self, SOS_WORKER *worker, LONGLONG now)
{
    worker->state = SOS_BLOCKED;
    worker->blocked = now;
    self->kernelBlocks++;
}

VOID Ended(SOS_SCHEDULER *self, SOS_WORKER *worker)
{
    ListAppend(&self->ended, &worker->queue);
    self->endedCount++;
}

VOID SchedulerTakeBack(SOS_SCHEDULER *self, SOS_WORKER *worker, ULONG_PTR how)
{
    LONGLONG now = Now();

    self->current = NULL;
    CheckOverrun(self, now);
    FetchInbound(self); /* what was made runnable meanwhile comes before the one that yields */
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
    case YIELD_BLOCKED:
        NoteBlocked(self, worker, now);
        break;
    case YIELD_END:
        Ended(self, worker);
        break;
    default: /* its quantum is over, or it is stuck at a lock */
        Enqueue(self, worker);
        break;
    }
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

static VOID PrepareDispatch(SOS_SCHEDULER *self, SOS_WORKER *worker)
{
    LONGLONG now = Now();

    RecordWaits(self, worker, now);
    worker->state = SOS_RUNNING;
    self->current = worker;
    self->dispatched = now;
    self->quantumEnd = now + g_sos.quantum;
    self->switches++;
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
    both[0] = self->wake;
    both[1] = self->arrival;
    self->idles++;
    WaitForMultipleObjects(self->arrival ? 2 : 1, both, FALSE, timeout);
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

SOS_WORKER *SchedulerNext(SOS_SCHEDULER *self)
{
    self->current = NULL;
    for (;;) {
        SOS_WORKER *worker;

        Housekeeping(self);
        if (self->stopping) {
            SendHome(self);
            if (self->endedCount == self->workers)
                return NULL;
        }
        worker = PickNext(self);
        if (worker) {
            PrepareDispatch(self, worker);
            return worker;
        }
        Idle(self);
    }
}

DWORD WINAPI SchedulerThread(LPVOID scheduler)
{
    SOS_SCHEDULER *self = (SOS_SCHEDULER *)scheduler;

    if (self->processor)
        SetThreadAffinityMask(GetCurrentThread(), self->processor);
    return g_sos.mode->schedule(self);
}
