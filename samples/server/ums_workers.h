/* SPDX-License-Identifier: MIT
 *
 * ums_workers.h - UMS workers, and the schedulers they are dealt to.
 */
#ifndef SERVER_UMS_WORKERS_H
#define SERVER_UMS_WORKERS_H

#include "server.h"

BOOL StartSchedulers(int schedulers);
/* One thread at a time. FALSE: there is no room for one. */
BOOL StartWorker(VOID (*routine)(LPVOID), LPVOID param);
/* When all workers have returned, or are about to. FALSE: some did not, or something went wrong. */
BOOL StopSchedulers(VOID);

/* ---- Between ums_workers.c and ums_scheduler.c ----------------------------------------------- */

typedef struct WORKER {
    SLIST_ENTRY ended; /* to be put away by the thread that starts workers */
    struct WORKER *next;
    VOID (*routine)(LPVOID);
    LPVOID param;
    PUMS_CONTEXT context;
    HANDLE thread;
} WORKER;

typedef struct SCHEDULER {
    HANDLE thread;
    PUMS_COMPLETION_LIST list;
    HANDLE arrival, stop, ready;
    HANDLE wake; /* auto-reset: there is more than one can run */
    volatile LONG idle;

    volatile LONG lock; /* schedulers only: no worker is switched away holding it */
    WORKER *volatile first;
    WORKER *last; /* ready to run, in the order they came */
} SCHEDULER;

extern SCHEDULER g_schedulers[MAX_SCHEDULERS];
extern int g_schedulerCount;
extern SLIST_HEADER g_ended;
extern volatile LONG g_workers;  /* that have not ended */
extern volatile LONG g_failures; /* executions that failed: none may */

/* A thread routine; the parameter is the SCHEDULER. */
DWORD WINAPI SchedulerThread(LPVOID param);

#endif
