/* SPDX-License-Identifier: MIT
 *
 * event.c - the waitable event: one that signals lets go who waits, or the next to come.
 *
 * An event must stay until all that waited for it have come back from the wait.
 */
#include "sqlos_private.h"

VOID SosEventInit(SOS_EVENT *event, BOOL manual, BOOL signalled)
{
    event->manual = manual;
    event->signalled = signalled;
    ResourceInit(&event->resource);
}

SOS_STATUS EventWait(SOS_EVENT *event, DWORD timeout, SOS_WAIT_TYPE type, BOOL abortable)
{
    SOS_WORKER *worker = WorkerInside();
    SOS_STATUS status = SOS_OK;

    ResourceLock(&event->resource);
    if (abortable && worker->task->aborted) {
        status = SOS_ABORTED;
    } else if (event->signalled) {
        event->signalled = event->manual;
    } else if (timeout == 0) {
        status = SOS_TIMEOUT;
    } else {
        ResourceJoin(&event->resource, worker, type, timeout, abortable);
        ResourceUnlock(&event->resource);
        return WaitNow(worker, YIELD_WAIT);
    }
    ResourceUnlock(&event->resource);
    return status;
}

SOS_STATUS SosEventWait(SOS_EVENT *event, DWORD timeout, SOS_WAIT_TYPE type)
{
    return EventWait(event, timeout, type, TRUE);
}

/* The lock is held; TRUE: there was one. */
static BOOL Grant(SOS_EVENT *event, BOOL all)
{
    LIST_ENTRY *waiters = &event->resource.waiters;
    LONGLONG now;

    if (ListEmpty(waiters))
        return FALSE;
    now = Now();
    do
        ResourceGrant(CONTAINING_RECORD(waiters->Flink, SOS_WORKER, waiting), now);
    while (all && !ListEmpty(waiters));
    return TRUE;
}

static VOID Signal(SOS_EVENT *event, BOOL all)
{
    ResourceLock(&event->resource);
    if (!Grant(event, all) || event->manual)
        event->signalled = TRUE;
    ResourceUnlock(&event->resource);
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
    ResourceLock(&event->resource);
    event->signalled = FALSE;
    ResourceUnlock(&event->resource);
}
