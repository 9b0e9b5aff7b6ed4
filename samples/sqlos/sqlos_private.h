/* SPDX-License-Identifier: MIT
 *
 * sqlos_private.h - what the files of the layer share: schedulers, workers, tasks, small lists.
 *
 * A scheduler's data are touched by scheduler code alone, which one thread runs at a time
 * (mode.h): so it needs no lock. Others leave what they want done on an interlocked list, and the
 * scheduler fetches it. Scheduler code never waits for a lock that a worker may hold: it tries, and
 * comes back at the next housekeeping. For a worker may be switched away anywhere, by a page fault
 * on Windows.
 */
#ifndef SQLOS_PRIVATE_H
#define SQLOS_PRIVATE_H

#include "sqlos.h"

/* How a worker leaves its scheduler, or a host. */
enum {
    YIELD_QUANTUM = 1,
    YIELD_WAIT,
    YIELD_DELAY,
    YIELD_IO,
    YIELD_PARK,
    YIELD_LEAVE,
    YIELD_RETURN,
    YIELD_BLOCKED, /* in the system: not by its own wish */
    YIELD_END
};

/* mode.h */
typedef struct SOS_MODE_CALLS SOS_MODE_CALLS;

enum { WORKER_STACK_BYTES = 256 * 1024 };

/* Written by the worker's own scheduler only. */
typedef enum SOS_STATE {
    SOS_STARTING,
    SOS_PARKED,   /* in the pool, without a task */
    SOS_RUNNABLE, /* in the runnable queue: a signal wait */
    SOS_RUNNING,
    SOS_SUSPENDED, /* a resource wait: on a resource's list, a timer list, the I/O list */
    SOS_BLOCKED,   /* in the kernel */
    SOS_OUTSIDE
} SOS_STATE;

typedef struct SOS_IO {
    SLIST_ENTRY link; /* on the way to a device */
    HANDLE file;
    ULONGLONG offset;
    PVOID buffer;
    DWORD bytes, done, error;
    BOOL write;
    volatile LONG complete;
    LONGLONG completed; /* when; before `complete` */
    SOS_SCHEDULER *scheduler;
} SOS_IO;

struct SOS_TASK {
    SLIST_ENTRY link; /* on its scheduler's `tasks`, or free */
    SLIST_ENTRY abortLink;
    LIST_ENTRY pending; /* without a worker, or on the list of aborts to be tried again */
    SOS_SCHEDULER *scheduler;
    SOS_WORKER *worker; /* set by the scheduler */
    SOS_ROUTINE routine;
    PVOID argument;
    DWORD result;
    LONGLONG submitted;
    volatile LONG refs, aborted, over; /* over: 1 + its SOS_STATUS */
    SOS_EVENT ended;
};

struct SOS_WORKER {
    SLIST_ENTRY inbound; /* on its scheduler's `inbound` */
    LIST_ENTRY queue;    /* runnable queue, pool, I/O list, or an excursion's queue */
    LIST_ENTRY timer;    /* timer list; Flink NULL: not on it */
    LIST_ENTRY waiting;  /* a resource's list, under its lock; Flink NULL: not on it */
    SOS_SCHEDULER *scheduler;
    SOS_TASK *task;
    SOS_STATE state;
    BOOL early;                  /* its wait ended before it had left: it goes on at once */
    BOOL outside;                /* the worker's own view of it */
    LONGLONG blocked, unblocked; /* in the kernel, when; 0: not since it ran last */

    /* The wait: by the worker before it yields; `status` and `signalled` by the thread that ends
     * it. */
    SOS_WAIT_TYPE waitType;
    SOS_RESOURCE *resource; /* or NULL */
    ULONG_PTR wants;        /* of the resource; what that means is the resource's business */
    BOOL abortable;
    LONGLONG deadline; /* 0: none */
    LONGLONG started, signalled;
    SOS_STATUS status;
    SOS_IO *io;

    /* What it runs on: of the mode only. */
    PUMS_CONTEXT context;
    HANDLE thread;
    HANDLE turn;       /* threads: it owns its scheduler */
    PVOID fiber, home; /* home: fibers: whom it switches to when it leaves, ... */
    ULONG_PTR how;     /* ... in this way */
};

typedef struct SOS_WAIT_COUNT {
    LONGLONG waits, timeouts, aborts, resource, signal, most; /* ticks */
} SOS_WAIT_COUNT;

struct SOS_SCHEDULER {
    /* From anyone. */
    SLIST_HEADER inbound; /* workers that are to run: the near end of the runnable queue */
    SLIST_HEADER tasks;
    SLIST_HEADER aborts; /* tasks, by abortLink */
    volatile LONG idle, stopping;
    volatile LONG ioCompleted;
    volatile LONG workers;     /* made */
    volatile LONG freeWorkers; /* without a task; negative: tasks without a worker */
    volatile LONG load;        /* tasks that are not over */

    /* For good. */
    int index, node;
    DWORD_PTR processor;
    HANDLE thread, wake;
    PUMS_COMPLETION_LIST list; /* of the mode UMS, ... */
    HANDLE arrival;            /* ... and its event; else NULL */
    HANDLE turn;               /* threads: its own thread owns it */

    /* Its own. */
    SOS_WORKER *current;
    LONGLONG quantumEnd, dispatched;
    LIST_ENTRY ioPending; /* those that wait for a transfer that is not posted yet */
    LIST_ENTRY runnable, timers, io, parked, pending, abortsAgain, ended;
    LONG ioSeen;
    int runnableCount, timerCount, ioCount, parkedCount, endedCount;
    int ioPendingCount; /* of ioCount */
    LONGLONG ioPosted;
    LONGLONG switches, idles, yieldChecks, overruns, maxOverrun, tasksDone, kernelBlocks,
        excursions;
    SOS_WAIT_COUNT waits[SOS_WAIT_TYPES];
};

typedef struct SOS_SYSTEM {
    const SOS_MODE_CALLS *mode;
    DWORD_PTR machine; /* the processors that the process may use */
    int schedulerCount, nodeCount, maxWorkers, ioDepth;
    LONGLONG ticksPerSecond, quantum;
    HANDLE ready; /* auto-reset: one more scheduler schedules */
    volatile LONG liveTasks;
    volatile LONG failures; /* executions that failed: none may */
    SOS_SCHEDULER *schedulers;
    SLIST_HEADER freeTasks; /* scheduler code must not go to the heap, so it leaves them here */
} SOS_SYSTEM;

extern SOS_SYSTEM g_sos;

/* ---- Lists ----------------------------------------------------------------------------------- */

static inline VOID ListInit(LIST_ENTRY *list)
{
    list->Flink = list->Blink = list;
}

static inline BOOL ListEmpty(const LIST_ENTRY *list)
{
    return list->Flink == list;
}

static inline VOID ListInsertBefore(LIST_ENTRY *place, LIST_ENTRY *entry)
{
    entry->Flink = place;
    entry->Blink = place->Blink;
    place->Blink->Flink = entry;
    place->Blink = entry;
}

/* Last in `list`. */
#define ListAppend(list, entry) ListInsertBefore(list, entry)

static inline VOID ListRemove(LIST_ENTRY *entry)
{
    entry->Blink->Flink = entry->Flink;
    entry->Flink->Blink = entry->Blink;
    entry->Flink = NULL;
}

static inline BOOL ListHolds(const LIST_ENTRY *entry)
{
    return entry->Flink != NULL;
}

/* Takes everything off an interlocked list, in the order it came. */
SLIST_ENTRY *FetchAll(SLIST_HEADER *header);

/* ---- Time and locks -------------------------------------------------------------------------- */

static inline LONGLONG Now(VOID)
{
    LARGE_INTEGER now;

    QueryPerformanceCounter(&now);
    return now.QuadPart;
}

static inline double InMs(LONGLONG ticks)
{
    return (double)ticks * 1000.0 / (double)g_sos.ticksPerSecond;
}

/* INFINITE: 0, no deadline. */
static inline LONGLONG DeadlineAfter(DWORD milliseconds)
{
    return milliseconds == INFINITE ? 0 : Now() + milliseconds * g_sos.ticksPerSecond / 1000;
}

/* ---- Scheduler code (scheduler.c, housekeeping.c) -------------------------------------------- */

DWORD WINAPI SchedulerThread(LPVOID scheduler);
VOID Housekeeping(SOS_SCHEDULER *self);
/* Those that others made runnable: to the end of the runnable queue. */
VOID FetchInbound(SOS_SCHEDULER *self);
/* Last in the runnable queue. */
VOID Enqueue(SOS_SCHEDULER *self, SOS_WORKER *worker);
/* A worker has just left for its wait: onto the lists it stands on beside its resource's. */
VOID WaitBegins(SOS_SCHEDULER *self, SOS_WORKER *worker);
VOID TimerInsert(SOS_SCHEDULER *self, SOS_WORKER *worker);
/* When the next timer is due; 0: there is none. */
LONGLONG TimerNext(const SOS_SCHEDULER *self);

/* ---- For anyone ------------------------------------------------------------------------------ */

/* Makes a worker runnable whose wait the caller has ended. Nothing of the worker may be touched
 * afterwards. */
VOID MakeRunnable(SOS_WORKER *worker);
VOID WakeScheduler(SOS_SCHEDULER *scheduler);

/* ---- Workers and tasks (worker.c, task.c) ---------------------------------------------------- */

SOS_WORKER *CurrentWorker(VOID); /* NULL on a thread that is none */
SOS_WORKER *WorkerInside(VOID);  /* the same, back on its scheduler if it was outside */
BOOL WorkerCreate(SOS_SCHEDULER *scheduler);
VOID WorkerDelete(SOS_WORKER *worker);
/* Leaves the scheduler, or a host; comes back when somebody runs the worker again. FALSE: it did
 * not leave, so it should let others run by the system's means. */
BOOL Leave(SOS_WORKER *worker, ULONG_PTR how);
/* The same with a wait filled in by PrepareWait; returns its status. */
SOS_STATUS WaitNow(SOS_WORKER *worker, ULONG_PTR how);
VOID PrepareWait(SOS_WORKER *worker, SOS_WAIT_TYPE type, SOS_RESOURCE *resource, DWORD timeout,
                 BOOL abortable);
VOID TaskRun(SOS_WORKER *worker);

/* ---- Resources (resource.c) ------------------------------------------------------------------ */

VOID ResourceInit(SOS_RESOURCE *resource);
/* Held for some instructions. Workers and plain threads wait for it, ... */
VOID ResourceLock(SOS_RESOURCE *resource);
/* ... scheduler code only tries. */
static inline BOOL ResourceTryLock(SOS_RESOURCE *resource)
{
    return InterlockedExchange(&resource->lock, 1) == 0;
}

static inline VOID ResourceUnlock(SOS_RESOURCE *resource)
{
    InterlockedExchange(&resource->lock, 0);
}

/* The lock is held. The calling worker goes last in the list; it has to unlock, and then
 * WaitNow. */
VOID ResourceJoin(SOS_RESOURCE *resource, SOS_WORKER *worker, SOS_WAIT_TYPE type, DWORD timeout,
                  BOOL abortable);
/* The lock is held. Takes a worker off the list, which decides its wait: it has what it wants. */
VOID ResourceGrant(SOS_WORKER *worker, LONGLONG now);
/* Scheduler code: takes a worker off the list of the resource it waits for. */
typedef enum SOS_CANCEL {
    CANCEL_DONE,
    CANCEL_LATE, /* the wait has ended: the worker is, or was, in its scheduler's inbound queue */
    CANCEL_BUSY  /* try again */
} SOS_CANCEL;
SOS_CANCEL ResourceCancel(SOS_WORKER *worker);

/* How often a worker looks again for what is held: an owner on its own scheduler cannot run until
 * it yields. */
enum { SPINS_NEIGHBOUR = 1, SPINS_STRANGER = 1000 };

/* ---- The rest -------------------------------------------------------------------------------- */

SOS_STATUS EventWait(SOS_EVENT *event, DWORD timeout, SOS_WAIT_TYPE type, BOOL abortable);

/* What a worker waited for that is about to run. */
VOID RecordWaits(SOS_SCHEDULER *self, SOS_WORKER *worker, LONGLONG now);
/* A task has got a worker. */
VOID RecordThreadpool(SOS_SCHEDULER *self, const SOS_TASK *task);

/* The mutex pair of the heap that a scheduler's workers allocate from now. */
SOS_UNFAIR_MUTEX_PAIR *MemoryPair(SOS_MEMORY_OBJECT *memory, int scheduler);

/* The calls of a mode; NULL: there is no such (mode.c). */
const SOS_MODE_CALLS *ModeCalls(SOS_MODE mode);

BOOL IoStart(VOID);
VOID IoStop(VOID);
/* Scheduler code: hands a transfer to a device. */
VOID IoPost(SOS_IO *io);
BOOL OutsideStart(VOID);
VOID OutsideStop(VOID);
/* Scheduler code: has a worker run outside. */
VOID OutsideRun(SOS_WORKER *worker);

/* The four operations of the pair, on the halves that are meant (unfair_mutex.c). */
BOOL PairCount(volatile LONG *word, DWORD halves);
BOOL PairTakeAndCount(volatile LONG *word, DWORD halves);
BOOL PairTake(volatile LONG *word, DWORD halves);
DWORD PairRelease(volatile LONG *word, DWORD halves);

#endif
