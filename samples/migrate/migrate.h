/* SPDX-License-Identifier: MIT
 *
 * migrate.h - what the parts of the sample share: schedulers, workers, the lists they arrive on.
 *
 * Writers: a worker writes its own struct while it runs; the scheduler that has it in hand writes
 * `scheduler`, `bound` and `next`; a scheduler's queue is for all schedulers, under its spin lock.
 */
#ifndef MIGRATE_H
#define MIGRATE_H

#include <Windows.h>

enum { MAX_SCHEDULERS = 4, WORKERS = 12, ROUNDS = 30, LIMIT_MS = 10000 };

typedef struct SCHEDULER SCHEDULER;

typedef struct WORKER {
    int index;
    PUMS_CONTEXT context;
    HANDLE thread;
    DWORD threadId;       /* as its creator was told */
    SCHEDULER *scheduler; /* the one that executed it last */
    BOOL bound;           /* it asked for the scheduler in whose queue it is: not to be stolen */
    struct WORKER *next;  /* in a ready queue */

    int rounds;     /* done */
    int hops;       /* to a scheduler it asked for */
    int moves;      /* rounds that ended on another scheduler than they began on */
    int strayed;    /* hops that ended elsewhere: wrong */
    int identities; /* times its thread id or its TLS value was not its own: wrong */
} WORKER;

struct SCHEDULER {
    int index;
    DWORD_PTR processor; /* affinity mask */
    HANDLE thread;
    PUMS_COMPLETION_LIST list; /* of its own */
    HANDLE arrival;            /* the list's event */
    HANDLE wake;               /* auto-reset: look again, somebody left you something */
    volatile LONG idle;

    volatile LONG lock;
    WORKER *first, *last; /* the ready queue, under the lock */

    int executions;
    int stolen; /* of them, taken from another's queue */
};

extern SCHEDULER g_schedulers[MAX_SCHEDULERS];
extern int g_schedulerCount;
extern WORKER g_workers[WORKERS];
extern volatile LONG g_alive;

/* One list for half of the workers: whichever scheduler looks first gets them. */
extern PUMS_COMPLETION_LIST g_sharedList;
extern HANDLE g_sharedArrival;

/* scheduler.c: a thread routine; the parameter is the SCHEDULER. */
DWORD WINAPI SchedulerThread(LPVOID param);

/* worker.c */
BOOL PrepareWorkers(VOID);
DWORD WINAPI WorkerThread(LPVOID param);
int SharedCount(VOID);

#endif
