/* SPDX-License-Identifier: MIT
 *
 * fair_mutex.c - the fair mutex, which a release hands over: beside the unfair pair, to compare
 * with.
 *
 * A worker that finds it held takes a place in the line at once and spins there, as often as the
 * pair's workers do; so spinning helps nobody past another. A release takes the first off the line
 * and makes it the owner. That one may be asleep: then the mutex is held by a worker that does not
 * run until its scheduler gets to it, and the others wait for that as well.
 *
 * `wants` of a worker in line says how to tell it. WANTS_SPINNING: it looks at the word, and is
 * told by WANTS_GRANTED there. WANTS_ASLEEP: it has left, or is about to, and is made runnable.
 * Both change under the lock only.
 */
#include "sqlos_private.h"

enum { WANTS_SPINNING, WANTS_ASLEEP, WANTS_GRANTED };

VOID SosFairInit(SOS_FAIR_MUTEX *mutex)
{
    ZeroMemory(mutex, sizeof(*mutex));
    ResourceInit(&mutex->resource);
}

static VOID SetOwner(SOS_FAIR_MUTEX *mutex, SOS_WORKER *worker)
{
    mutex->owner = worker ? worker->task : NULL;
    mutex->ownerScheduler = worker ? worker->scheduler : NULL;
    mutex->acquisitions += worker != NULL;
}

/* The worker stands in line already, and spins. TRUE: the mutex was handed over to it meanwhile. */
static BOOL Spin(SOS_FAIR_MUTEX *mutex, const SOS_WORKER *worker, LONG *spins)
{
    const volatile ULONG_PTR *wants = &worker->wants;
    int left = mutex->ownerScheduler == worker->scheduler ? SPINS_NEIGHBOUR : SPINS_STRANGER;

    for (; left > 0; left--) {
        ++*spins;
        if (*wants == WANTS_GRANTED)
            return TRUE;
        YieldProcessor();
    }
    return FALSE;
}

VOID SosFairAcquire(SOS_FAIR_MUTEX *mutex)
{
    SOS_WORKER *worker = WorkerInside();
    BOOL asleep;
    LONG spins = 0;

    ResourceLock(&mutex->resource);
    if (!mutex->owner) {
        SetOwner(mutex, worker);
        ResourceUnlock(&mutex->resource);
        return;
    }
    worker->wants = WANTS_SPINNING;
    ResourceJoin(&mutex->resource, worker, SOS_WAIT_MUTEX, INFINITE, FALSE);
    mutex->collisions++;
    ResourceUnlock(&mutex->resource);
    Spin(mutex, worker, &spins);
    ResourceLock(&mutex->resource);
    asleep = worker->wants == WANTS_SPINNING;
    if (asleep)
        worker->wants = WANTS_ASLEEP;
    mutex->spins += spins;
    mutex->sleeps += asleep;
    ResourceUnlock(&mutex->resource);
    if (asleep)
        WaitNow(worker, YIELD_WAIT); /* and back as the owner */
}

VOID SosFairRelease(SOS_FAIR_MUTEX *mutex)
{
    LIST_ENTRY *waiters = &mutex->resource.waiters;
    SOS_WORKER *heir = NULL;

    ResourceLock(&mutex->resource);
    if (!ListEmpty(waiters))
        heir = CONTAINING_RECORD(waiters->Flink, SOS_WORKER, waiting);
    SetOwner(mutex, heir);
    if (heir && heir->wants == WANTS_ASLEEP) {
        ResourceGrant(heir, Now());
    } else if (heir) {
        ListRemove(&heir->waiting);
        heir->wants = WANTS_GRANTED;
    }
    ResourceUnlock(&mutex->resource);
}
