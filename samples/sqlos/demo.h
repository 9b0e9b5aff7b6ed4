/* SPDX-License-Identifier: MIT
 *
 * demo.h - the demonstration: sessions that work as a database's do, and what is printed of them.
 */
#ifndef SQLOS_DEMO_H
#define SQLOS_DEMO_H

#include "sqlos.h"

enum { PHASES = 4, SESSIONS_EACH = 8, LOCKS = 12, PAGES = 16, PAGE_BYTES = 4096, LIMIT_MS = 20000 };

typedef struct DEMO_OPTIONS {
    int schedulers, nodes, seconds;
    BOOL report;
} DEMO_OPTIONS;

/* What a phase gave: the same work with memory objects partitioned in another way. */
typedef struct PHASE {
    SOS_PARTITIONING partitioning;
    SOS_MEMORY_REPORT memory;
    LONGLONG batches, lockTimeouts, aborted, wrong, memoryWaits;
    double memoryWaitMs;
    double seconds;
} PHASE;

/* workload.c */
BOOL PrepareWorkload(VOID); /* before SosStart */
VOID RunPhase(PHASE *phase, DWORD milliseconds, VOID (*tick)(const PHASE *phase));
BOOL LocksAreFreeAndCounted(VOID);

/* report.c */
const char *PartitioningName(SOS_PARTITIONING partitioning);
VOID PrintLive(const PHASE *phase); /* one line */
VOID PrintPhases(const PHASE *phases);
VOID PrintTables(VOID);
BOOL Judge(const PHASE *phases);

#endif
