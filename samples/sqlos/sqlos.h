/* SPDX-License-Identifier: MIT
 *
 * sqlos.h - a cooperative operating layer in the manner of SQL Server's: schedulers, tasks, waits.
 *
 * One scheduler per processor; each of its workers belongs to it for good, and exactly one owns it
 * at a moment. A worker gives it up when it waits, when it blocks in the system, or when its
 * quantum is over and it asks. Calls marked [task] are for code that runs in a task; all others are
 * for any thread. Times to wait are in milliseconds, INFINITE for none.
 */
#ifndef SQLOS_H
#define SQLOS_H

#include <Windows.h>

typedef struct SOS_SCHEDULER SOS_SCHEDULER;
typedef struct SOS_WORKER SOS_WORKER;
typedef struct SOS_TASK SOS_TASK;

typedef enum SOS_STATUS {
    SOS_OK,
    SOS_TIMEOUT,
    SOS_ABORTED, /* somebody wants this task to end: give up what you do and return */
    SOS_FAILED   /* of I/O: the last error says why */
} SOS_STATUS;

typedef enum SOS_WAIT_TYPE {
    SOS_WAIT_SCHEDULER_YIELD, /* the quantum was over; there is no resource, all is signal wait */
    SOS_WAIT_THREADPOOL,      /* a task that had no worker yet */
    SOS_WAIT_EVENT,
    SOS_WAIT_LOCK,       /* the same wait, when what the event stands for is a lock */
    SOS_WAIT_CMEMTHREAD, /* an unfair mutex pair: as a rule a memory object's */
    SOS_WAIT_WAITFOR,    /* a delay */
    SOS_WAIT_IO_COMPLETION,
    SOS_WAIT_PREEMPTIVE, /* outside by its own wish */
    SOS_WAIT_KERNEL,     /* outside because it blocked in a system call */
    SOS_WAIT_TYPES
} SOS_WAIT_TYPE;

/* ---- The system: one in a process ------------------------------------------------------------ */

typedef struct SOS_CONFIG {
    int schedulers; /* 0: one for each processor */
    int nodes;      /* 0: one; schedulers are dealt to nodes in equal runs */
    int maxWorkers; /* of a scheduler; 0: 64 */
    DWORD quantum;  /* 0: 4 ms */
} SOS_CONFIG;

enum { SOS_MAX_SCHEDULERS = 64 };

/* FALSE: the last error says why (87: a bad configuration or it runs already); nothing is left. */
BOOL SosStart(const SOS_CONFIG *config);
/* Waits for all tasks, then ends workers and schedulers and frees everything. FALSE: tasks are left
 * after this time, and all goes on as before. */
BOOL SosStop(DWORD timeout);
int SosSchedulerCount(VOID);
int SosNodeCount(VOID);
int SosNodeOf(int scheduler);

/* ---- Tasks ----------------------------------------------------------------------------------- */

typedef DWORD (*SOS_ROUTINE)(PVOID argument);

/* Has a worker of the scheduler run the routine; -1: of the scheduler with the fewest tasks. To be
 * released. NULL: out of memory, or no such scheduler (87). */
SOS_TASK *SosSubmit(int scheduler, SOS_ROUTINE routine, PVOID argument);
/* SOS_TIMEOUT: it runs still. SOS_ABORTED: it never ran. `result` (or NULL) is the routine's. */
SOS_STATUS SosTaskWait(SOS_TASK *task, DWORD timeout, DWORD *result);
/* Ends the task's wait, if that can be ended, and every later one, with SOS_ABORTED. */
VOID SosTaskAbort(SOS_TASK *task);
VOID SosTaskRelease(SOS_TASK *task);

SOS_TASK *SosCurrentTask(VOID); /* NULL outside of tasks */
int SosCurrentScheduler(VOID);  /* -1 outside of tasks */

/* [task] Lets others run if the quantum is over. SOS_ABORTED tells of an abort in any case. */
SOS_STATUS SosYieldCheck(VOID);
/* [task] The same at once, whatever is left of the quantum. */
SOS_STATUS SosYield(VOID);
/* [task] WAITFOR: SOS_OK when the time is over. */
SOS_STATUS SosDelay(DWORD milliseconds);

/* [task] Between the two the worker is outside: it runs beside its scheduler, on a thread that the
 * system preempts, and comes back through the runnable queue. For code that computes long without
 * a yield check. Code that merely blocks needs neither. */
VOID SosLeaveScheduler(VOID);
VOID SosReturnToScheduler(VOID);

/* ---- Events ---------------------------------------------------------------------------------- */

typedef struct SOS_EVENT {
    volatile LONG lock; /* over the rest */
    BOOL manual, signalled;
    LIST_ENTRY waiters; /* first come, first served */
} SOS_EVENT;

VOID SosEventInit(SOS_EVENT *event, BOOL manual, BOOL signalled);
/* [task] SOS_TIMEOUT and SOS_ABORTED take nothing of the event. Time 0 only looks. */
SOS_STATUS SosEventWait(SOS_EVENT *event, DWORD timeout, SOS_WAIT_TYPE type);
/* Auto-reset: lets one waiter go, or the next to come. Manual: all, until the reset. */
VOID SosEventSignal(SOS_EVENT *event);
/* Lets all waiters go; with none an auto-reset event is signalled for the next to come. */
VOID SosEventSignalAll(SOS_EVENT *event);
VOID SosEventReset(SOS_EVENT *event);

/* ---- Input and output ------------------------------------------------------------------------ */

/* [task] Posts the transfer, waits on the scheduler's I/O list, and tells how many bytes. */
SOS_STATUS SosReadFile(HANDLE file, ULONGLONG offset, PVOID buffer, DWORD bytes, DWORD *done);
SOS_STATUS SosWriteFile(HANDLE file, ULONGLONG offset, const void *buffer, DWORD bytes,
                        DWORD *done);

/* ---- The unfair mutex pair ------------------------------------------------------------------- */

/* Which of the two a call means: both together, or the second alone. */
#define SOS_PAIR_BOTH 0xffffffffu
#define SOS_PAIR_SECOND 0xffff0000u

typedef struct SOS_UNFAIR_MUTEX_PAIR {
    volatile LONG word; /* unfair_mutex.c draws it */
    SOS_EVENT event[2];
    SOS_SCHEDULER *volatile ownerScheduler[2];
    SOS_TASK *volatile ownerTask[2];
    /* Counted by the worker that has just got it. */
    volatile LONG collisions; /* found it held */
    volatile LONG spins, sleeps;
} SOS_UNFAIR_MUTEX_PAIR;

VOID SosPairInit(SOS_UNFAIR_MUTEX_PAIR *pair);
/* [task] Not recursive. The wait cannot be aborted. */
VOID SosPairAcquire(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves);
BOOL SosPairTryAcquire(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves);
VOID SosPairRelease(SOS_UNFAIR_MUTEX_PAIR *pair, DWORD halves);

/* ---- Memory objects -------------------------------------------------------------------------- */

typedef enum SOS_PARTITIONING {
    SOS_MEMORY_GLOBAL,
    SOS_MEMORY_PER_NODE,
    SOS_MEMORY_PER_CPU
} SOS_PARTITIONING;
typedef struct SOS_MEMORY_OBJECT SOS_MEMORY_OBJECT;

typedef struct SOS_MEMORY_REPORT {
    int partitions;
    LONGLONG allocations, frees, bytes; /* bytes: now */
    LONGLONG collisions, spins, sleeps; /* on the mutex pairs */
} SOS_MEMORY_REPORT;

SOS_MEMORY_OBJECT *SosMemoryCreate(SOS_PARTITIONING partitioning); /* NULL: out of memory */
VOID SosMemoryDestroy(SOS_MEMORY_OBJECT *memory); /* whatever is still allocated goes with it */
/* [task] Zeroed memory of the caller's partition; NULL: out of memory. A block goes back to where it
 * came from, whichever worker frees it. */
PVOID SosMemoryAllocate(SOS_MEMORY_OBJECT *memory, SIZE_T bytes);
VOID SosMemoryFree(PVOID block);
/* [task] Exact for each partition. */
VOID SosMemoryReport(SOS_MEMORY_OBJECT *memory, SOS_MEMORY_REPORT *report);

/* ---- Statistics ------------------------------------------------------------------------------ */

typedef struct SOS_WAIT_STATS {
    LONGLONG waits, timeouts, aborts;
    double resourceMs; /* until what it waited for was there */
    double signalMs;   /* from then until it ran */
    double maxMs;      /* both, of one wait */
} SOS_WAIT_STATS;

typedef struct SOS_SCHEDULER_STATS {
    int node, workers, parked, runnable, onTimers, onIo;
    LONGLONG switches, idles, yieldChecks, overruns;
    double maxOverrunMs; /* beyond the quantum */
    LONGLONG tasksDone, kernelBlocks, excursions;
} SOS_SCHEDULER_STATS;

const char *SosWaitTypeName(SOS_WAIT_TYPE type);
/* Read while they change: each number is right, together they are of about one moment. */
VOID SosWaitStats(SOS_WAIT_TYPE type, SOS_WAIT_STATS *stats); /* of all schedulers */
VOID SosSchedulerStats(int scheduler, SOS_SCHEDULER_STATS *stats);

#endif
