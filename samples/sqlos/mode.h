/* SPDX-License-Identifier: MIT
 *
 * mode.h - what workers run on: all that differs between UMS, kernel threads and fibers.
 *
 * A mode has the scheduler's thread run `schedule`, and workers come back from `leave` when they
 * are dispatched again. In between somebody runs scheduler code: a mode calls SchedulerTakeBack
 * with the worker that has left, and SchedulerNext for the one to go on with. Which thread does so
 * is the mode's business; for each scheduler it is one at a time.
 */
#ifndef SQLOS_MODE_H
#define SQLOS_MODE_H

#include "sqlos_private.h"

struct SOS_MODE_CALLS {
    const char *name;
    BOOL (*prepare)(SOS_SCHEDULER *scheduler); /* FALSE: see the last error; then dispose as well */
    VOID (*dispose)(SOS_SCHEDULER *scheduler);
    /* Of one that never scheduled: has its workers end, and puts them on its list `ended`. */
    VOID (*abandon)(SOS_SCHEDULER *scheduler);
    /* On the scheduler's thread: sets g_sos.ready, and returns when SchedulerNext has nothing more;
     * or the error that forbids it. */
    DWORD (*schedule)(SOS_SCHEDULER *self);
    VOID (*fetch)(SOS_SCHEDULER *self); /* scheduler code: the system's news; or NULL */
    /* What runs WorkerMain, from the first dispatch on. It arrives at its scheduler by itself. */
    BOOL (*create)(SOS_WORKER *worker);
    VOID (*destroy)(SOS_WORKER *worker); /* after it has ended */
    /* On the worker. FALSE: it runs as before, and should let others run by the system's means. */
    BOOL (*leave)(SOS_WORKER *worker, ULONG_PTR how);
    /* Threads that run workers outside (outside.c). All NULL: workers have threads of their own. */
    BOOL (*prepareHosts)(VOID);
    VOID (*disposeHosts)(VOID);
    DWORD (*host)(VOID); /* on such a thread, until OutsideWait says that it is over */
};

extern const SOS_MODE_CALLS g_modeUms, g_modeThreads, g_modeFibers;

/* ---- What a mode calls ----------------------------------------------------------------------- */

/* Scheduler code: the worker that was dispatched has left in this way. */
VOID SchedulerTakeBack(SOS_SCHEDULER *self, SOS_WORKER *worker, ULONG_PTR how);
/* Keeps house, and waits if it has to, until there is a worker to dispatch. NULL: all have
 * ended. */
SOS_WORKER *SchedulerNext(SOS_SCHEDULER *self);
/* A worker is new, or has unblocked. */
VOID Arrive(SOS_SCHEDULER *self, SOS_WORKER *worker);
VOID Ended(SOS_SCHEDULER *self, SOS_WORKER *worker);

/* The worker's whole life, on whatever runs it. */
VOID WorkerMain(SOS_WORKER *worker);
/* Whom the calling thread runs from now; NULL: nobody. */
VOID SetCurrentWorker(SOS_WORKER *worker);

/* A host waits for a worker to run, or for an event of the mode's; NULL: it has none. */
typedef enum SOS_HOST_NEXT { OUTSIDE_GUEST, OUTSIDE_NEWS, OUTSIDE_OVER } SOS_HOST_NEXT;
SOS_HOST_NEXT OutsideWait(HANDLE news, SOS_WORKER **guest);
/* The worker has left its host in this way. */
VOID OutsideTakeBack(SOS_WORKER *worker, ULONG_PTR how);

#endif
