/* SPDX-License-Identifier: MIT
 *
 * ums_host.h - connections as UMS workers, and the schedulers they are dealt to.
 */
#ifndef SERVER_UMS_HOST_H
#define SERVER_UMS_HOST_H

#include "server.h"

typedef struct CONNECTION {
    SLIST_ENTRY ended; /* to be put away by the thread that accepts */
    struct CONNECTION *next;
    NET_SOCKET socket;
    PUMS_CONTEXT context;
    HANDLE thread;
} CONNECTION;

typedef struct SCHEDULER {
    HANDLE thread;
    PUMS_COMPLETION_LIST list;
    HANDLE arrival, stop, ready;
    HANDLE wake; /* auto-reset: there is more than one can run */
    volatile LONG idle;

    volatile LONG lock; /* schedulers only: no worker is switched away holding it */
    CONNECTION *volatile first;
    CONNECTION *last; /* ready to run, in the order they came */
} SCHEDULER;

extern SCHEDULER g_schedulers[MAX_SCHEDULERS];
extern int g_schedulerCount;
extern SLIST_HEADER g_ended;
extern volatile LONG g_failures; /* executions that failed: none may */

/* ums_scheduler.c: a thread routine; the parameter is the SCHEDULER. */
DWORD WINAPI SchedulerThread(LPVOID param);

#endif
