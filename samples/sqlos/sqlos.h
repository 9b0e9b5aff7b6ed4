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
    SOS_WAIT_MUTEX,      /* a fair mutex */
    SOS_WAIT_LATCH_KP,   /* a latch, in the order of SOS_LATCH_MODE */
    SOS_WAIT_LATCH_SH,
    SOS_WAIT_LATCH_UP,
    SOS_WAIT_LATCH_EX,
    SOS_WAIT_LATCH_DT,
    SOS_WAIT_SPINLOCK, /* asleep in a spinlock's back-off: all resource wait */
    SOS_WAIT_WAITFOR,  /* a delay */
    SOS_WAIT_IO_COMPLETION,
    SOS_WAIT_PREEMPTIVE, /* outside by its own wish */
    SOS_WAIT_KERNEL,     /* outside because it blocked in a system call */
    SOS_WAIT_TYPES
} SOS_WAIT_TYPE;

/* ---- The system: one in a process ------------------------------------------------------------ */

/* What workers are. Only with UMS a worker that blocks in the system lets others of its scheduler
 * run; else it has to leave for that. */
typedef enum SOS_MODE {
    SOS_MODE_DEFAULT, /* what the environment's SQLOS_MODE names, or UMS */
    SOS_MODE_UMS,
    SOS_MODE_THREADS, /* each a kernel thread; the one that leaves hands the scheduler over */
    SOS_MODE_FIBERS,
    SOS_MODES
} SOS_MODE;

/* "ums", "threads", "fibers". SosModeNamed: FALSE if there is none of this name. */
const char *SosModeName(SOS_MODE mode);
BOOL SosModeNamed(const char *name, SOS_MODE *mode);

typedef struct SOS_CONFIG {
    SOS_MODE mode;
    int schedulers; /* 0: one for each processor */
    int nodes;      /* 0: one; schedulers are dealt to nodes in equal runs */
    int maxWorkers; /* of a scheduler; 0: 64 */
    DWORD quantum;  /* 0: 4 ms */
    int ioDepth;    /* transfers that a scheduler has under way at once; 0: 8 */
} SOS_CONFIG;

enum { SOS_MAX_SCHEDULERS = 64 };

/* FALSE: the last error says why (87: a bad configuration or it runs already); nothing is left. */
BOOL SosStart(const SOS_CONFIG *config);
/* Waits for all tasks, then ends workers and schedulers and frees everything. FALSE: tasks are left
 * after this time, and all goes on as before. */
BOOL SosStop(DWORD timeout);
SOS_MODE SosMode(VOID); /* of what runs; SOS_MODE_DEFAULT: nothing does */
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
 * a yield check. Code that merely blocks needs neither with UMS, and both in the other modes. Any
 * number of workers may be outside at once: each has a thread. The first time costs the making of
 * the thread. */
VOID SosLeaveScheduler(VOID);
VOID SosReturnToScheduler(VOID);
int SosHostCount(
    VOID); /* threads made for this so far: the most that were outside at once. Workers that are
                         * threads need none: 0 */

/* ---- Events ---------------------------------------------------------------------------------- */

/* What can be waited for: its list of waiters, and the lock over that and over what guards them. */
typedef struct SOS_RESOURCE {
    volatile LONG lock;
    LIST_ENTRY waiters; /* first come, first served */
} SOS_RESOURCE;

typedef struct SOS_EVENT {
    SOS_RESOURCE resource;
    BOOL manual, signalled;
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

/* [task] Leaves the transfer to the scheduler, which posts it when fewer than its depth are under
 * way; waits on the scheduler's I/O list, and tells how many bytes. */
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

/* ---- The fair mutex -------------------------------------------------------------------------- */

/* A release hands it to the one that has waited longest, whether that one runs or not. */
typedef struct SOS_FAIR_MUTEX {
    SOS_RESOURCE resource;
    SOS_TASK *volatile owner; /* NULL: it is free, and nobody waits */
    SOS_SCHEDULER *volatile ownerScheduler;
    /* Under the resource's lock. */
    LONGLONG acquisitions, collisions, spins, sleeps;
} SOS_FAIR_MUTEX;

VOID SosFairInit(SOS_FAIR_MUTEX *mutex);
/* [task] Not recursive. The wait cannot be aborted. */
VOID SosFairAcquire(SOS_FAIR_MUTEX *mutex);
VOID SosFairRelease(SOS_FAIR_MUTEX *mutex);

/* ---- Latches --------------------------------------------------------------------------------- */

/* What goes together: KP with all but DT; SH with KP, SH, UP; UP with KP, SH; EX with KP; DT with
 * none. */
typedef enum SOS_LATCH_MODE {
    SOS_LATCH_KP, /* keep: it must not be destroyed */
    SOS_LATCH_SH, /* share: to read */
    SOS_LATCH_UP, /* update: to read, and nobody else updates */
    SOS_LATCH_EX, /* exclusive: to write */
    SOS_LATCH_DT, /* destroy */
    SOS_LATCH_MODES
} SOS_LATCH_MODE;

typedef struct SOS_LATCH {
    SOS_RESOURCE resource;
    /* Under the resource's lock. */
    LONG held[SOS_LATCH_MODES];
    LONGLONG waits;
} SOS_LATCH;

VOID SosLatchInit(SOS_LATCH *latch);
/* [task] Served in the order of arrival, but for those that are in nobody's way. SOS_TIMEOUT and
 * SOS_ABORTED take nothing of it. Time 0 only looks. */
SOS_STATUS SosLatchAcquire(SOS_LATCH *latch, SOS_LATCH_MODE mode, DWORD timeout);
VOID SosLatchRelease(SOS_LATCH *latch, SOS_LATCH_MODE mode);

/* ---- Spinlocks ------------------------------------------------------------------------------- */

/* Spinlocks that guard things of one kind have their counts together. Lasts as long as the
 * process. */
typedef struct SOS_SPINLOCK_CLASS {
    const char *name;
    struct SOS_SPINLOCK_CLASS *next; /* of all that were made known; see SosSpinlockClasses */
    /* Counted by the one that has just got a lock. */
    volatile LONG64 collisions; /* found it held */
    volatile LONG64 spins;      /* looked again */
    volatile LONG64 backoffs;   /* let its processor go instead */
    volatile LONG64 sleeps;     /* of them, those that slept for a time */
} SOS_SPINLOCK_CLASS;

typedef struct SOS_SPINLOCK {
    PVOID volatile owner; /* whoever holds it, NULL if nobody does */
    SOS_SPINLOCK_CLASS *kind;
} SOS_SPINLOCK;

/* For what is guarded during some instructions, by tasks or plain threads. Not recursive; its
 * holder must not wait. A task that finds it held spins, unless the holder needs the same
 * scheduler, then yields, then sleeps, longer each time. */
VOID SosSpinlockInit(SOS_SPINLOCK *lock, SOS_SPINLOCK_CLASS *kind);
VOID SosSpinlockAcquire(SOS_SPINLOCK *lock);
BOOL SosSpinlockTryAcquire(SOS_SPINLOCK *lock);
VOID SosSpinlockRelease(SOS_SPINLOCK *lock);

/* Makes a class known, once for each; its name and its counts of zero are the caller's to set. */
VOID SosSpinlockClassInit(SOS_SPINLOCK_CLASS *kind);
const SOS_SPINLOCK_CLASS *SosSpinlockClasses(VOID); /* the newest; `next` leads to the others */

/* ---- Memory objects -------------------------------------------------------------------------- */

typedef enum SOS_PARTITIONING {
    SOS_MEMORY_GLOBAL,
    SOS_MEMORY_PER_NODE,
    SOS_MEMORY_PER_CPU,
    SOS_MEMORY_DYNAMIC /* global, then per node, then per processor, as contention asks for it */
} SOS_PARTITIONING;
typedef struct SOS_MEMORY_OBJECT SOS_MEMORY_OBJECT;

typedef struct SOS_MEMORY_REPORT {
    int partitions;                     /* that allocations are made from now */
    SOS_PARTITIONING level;             /* of a dynamic one: what it has come to */
    LONGLONG allocations, frees, bytes; /* bytes: now */
    LONGLONG collisions, spins, sleeps; /* on the mutex pairs */
} SOS_MEMORY_REPORT;

SOS_MEMORY_OBJECT *SosMemoryCreate(SOS_PARTITIONING partitioning); /* NULL: out of memory */
VOID SosMemoryDestroy(SOS_MEMORY_OBJECT *memory); /* whatever is still allocated goes with it */
/* [task] Zeroed memory of the caller's partition; NULL: out of memory. A block goes back to where
 * it came from, whichever worker frees it. */
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
    int node, workers, parked, runnable, onTimers;
    int onIo,
        ioPending; /* waiting for a transfer; of them, those whose transfer is not posted yet */
    LONGLONG switches, idles, yieldChecks, overruns;
    double maxOverrunMs; /* beyond the quantum */
    LONGLONG tasksDone, kernelBlocks, excursions, ioPosted;
} SOS_SCHEDULER_STATS;

const char *SosWaitTypeName(SOS_WAIT_TYPE type);
/* Read while they change: each number is right, together they are of about one moment. */
VOID SosWaitStats(SOS_WAIT_TYPE type, SOS_WAIT_STATS *stats); /* of all schedulers */
VOID SosSchedulerStats(int scheduler, SOS_SCHEDULER_STATS *stats);

#endif
