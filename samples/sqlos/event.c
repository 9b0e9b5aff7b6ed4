/* SPDX-License-Identifier: MIT
 *
 * event.c - the waitable event, which keeps the list of the workers that wait for it.
 *
 * The thread that takes a worker off the list, under the event's lock, has decided its wait: the one who
 * signals, with success; or the worker's own scheduler, with a time-out or an abort. A worker that
 * puts itself on the list may be granted the event before it has left its scheduler: nothing comes
 * of that, because only this scheduler runs it, and gets to it when it has left.
 *
 * An event must stay until all that waited for it have come back from the wait.
 */
#include "sqlos_private.h"

enum { LOCK_SPINS = 200 };

VOID ResourceLock(volatile LONG *lock)
{
    int spins = 0;

    while (!ResourceTryLock(lock)) {
        YieldProcessor();
        if (++spins < LOCK_SPINS)
            continue;
        /* Its holder was switched away; maybe it waits for this very scheduler. */
        if (!CurrentWorker() || !UmsThreadYield((PVOID)YIELD_QUANTUM))
            SwitchToThread();
    }
}

VOID SosEventInit(SOS_EVENT *event, BOOL manual, BOOL signalled)
{
    event->lock = 0;
    event->manual = manual;
    event->signalled = signalled;
    ListInit(&event->waiters);
}

SOS_STATUS EventWait(SOS_EVENT *event, DWORD timeout, SOS_WAIT_TYPE type, BOOL abortable)
{
    SOS_WORKER *worker = WorkerInside();
    SOS_STATUS status = SOS_OK;

    ResourceLock(&event->lock);
    if (abortable && worker->task->aborted) {
        status = SOS_ABORTED;
    } else if (event->signalled) {
        event->signalled = event->manual;
    } else if (timeout == 0) {
        status = SOS_TIMEOUT;
    } else {
        PrepareWait(worker, type, event, timeout, abortable);
        ListAppend(&event->waiters, &worker->waiting);
        ResourceUnlock(&event->lock);
        return WaitNow(worker, YIELD_WAIT);
    }
    ResourceUnlock(&event->lock);
    return status;
}

SOS_STATUS SosEventWait(SOS_EVENT *event, DWORD timeout, SOS_WAIT_TYPE type)
{
    return EventWait(event, timeout, type, TRUE);
}

/* Takes off up to so many waiters and makes them runnable. The lock is held; TRUE: there was one. */
static BOOL Grant(SOS_EVENT *event, BOOL all)
{
    LONGLONG now;

    if (ListEmpty(&event->waiters))
        return FALSE;
    now = Now();
    do {
        SOS_WORKER *worker = CONTAINING_RECORD(event->waiters.Flink, SOS_WORKER, waiting);

        ListRemove(&worker->waiting);
        worker->signalled = now;
        MakeRunnable(worker);
    } while (all && !ListEmpty(&event->waiters));
    return TRUE;
}

static VOID Signal(SOS_EVENT *event, BOOL all)
{
    ResourceLock(&event->lock);
    if (!Grant(event, all) || event->manual)
        event->signalled = TRUE;
    ResourceUnlock(&event->lock);
}

VOID SosEventSignal(SOS_EVENT *event)
{
    Signal(event, event->manual);
}

VOID SosEventSignalAll(SOS_EVENT *event)
{
    Signal(event, TRUE);
}

VOID SosEventReset(SOS_EVENT *event)
{
    ResourceLock(&event->lock);
    event->signalled = FALSE;
    ResourceUnlock(&event->lock);
}

SOS_CANCEL EventCancel(SOS_WORKER *worker)
{
    SOS_EVENT *event = worker->resource;
    SOS_CANCEL result = CANCEL_LATE;

    if (!ResourceTryLock(&event->lock))
        return CANCEL_BUSY;
    if (ListHolds(&worker->waiting)) {
        ListRemove(&worker->waiting);
        result = CANCEL_DONE;
    }
    ResourceUnlock(&event->lock);
    return result;
}
