/* SPDX-License-Identifier: MIT
 *
 * report.c - what the demonstration prints: a line while it runs, tables, checks.
 */
#include "demo.h"

#include <stdio.h>

const char *PartitioningName(SOS_PARTITIONING partitioning)
{
    static const char *const names[] = {"global", "per node", "per cpu", "dynamic"};

    return names[partitioning];
}

VOID PrintLive(const PHASE *phase)
{
    int runnable = 0, timers = 0, io = 0;
    SOS_WAIT_STATS lock, memory;
    int i;

    for (i = 0; i < SosSchedulerCount(); i++) {
        SOS_SCHEDULER_STATS stats;

        SosSchedulerStats(i, &stats);
        runnable += stats.runnable;
        timers += stats.onTimers;
        io += stats.onIo;
    }
    SosWaitStats(SOS_WAIT_LOCK, &lock);
    SosWaitStats(SOS_WAIT_CMEMTHREAD, &memory);
    printf("%-8s %5.2f s %8.0f batches/s   now: %2d runnable, %2d on timers, %d on I/O   so far: "
           "%lld lock waits, %lld CMEMTHREAD\n",
           PartitioningName(phase->partitioning), phase->seconds,
           (double)phase->batches / phase->seconds, runnable, timers, io, (long long)lock.waits,
           (long long)memory.waits);
    fflush(stdout);
}

VOID PrintPhases(const PHASE *phases)
{
    int i;

    printf(
        "\nmemory objects  heaps  batches/s  allocations  collisions      spins  CMEMTHREAD waits"
        "  ms waited\n");
    for (i = 0; i < PHASES; i++) {
        const PHASE *phase = &phases[i];

        printf("%-14s  %5d  %9.0f  %11lld  %10lld  %9lld  %16lld  %9.1f\n",
               PartitioningName(phase->partitioning), phase->memory.partitions,
               (double)phase->batches / phase->seconds, (long long)phase->memory.allocations,
               (long long)phase->memory.collisions, (long long)phase->memory.spins,
               (long long)phase->memoryWaits, phase->memoryWaitMs);
    }
}

VOID PrintTables(VOID)
{
    const SOS_SPINLOCK_CLASS *kind;
    int i;

    printf("\nscheduler  node  workers  switches    idles  yield checks  overruns  worst ms   tasks"
           "  kernel blocks  excursions\n");
    for (i = 0; i < SosSchedulerCount(); i++) {
        SOS_SCHEDULER_STATS s;

        SosSchedulerStats(i, &s);
        printf("%9d  %4d  %7d  %8lld  %7lld  %12lld  %8lld  %8.1f  %6lld  %13lld  %10lld\n", i,
               s.node, s.workers, (long long)s.switches, (long long)s.idles,
               (long long)s.yieldChecks, (long long)s.overruns, s.maxOverrunMs,
               (long long)s.tasksDone, (long long)s.kernelBlocks, (long long)s.excursions);
    }
    printf("\nwait type              waits  resource ms   signal ms  average ms  longest ms  "
           "time-outs  aborts\n");
    for (i = 0; i < SOS_WAIT_TYPES; i++) {
        SOS_WAIT_STATS s;

        SosWaitStats((SOS_WAIT_TYPE)i, &s);
        if (!s.waits)
            continue;
        printf("%-19s %8lld  %11.1f  %10.1f  %10.3f  %10.1f  %9lld  %6lld\n",
               SosWaitTypeName((SOS_WAIT_TYPE)i), (long long)s.waits, s.resourceMs, s.signalMs,
               (s.resourceMs + s.signalMs) / (double)s.waits, s.maxMs, (long long)s.timeouts,
               (long long)s.aborts);
    }
    printf("\nspinlock class       collisions      spins  back-offs  sleeps\n");
    for (kind = SosSpinlockClasses(); kind; kind = kind->next)
        printf("%-19s  %10lld  %9lld  %9lld  %6lld\n", kind->name, (long long)kind->collisions,
               (long long)kind->spins, (long long)kind->backoffs, (long long)kind->sleeps);
}

static BOOL Check(BOOL holds, const char *what)
{
    printf("  %s  %s\n", holds ? "holds" : "FAILS", what);
    return holds;
}

BOOL Judge(const PHASE *phases)
{
    static const SOS_WAIT_TYPE seen[] = {
        SOS_WAIT_SCHEDULER_YIELD, SOS_WAIT_THREADPOOL, SOS_WAIT_LOCK,  SOS_WAIT_WAITFOR,
        SOS_WAIT_IO_COMPLETION,   SOS_WAIT_PREEMPTIVE, SOS_WAIT_KERNEL};
    LONGLONG wrong = 0, aborted = 0, left = 0, batches = 0, lockTimeouts = 0;
    SOS_WAIT_STATS lock, yields;
    BOOL good = TRUE, all = TRUE;
    int i;

    for (i = 0; i < PHASES; i++) {
        wrong += phases[i].wrong;
        aborted += phases[i].aborted;
        lockTimeouts += phases[i].lockTimeouts;
        left += phases[i].memory.bytes + (phases[i].memory.allocations - phases[i].memory.frees);
        batches += phases[i].batches;
    }
    for (i = 0; i < (int)(sizeof(seen) / sizeof(*seen)); i++) {
        SOS_WAIT_STATS stats;

        SosWaitStats(seen[i], &stats);
        /* What blocks in the system is seen with UMS only. */
        if (stats.waits > 0 || (seen[i] == SOS_WAIT_KERNEL && SosMode() != SOS_MODE_UMS))
            continue;
        printf("no wait of the kind %s\n", SosWaitTypeName(seen[i]));
        all = FALSE;
    }
    SosWaitStats(SOS_WAIT_LOCK, &lock);
    SosWaitStats(SOS_WAIT_SCHEDULER_YIELD, &yields);
    printf("\n");
    good &= Check(batches > 0 && wrong == 0, "every session ended well and read what was written");
    good &= Check(LocksAreFreeAndCounted(), "the locks excluded, and all are free");
    good &= Check(lock.timeouts == lockTimeouts, "each time-out of a lock reached its session");
    good &= Check(aborted == PHASES, "an endless delay ended by its abort, in each phase");
    good &= Check(left == 0, "every block went back to its memory object");
    good &= Check(phases[2].memory.collisions <= phases[0].memory.collisions,
                  "memory objects per cpu collide no more than a global one");
    good &= Check(yields.resourceMs == 0, "a yield at the end of a quantum is signal wait alone");
    good &= Check(all, "waits of every kind were seen");
    return good;
}
