/* SPDX-License-Identifier: MIT
 *
 * housekeeping.c - what a scheduler does for all before it picks one: aborts, I/O, timers, tasks.
 *
 * First it fetches the workers that others made runnable, for they were so before. Then, in this
 * order: aborted tasks, I/O completions (what the kernel finished comes the same way) and the
 * posting of the transfers that wait for it, expired timers. New tasks get their workers last.
 * Everything here is scheduler code.
 */
#include "mode.h"

SLIST_ENTRY *FetchAll(SLIST_HEADER *header)
{
    SLIST_ENTRY *entry = QueryDepthSList(header) ? InterlockedFlushSList(header) : NULL;
    SLIST_ENTRY *first = NULL;

    while (entry) { /* last in, first out: turn it round */
        SLIST_ENTRY *next = entry->Next;

        entry->Next = first;
        first = entry;
        entry = next;
    }
    return first;
}

/* ---- Timers ---------------------------------------------------------------------------------- */

/* Ordered by expiry. Looked for from the far end: most delays are alike, so most come last. */
VOID TimerInsert(SOS_SCHEDULER *self, SOS_WORKER *worker)
{
    LIST_ENTRY *place = &self->timers;

    while (place->Blink != &self->timers &&
           CONTAINING_RECORD(place->Blink, SOS_WORKER, timer)->deadline > worker->deadline)
        place = place->Blink;
    ListInsertBefore(place, &worker->timer);
    self->timerCount++;
}

static VOID TimerRemove(SOS_SCHEDULER *self, SOS_WORKER *worker)
{
    if (!ListHolds(&worker->timer))
        return;
    ListRemove(&worker->timer);
    self->timerCount--;
}

LONGLONG TimerNext(const SOS_SCHEDULER *self)
{
    return ListEmpty(&self->timers)
               ? 0
               : CONTAINING_RECORD(self->timers.Flink, SOS_WORKER, timer)->deadline;
}

/* ---- Ends of waits --------------------------------------------------------------------------- */

static VOID EndWait(SOS_SCHEDULER *self, SOS_WORKER *worker, SOS_STATUS status, LONGLONG when)
{
    TimerRemove(self, worker);
    worker->status = status;
    worker->signalled = when;
    Enqueue(self, worker);
}

/* FALSE: its resource is busy, try again. */
static BOOL CutShort(SOS_SCHEDULER *self, SOS_WORKER *worker, SOS_STATUS status)
{
    SOS_CANCEL cancel = worker->resource ? ResourceCancel(worker) : CANCEL_DONE;

    if (cancel == CANCEL_DONE) {
        BOOL delay = !worker->resource && status == SOS_TIMEOUT;

        EndWait(self, worker, delay ? SOS_OK : status, Now());
    }
    return cancel != CANCEL_BUSY;
}

/* TRUE: nothing is left to be done about it. */
static BOOL Abort(SOS_SCHEDULER *self, SOS_TASK *task)
{
    SOS_WORKER *worker = task->worker;

    if (task->over || !worker || worker->state != SOS_SUSPENDED || !worker->abortable)
        return TRUE; /* it will see the mark by itself */
    return CutShort(self, worker, SOS_ABORTED);
}

/* Lets the caller's reference go when it is done. */
static VOID TryAbort(SOS_SCHEDULER *self, SOS_TASK *task)
{
    if (Abort(self, task) || ListHolds(&task->pending))
        SosTaskRelease(task);
    else
        ListAppend(&self->abortsAgain, &task->pending);
}

VOID WaitBegins(SOS_SCHEDULER *self, SOS_WORKER *worker)
{
    worker->state = SOS_SUSPENDED;
    if (worker->early) {
        worker->early = FALSE;
        Enqueue(self, worker);
        return;
    }
    if (worker->io) {
        ListAppend(&self->ioPending, &worker->queue);
        self->ioPendingCount++;
        self->ioCount++;
        return;
    }
    if (worker->deadline)
        TimerInsert(self, worker);
    /* The abort may have come when it did not wait yet. */
    if (worker->abortable && worker->task->aborted) {
        InterlockedIncrement(&worker->task->refs);
        TryAbort(self, worker->task);
    }
}

/* ---- The rounds ------------------------------------------------------------------------------ */

VOID Arrive(SOS_SCHEDULER *self, SOS_WORKER *worker)
{
    if (worker->state == SOS_STARTING) {
        worker->state = SOS_PARKED;
        ListAppend(&self->parked, &worker->queue);
        self->parkedCount++;
    } else if (worker->state == SOS_OUTSIDE) {
        OutsideRun(worker); /* it blocked out there, and goes on there */
    } else {
        worker->unblocked = Now();
        Enqueue(self, worker);
    }
}

VOID FetchInbound(SOS_SCHEDULER *self)
{
    SLIST_ENTRY *entry = FetchAll(&self->inbound);

    while (entry) {
        SOS_WORKER *worker = CONTAINING_RECORD(entry, SOS_WORKER, inbound);

        entry = entry->Next;
        if (worker->state == SOS_SUSPENDED || worker->state == SOS_OUTSIDE) {
            TimerRemove(self, worker);
            Enqueue(self, worker);
        } else if (worker->state == SOS_STARTING) {
            Arrive(self, worker);
        } else {
            worker->early = TRUE; /* granted before it had left for the wait */
        }
    }
}

static VOID AbortTasks(SOS_SCHEDULER *self)
{
    SLIST_ENTRY *entry = FetchAll(&self->aborts);
    LIST_ENTRY *again = self->abortsAgain.Flink;

    while (again != &self->abortsAgain) {
        SOS_TASK *task = CONTAINING_RECORD(again, SOS_TASK, pending);

        again = again->Flink;
        if (Abort(self, task)) {
            ListRemove(&task->pending);
            SosTaskRelease(task);
        }
    }
    while (entry) {
        SOS_TASK *task = CONTAINING_RECORD(entry, SOS_TASK, abortLink);

        entry = entry->Next;
        TryAbort(self, task);
    }
}

static VOID FinishIo(SOS_SCHEDULER *self)
{
    LIST_ENTRY *entry = self->io.Flink;
    LONG completed = self->ioCompleted;

    if (completed == self->ioSeen)
        return;
    self->ioSeen = completed;
    while (entry != &self->io) {
        SOS_WORKER *worker = CONTAINING_RECORD(entry, SOS_WORKER, queue);

        entry = entry->Flink;
        if (!worker->io->complete)
            continue;
        ListRemove(&worker->queue);
        self->ioCount--;
        EndWait(self, worker, worker->io->error ? SOS_FAILED : SOS_OK, worker->io->completed);
    }
}

/* After the completions, so that what is over makes room for what is next. Before the scheduler
 * could sleep: so a transfer that stays pending has others before it under way, whose end wakes the
 * scheduler. */
static VOID PostIo(SOS_SCHEDULER *self)
{
    while (!ListEmpty(&self->ioPending) && self->ioCount - self->ioPendingCount < g_sos.ioDepth) {
        SOS_WORKER *worker = CONTAINING_RECORD(self->ioPending.Flink, SOS_WORKER, queue);

        ListRemove(&worker->queue);
        ListAppend(&self->io, &worker->queue);
        self->ioPendingCount--;
        self->ioPosted++;
        IoPost(worker->io);
    }
}

static VOID ExpireTimers(SOS_SCHEDULER *self)
{
    LIST_ENTRY *entry = self->timers.Flink;
    LONGLONG now;

    if (entry == &self->timers)
        return;
    now = Now();
    while (entry != &self->timers) {
        SOS_WORKER *worker = CONTAINING_RECORD(entry, SOS_WORKER, timer);

        entry = entry->Flink;
        if (worker->deadline > now)
            return;
        CutShort(self, worker, SOS_TIMEOUT); /* a busy resource: at the next housekeeping */
    }
}

static VOID HandOutTasks(SOS_SCHEDULER *self)
{
    SLIST_ENTRY *entry = FetchAll(&self->tasks);

    while (entry) {
        SOS_TASK *task = CONTAINING_RECORD(entry, SOS_TASK, link);

        entry = entry->Next;
        ListAppend(&self->pending, &task->pending);
    }
    while (!ListEmpty(&self->pending) && !ListEmpty(&self->parked)) {
        SOS_TASK *task = CONTAINING_RECORD(self->pending.Flink, SOS_TASK, pending);
        /* The last that parked: its stack is the warmest. */
        SOS_WORKER *worker = CONTAINING_RECORD(self->parked.Blink, SOS_WORKER, queue);

        ListRemove(&task->pending);
        ListRemove(&worker->queue);
        self->parkedCount--;
        worker->task = task;
        task->worker = worker;
        RecordThreadpool(self, task);
        Enqueue(self, worker);
    }
}

VOID Housekeeping(SOS_SCHEDULER *self)
{
    FetchInbound(self);
    AbortTasks(self);
    FinishIo(self);
    PostIo(self);
    if (g_sos.mode->fetch)
        g_sos.mode->fetch(self);
    ExpireTimers(self);
    HandOutTasks(self);
}
