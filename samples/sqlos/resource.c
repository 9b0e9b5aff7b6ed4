/* SPDX-License-Identifier: MIT
 *
 * resource.c - what all resources share: the list of the workers that wait, under the resource's
 * lock.
 *
 * The thread that takes a worker off the list, under the lock, has decided its wait: the one that
 * grants the resource, with success; or the worker's own scheduler, with a time-out or an abort. A
 * worker that puts itself on the list may be granted the resource before it has left its scheduler:
 * nothing comes of that, because only this scheduler runs it, and gets to it when it has left.
 */
#include "sqlos_private.h"

enum { LOCK_SPINS = 200 };

VOID ResourceInit(SOS_RESOURCE *resource)
{
    resource->lock = 0;
    ListInit(&resource->waiters);
}

VOID ResourceLock(SOS_RESOURCE *resource)
{
    int spins = 0;
    SOS_WORKER *worker;

    while (!ResourceTryLock(resource)) {
        YieldProcessor();
        if (++spins < LOCK_SPINS)
            continue;
        /* Its holder was switched away; maybe it waits for this very scheduler. */
        worker = CurrentWorker();
        if (!worker || !Leave(worker, YIELD_QUANTUM))
            SwitchToThread();
    }
}

VOID ResourceJoin(SOS_RESOURCE *resource, SOS_WORKER *worker, SOS_WAIT_TYPE type, DWORD timeout,
                  BOOL abortable)
{
    PrepareWait(worker, type, resource, timeout, abortable);
    ListAppend(&resource->waiters, &worker->waiting);
}

VOID ResourceGrant(SOS_WORKER *worker, LONGLONG now)
{
    ListRemove(&worker->waiting);
    worker->signalled = now;
    MakeRunnable(worker);
}

SOS_CANCEL ResourceCancel(SOS_WORKER *worker)
{
    SOS_RESOURCE *resource = worker->resource;
    SOS_CANCEL result = CANCEL_LATE;

    if (!ResourceTryLock(resource))
        return CANCEL_BUSY;
    if (ListHolds(&worker->waiting)) {
        ListRemove(&worker->waiting);
        result = CANCEL_DONE;
    }
    ResourceUnlock(resource);
    return result;
}
