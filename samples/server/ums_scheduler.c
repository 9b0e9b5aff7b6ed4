/* SPDX-License-Identifier: MIT
 *
 * ums_scheduler.c - a scheduler: its own workers first, then the neighbours', then sleep.
 *
 * A worker that has to wait in recv or send leaves its scheduler, which executes the next one whose
 * data has come. Stealing is for the moments when the system has given a neighbour's processor to
 * somebody else.
 */
#include "ums_workers.h"

static _Thread_local SCHEDULER *t_self;

static VOID Lock(SCHEDULER *scheduler)
{
    while (InterlockedExchange(&scheduler->lock, 1))
        SwitchToThread();
}

static VOID Unlock(SCHEDULER *scheduler)
{
    InterlockedExchange(&scheduler->lock, 0);
}

/* A chain, in its order. */
static VOID PushReady(SCHEDULER *scheduler, WORKER *first, WORKER *last)
{
    last->next = NULL;
    Lock(scheduler);
    if (scheduler->first)
        scheduler->last->next = first;
    else
        scheduler->first = first;
    scheduler->last = last;
    Unlock(scheduler);
}

static WORKER *PopReady(SCHEDULER *scheduler)
{
    WORKER *worker;

    if (!scheduler->first)
        return NULL;
    Lock(scheduler);
    worker = scheduler->first;
    if (worker)
        scheduler->first = worker->next;
    Unlock(scheduler);
    return worker;
}

static VOID WakeOne(VOID)
{
    int i;

    for (i = 0; i < g_schedulerCount; i++) {
        if (g_schedulers[i].idle && InterlockedExchange(&g_schedulers[i].idle, 0)) {
            SetEvent(g_schedulers[i].wake);
            return;
        }
    }
}

static WORKER *WorkerOf(PUMS_CONTEXT context)
{
    WORKER *worker = NULL;

    QueryUmsThreadInformation(context, UmsThreadUserContext, &worker, sizeof(worker), NULL);
    return worker;
}

/* A list gives the last that arrived first: turned round, the worker that waits longest is
 * served first. */
static VOID Drain(SCHEDULER *scheduler)
{
    PUMS_CONTEXT context = NULL;
    WORKER *first = NULL, *last = NULL;

    DequeueUmsCompletionListItems(scheduler->list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        WORKER *worker = WorkerOf(context);
        BOOLEAN terminated = FALSE;

        QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                                  NULL);
        if (terminated) {
            InterlockedPushEntrySList(&g_ended, &worker->ended);
            InterlockedDecrement(&g_workers);
        } else {
            worker->next = first;
            first = worker;
            if (!last)
                last = worker;
        }
        context = next;
    }
    if (!first)
        return;
    PushReady(scheduler, first, last);
    if (first != last)
        WakeOne();
}

/* A scheduler with nothing of its own fetches a neighbour's arrivals, too: the neighbour may not be
 * running. */
static WORKER *PickNext(SCHEDULER *self)
{
    WORKER *worker;
    int i;

    Drain(self);
    worker = PopReady(self);
    for (i = 0; i < g_schedulerCount && !worker; i++) {
        SCHEDULER *victim = &g_schedulers[i];

        if (victim == self)
            continue;
        Drain(victim);
        worker = PopReady(victim);
    }
    return worker;
}

static VOID NTAPI SchedulerProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    SCHEDULER *self = t_self;
    HANDLE any[3];

    UNREFERENCED_PARAMETER(param);
    if (reason == UmsSchedulerStartup)
        SetEvent(self->ready);
    if (reason == UmsSchedulerThreadYield) {
        WORKER *yielder = WorkerOf((PUMS_CONTEXT)payload);

        Drain(self); /* what has arrived meanwhile goes before it */
        PushReady(self, yielder, yielder);
    }
    any[0] = self->arrival;
    any[1] = self->wake;
    any[2] = self->stop;
    for (;;) {
        WORKER *next = PickNext(self);

        if (!next) {
            InterlockedExchange(&self->idle, 1);
            next = PickNext(self); /* what came before anybody could see that we sleep */
        }
        if (next) {
            self->idle = 0;
            ExecuteUmsThread(next->context); /* comes back only when it failed */
            if (GetLastError() == ERROR_RETRY)
                PushReady(self, next, next);
            else
                InterlockedIncrement(&g_failures);
        } else if (WaitForMultipleObjects(3, any, FALSE, INFINITE) >= WAIT_OBJECT_0 + 2) {
            return;
        }
    }
}

DWORD WINAPI SchedulerThread(LPVOID param)
{
    UMS_SCHEDULER_STARTUP_INFO info;

    t_self = (SCHEDULER *)param;
    info.UmsVersion = UMS_VERSION;
    info.CompletionList = t_self->list;
    info.SchedulerProc = SchedulerProc;
    info.SchedulerParam = NULL;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}
