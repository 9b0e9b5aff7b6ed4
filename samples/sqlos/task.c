/* SPDX-License-Identifier: MIT
 *
 * task.c - tasks: submitted by anyone, run by a worker of one scheduler, waited for, aborted.
 *
 * References: the submitter's, the worker's until the task is over, one for an abort under way.
 */
#include "sqlos_private.h"

VOID SosTaskRelease(SOS_TASK *task)
{
    if (InterlockedDecrement(&task->refs) == 0)
        InterlockedPushEntrySList(&g_sos.freeTasks, &task->link);
}

static SOS_TASK *NewTask(VOID)
{
    SLIST_ENTRY *entry = InterlockedPopEntrySList(&g_sos.freeTasks);
    SOS_TASK *task = entry ? CONTAINING_RECORD(entry, SOS_TASK, link)
                           : (SOS_TASK *)HeapAlloc(GetProcessHeap(), 0, sizeof(*task));

    if (task)
        ZeroMemory(task, sizeof(*task));
    return task;
}

static SOS_SCHEDULER *LeastLoaded(VOID)
{
    SOS_SCHEDULER *best = &g_sos.schedulers[0];
    int i;

    for (i = 1; i < g_sos.schedulerCount; i++)
        if (g_sos.schedulers[i].load < best->load)
            best = &g_sos.schedulers[i];
    return best;
}

SOS_TASK *SosSubmit(int scheduler, SOS_ROUTINE routine, PVOID argument)
{
    SOS_SCHEDULER *where;
    SOS_TASK *task;

    if (scheduler < -1 || scheduler >= g_sos.schedulerCount || !g_sos.schedulers) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    task = NewTask();
    if (!task) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    where = scheduler < 0 ? LeastLoaded() : &g_sos.schedulers[scheduler];
    task->scheduler = where;
    task->routine = routine;
    task->argument = argument;
    task->refs = 2;
    task->submitted = Now();
    SosEventInit(&task->ended, TRUE, FALSE);
    InterlockedIncrement(&g_sos.liveTasks);
    InterlockedIncrement(&where->load);
    InterlockedPushEntrySList(&where->tasks, &task->link);
    /* More tasks than workers: the thread that brings the task makes the worker, for making one
     * takes time that the scheduler's others would lose. If none can be made the task waits for
     * one. */
    if (InterlockedDecrement(&where->freeWorkers) < 0 && where->workers < g_sos.maxWorkers)
        WorkerCreate(where);
    WakeScheduler(where);
    return task;
}

/* The worker runs its task from the first to the last. */
VOID TaskRun(SOS_WORKER *worker)
{
    SOS_TASK *task = worker->task;
    SOS_STATUS status = SOS_ABORTED;

    if (!task->aborted) {
        task->result = task->routine(task->argument);
        WorkerInside();
        status = SOS_OK;
    }
    worker->task = NULL;
    InterlockedIncrement(&worker->scheduler->freeWorkers);
    InterlockedDecrement(&worker->scheduler->load);
    InterlockedExchange(&task->over, 1 + (LONG)status);
    SosEventSignal(&task->ended);
    WakeByAddressAll((PVOID)&task->over);
    SosTaskRelease(task);
    if (InterlockedDecrement(&g_sos.liveTasks) == 0)
        WakeByAddressAll((PVOID)&g_sos.liveTasks);
}

SOS_STATUS SosTaskWait(SOS_TASK *task, DWORD timeout, DWORD *result)
{
    LONG running = 0;

    if (CurrentWorker()) {
        SOS_STATUS status = SosEventWait(&task->ended, timeout, SOS_WAIT_EVENT);

        if (status != SOS_OK)
            return status;
    } else {
        ULONGLONG until = GetTickCount64() + timeout;

        while (!task->over) {
            ULONGLONG now = GetTickCount64();

            if (timeout != INFINITE && now >= until)
                return SOS_TIMEOUT;
            WaitOnAddress(&task->over, &running, sizeof(running),
                          timeout == INFINITE ? INFINITE : (DWORD)(until - now));
        }
    }
    if (result)
        *result = task->result;
    return (SOS_STATUS)(task->over - 1);
}

VOID SosTaskAbort(SOS_TASK *task)
{
    if (InterlockedExchange(&task->aborted, TRUE))
        return;
    InterlockedIncrement(&task->refs);
    InterlockedPushEntrySList(&task->scheduler->aborts, &task->abortLink);
    WakeScheduler(task->scheduler);
}

SOS_TASK *SosCurrentTask(VOID)
{
    SOS_WORKER *worker = CurrentWorker();

    return worker ? worker->task : NULL;
}

int SosCurrentScheduler(VOID)
{
    SOS_WORKER *worker = CurrentWorker();

    return worker ? worker->scheduler->index : -1;
}
