/* SPDX-License-Identifier: MIT
 *
 * statistics.c - waits by type, resource wait and signal wait apart; what schedulers did.
 *
 * A scheduler counts for itself, without a lock, when a worker that waited is about to run.
 */
#include "sqlos_private.h"

const char *SosWaitTypeName(SOS_WAIT_TYPE type)
{
    static const char *const names[SOS_WAIT_TYPES] = {"SOS_SCHEDULER_YIELD",
                                                      "THREADPOOL",
                                                      "EVENT",
                                                      "LOCK",
                                                      "CMEMTHREAD",
                                                      "SOS_MUTEX",
                                                      "LATCH_KP",
                                                      "LATCH_SH",
                                                      "LATCH_UP",
                                                      "LATCH_EX",
                                                      "LATCH_DT",
                                                      "SPINLOCK",
                                                      "WAITFOR",
                                                      "IO_COMPLETION",
                                                      "PREEMPTIVE",
                                                      "KERNEL_BLOCK"};

    return (unsigned)type < SOS_WAIT_TYPES ? names[type] : "?";
}

static VOID Count(SOS_WAIT_COUNT *count, LONGLONG started, LONGLONG signalled, LONGLONG now)
{
    count->waits++;
    count->resource += signalled - started;
    count->signal += now - signalled;
    if (now - started > count->most)
        count->most = now - started;
}

VOID RecordWaits(SOS_SCHEDULER *self, SOS_WORKER *worker, LONGLONG now)
{
    if (worker->unblocked) {
        Count(&self->waits[SOS_WAIT_KERNEL], worker->blocked, worker->unblocked, now);
        worker->unblocked = 0;
    }
    if (worker->signalled) {
        SOS_WAIT_COUNT *count = &self->waits[worker->waitType];

        Count(count, worker->started, worker->signalled, now);
        count->timeouts += worker->status == SOS_TIMEOUT;
        count->aborts += worker->status == SOS_ABORTED;
        worker->signalled = 0;
    }
}

VOID RecordThreadpool(SOS_SCHEDULER *self, const SOS_TASK *task)
{
    LONGLONG now = Now();

    Count(&self->waits[SOS_WAIT_THREADPOOL], task->submitted, now, now);
}

VOID SosWaitStats(SOS_WAIT_TYPE type, SOS_WAIT_STATS *stats)
{
    LONGLONG resource = 0, signal = 0, most = 0;
    int i;

    ZeroMemory(stats, sizeof(*stats));
    if ((unsigned)type >= SOS_WAIT_TYPES)
        return;
    for (i = 0; i < g_sos.schedulerCount; i++) {
        const SOS_WAIT_COUNT *count = &g_sos.schedulers[i].waits[type];

        stats->waits += count->waits;
        stats->timeouts += count->timeouts;
        stats->aborts += count->aborts;
        resource += count->resource;
        signal += count->signal;
        if (count->most > most)
            most = count->most;
    }
    stats->resourceMs = InMs(resource);
    stats->signalMs = InMs(signal);
    stats->maxMs = InMs(most);
}

VOID SosSchedulerStats(int scheduler, SOS_SCHEDULER_STATS *stats)
{
    const SOS_SCHEDULER *from = &g_sos.schedulers[scheduler];

    stats->node = from->node;
    stats->workers = (int)from->workers;
    stats->parked = from->parkedCount;
    stats->runnable = from->runnableCount;
    stats->onTimers = from->timerCount;
    stats->onIo = from->ioCount;
    stats->ioPending = from->ioPendingCount;
    stats->ioPosted = from->ioPosted;
    stats->switches = from->switches;
    stats->idles = from->idles;
    stats->yieldChecks = from->yieldChecks;
    stats->overruns = from->overruns;
    stats->maxOverrunMs = InMs(from->maxOverrun);
    stats->tasksDone = from->tasksDone;
    stats->kernelBlocks = from->kernelBlocks;
    stats->excursions = from->excursions;
}
