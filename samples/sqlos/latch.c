/* SPDX-License-Identifier: MIT
 *
 * latch.c - latches: many readers, one updater beside them, one writer, one that destroys.
 *
 * A request is granted if its mode goes together with all that is held, and with all that wait
 * before it: so it may pass another only where it is in nobody's way. The worker that takes another
 * off the list, under the resource's lock, has counted it as a holder already.
 */
#include "sqlos_private.h"

/* Bits of the modes that a mode goes together with. */
static const ULONG s_together[SOS_LATCH_MODES] = {
    1u << SOS_LATCH_KP | 1u << SOS_LATCH_SH | 1u << SOS_LATCH_UP | 1u << SOS_LATCH_EX,
    1u << SOS_LATCH_KP | 1u << SOS_LATCH_SH | 1u << SOS_LATCH_UP,
    1u << SOS_LATCH_KP | 1u << SOS_LATCH_SH, 1u << SOS_LATCH_KP, 0};

VOID SosLatchInit(SOS_LATCH *latch)
{
    ZeroMemory(latch, sizeof(*latch));
    ResourceInit(&latch->resource);
}

static ULONG Held(const SOS_LATCH *latch)
{
    ULONG modes = 0;
    int i;

    for (i = 0; i < SOS_LATCH_MODES; i++)
        if (latch->held[i])
            modes |= 1u << i;
    return modes;
}

/* The modes that wait, of all that are in the list. */
static ULONG Wanted(const SOS_LATCH *latch)
{
    const LIST_ENTRY *entry;
    ULONG modes = 0;

    for (entry = latch->resource.waiters.Flink; entry != &latch->resource.waiters;
         entry = entry->Flink)
        modes |= 1u << CONTAINING_RECORD(entry, SOS_WORKER, waiting)->wants;
    return modes;
}

/* The lock is held: something was released, or no longer waits. */
static VOID GrantAll(SOS_LATCH *latch)
{
    LIST_ENTRY *entry = latch->resource.waiters.Flink;
    ULONG inTheWay = Held(latch);
    LONGLONG now = 0;

    while (entry != &latch->resource.waiters) {
        SOS_WORKER *worker = CONTAINING_RECORD(entry, SOS_WORKER, waiting);
        ULONG_PTR mode = worker->wants;

        entry = entry->Flink;
        if (!(inTheWay & ~s_together[mode])) {
            if (!now)
                now = Now();
            latch->held[mode]++;
            ResourceGrant(worker, now);
        }
        inTheWay |= 1u << mode;
    }
}

SOS_STATUS SosLatchAcquire(SOS_LATCH *latch, SOS_LATCH_MODE mode, DWORD timeout)
{
    SOS_WORKER *worker = WorkerInside();
    SOS_STATUS status = SOS_OK;

    ResourceLock(&latch->resource);
    if (worker->task->aborted) {
        status = SOS_ABORTED;
    } else if (!((Held(latch) | Wanted(latch)) & ~s_together[mode])) {
        latch->held[mode]++;
    } else if (timeout == 0) {
        status = SOS_TIMEOUT;
    } else {
        worker->wants = (ULONG_PTR)mode;
        latch->waits++;
        ResourceJoin(&latch->resource, worker, (SOS_WAIT_TYPE)(SOS_WAIT_LATCH_KP + (int)mode),
                     timeout, TRUE);
        ResourceUnlock(&latch->resource);
        status = WaitNow(worker, YIELD_WAIT);
        if (status == SOS_OK)
            return status;
        /* Those behind may go now that this one no longer waits before them. */
        ResourceLock(&latch->resource);
        GrantAll(latch);
    }
    ResourceUnlock(&latch->resource);
    return status;
}

VOID SosLatchRelease(SOS_LATCH *latch, SOS_LATCH_MODE mode)
{
    ResourceLock(&latch->resource);
    latch->held[mode]--;
    GrantAll(latch);
    ResourceUnlock(&latch->resource);
}
