/* SPDX-License-Identifier: MIT
 *
 * mode_threads.c - workers are kernel threads: the one that owns the scheduler runs, the others
 * wait.
 *
 * Owning is a turn that is handed over: each worker has an auto-reset event, and so has the
 * scheduler's own thread. The owner runs the worker's code and, when the worker leaves, the
 * scheduler code on the worker's stack; then it sets the next owner's event and waits for its own.
 * The next sees all that it wrote before. If nobody can run it keeps the turn and waits for news.
 * The scheduler's own thread has the turn at first, and where a worker goes away for longer:
 * outside, or for good.
 *
 * The system knows nothing of this: a worker that blocks keeps the turn, and its scheduler stands.
 */
#include "mode.h"

static VOID Await(HANDLE turn)
{
    WaitForSingleObject(turn, INFINITE);
}

static VOID Bind(DWORD_PTR processors)
{
    if (processors)
        SetThreadAffinityMask(GetCurrentThread(), processors);
}

/* ---- Workers --------------------------------------------------------------------------------- */

static DWORD WINAPI WorkerThread(LPVOID param)
{
    SOS_WORKER *worker = (SOS_WORKER *)param;
    SOS_SCHEDULER *scheduler = worker->scheduler;

    Await(worker->turn);
    Bind(scheduler->processor);
    SetCurrentWorker(worker);
    WorkerMain(worker);
    SchedulerTakeBack(scheduler, worker, YIELD_END);
    SetEvent(scheduler->turn);
    return 0;
}

static BOOL ThreadCreate(SOS_WORKER *worker)
{
    worker->turn = CreateEvent(NULL, FALSE, FALSE, NULL);
    if (!worker->turn)
        return FALSE;
    worker->thread = CreateThread(NULL, WORKER_STACK_BYTES, WorkerThread, worker,
                                  STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (!worker->thread) {
        CloseHandle(worker->turn);
        return FALSE;
    }
    MakeRunnable(worker);
    return TRUE;
}

static VOID ThreadDestroy(SOS_WORKER *worker)
{
    WaitForSingleObject(worker->thread, INFINITE);
    CloseHandle(worker->thread);
    CloseHandle(worker->turn);
}

static BOOL ThreadLeave(SOS_WORKER *worker, ULONG_PTR how)
{
    SOS_SCHEDULER *scheduler = worker->scheduler;
    SOS_WORKER *next;

    if (how == YIELD_RETURN) {
        worker->signalled = Now();
        MakeRunnable(worker);
        Await(worker->turn);
        Bind(scheduler->processor);
        return TRUE;
    }
    if (worker->outside && how != YIELD_LEAVE)
        return FALSE; /* it has no turn to give */
    SchedulerTakeBack(scheduler, worker, how);
    if (how == YIELD_LEAVE) {
        SetEvent(scheduler->turn);
        Bind(g_sos.machine);
        return TRUE;
    }
    next = SchedulerNext(scheduler); /* never NULL: this worker has not ended */
    if (next != worker) {
        SetEvent(next->turn);
        Await(worker->turn);
    }
    return TRUE;
}

/* ---- Schedulers ------------------------------------------------------------------------------ */

static BOOL ThreadPrepare(SOS_SCHEDULER *scheduler)
{
    scheduler->turn = CreateEvent(NULL, FALSE, FALSE, NULL);
    return scheduler->turn != NULL;
}

static VOID ThreadDispose(SOS_SCHEDULER *scheduler)
{
    if (scheduler->turn)
        CloseHandle(scheduler->turn);
}

/* One after the other has the turn, finds no task and ends. */
static VOID ThreadAbandon(SOS_SCHEDULER *scheduler)
{
    SLIST_ENTRY *entry = FetchAll(&scheduler->inbound);

    while (entry) {
        SOS_WORKER *worker = CONTAINING_RECORD(entry, SOS_WORKER, inbound);

        entry = entry->Next;
        SetEvent(worker->turn);
        WaitForSingleObject(worker->thread, INFINITE);
    }
}

static DWORD ThreadSchedule(SOS_SCHEDULER *self)
{
    SOS_WORKER *next;

    SetEvent(g_sos.ready);
    while ((next = SchedulerNext(self))) {
        SetEvent(next->turn);
        Await(self->turn);
    }
    return 0;
}

const SOS_MODE_CALLS g_modeThreads = {
    .name = "threads",
    .prepare = ThreadPrepare,
    .dispose = ThreadDispose,
    .abandon = ThreadAbandon,
    .schedule = ThreadSchedule,
    .create = ThreadCreate,
    .destroy = ThreadDestroy,
    .leave = ThreadLeave,
};
