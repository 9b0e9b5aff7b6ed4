/* SPDX-License-Identifier: MIT
 *
 * scheduler.c - a scheduler among several: own queue first, then the neighbours', then sleep.
 *
 * A scheduler takes no lock that a worker may hold, for it might wait for a worker that waits for
 * it. The spin lock is the schedulers' own: nobody is switched away while holding it.
 */
#include "migrate.h"

/* SchedulerProc runs as the thread that entered scheduling, so it sees that thread's variables. */
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

static VOID PushReady(SCHEDULER *scheduler, WORKER *worker)
{
    worker->next = NULL;
    Lock(scheduler);
    if (scheduler->first)
        scheduler->last->next = worker;
    else
        scheduler->first = worker;
    scheduler->last = worker;
    Unlock(scheduler);
}

/* Takes the first worker, or for a thief the first that may go. */
static WORKER *PopReady(SCHEDULER *scheduler, BOOL thief)
{
    WORKER **link = &scheduler->first;
    WORKER *before = NULL;
    WORKER *worker;

    Lock(scheduler);
    while (*link && thief && (*link)->bound) {
        before = *link;
        link = &before->next;
    }
    worker = *link;
    if (worker) {
        *link = worker->next;
        if (scheduler->last == worker)
            scheduler->last = before;
    }
    Unlock(scheduler);
    return worker;
}

static WORKER *Steal(SCHEDULER *thief)
{
    int i;

    for (i = 1; i < g_schedulerCount; i++) {
        SCHEDULER *victim = &g_schedulers[(thief->index + i) % g_schedulerCount];
        WORKER *worker = PopReady(victim, TRUE);

        if (worker) {
            thief->stolen++;
            return worker;
        }
    }
    return NULL;
}

/* There is more work than one scheduler can run at a time: a scheduler that sleeps may have
 * some. */
static VOID WakeOne(VOID)
{
    int i;

    for (i = 0; i < g_schedulerCount; i++) {
        if (g_schedulers[i].idle) {
            SetEvent(g_schedulers[i].wake);
            return;
        }
    }
}

static VOID WakeAll(VOID)
{
    int i;

    for (i = 0; i < g_schedulerCount; i++)
        SetEvent(g_schedulers[i].wake);
}

static WORKER *WorkerOf(PUMS_CONTEXT context)
{
    WORKER *worker = NULL;

    QueryUmsThreadInformation(context, UmsThreadUserContext, &worker, sizeof(worker), NULL);
    return worker;
}

static VOID Drain(SCHEDULER *self, PUMS_COMPLETION_LIST list)
{
    PUMS_CONTEXT context = NULL;
    int taken = 0;

    DequeueUmsCompletionListItems(list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        WORKER *worker = WorkerOf(context);
        BOOLEAN terminated = FALSE;

        QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                                  NULL);
        if (terminated) {
            if (InterlockedDecrement(&g_alive) == 0)
                WakeAll(); /* to go home */
        } else {
            worker->bound = FALSE;
            PushReady(self, worker);
            taken++;
        }
        context = next;
    }
    if (taken > 1)
        WakeOne();
}

/* A worker yields with the scheduler it wants, or with NULL: then here is as good as anywhere. */
static VOID TakeBack(SCHEDULER *self, WORKER *worker, SCHEDULER *wanted)
{
    worker->bound = wanted != NULL;
    PushReady(wanted ? wanted : self, worker);
    if (wanted)
        SetEvent(wanted->wake);
}

static VOID WaitForNews(SCHEDULER *self)
{
    HANDLE news[3];

    news[0] = self->wake;
    news[1] = self->arrival;
    news[2] = g_sharedArrival;
    InterlockedExchange(&self->idle, 1);
    WaitForMultipleObjects(ARRAYSIZE(news), news, FALSE, INFINITE);
    InterlockedExchange(&self->idle, 0);
}

static VOID NTAPI SchedulerProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    SCHEDULER *self;

    if (reason == UmsSchedulerStartup)
        t_self = (SCHEDULER *)param;
    self = t_self;
    if (reason == UmsSchedulerThreadYield)
        TakeBack(self, WorkerOf((PUMS_CONTEXT)payload), (SCHEDULER *)param);

    while (g_alive > 0) {
        WORKER *worker;

        Drain(self, self->list);
        Drain(self, g_sharedList);
        worker = PopReady(self, FALSE);
        if (!worker)
            worker = Steal(self);
        if (!worker) {
            WaitForNews(self);
            continue;
        }
        worker->scheduler = self;
        self->executions++;
        ExecuteUmsThread(worker->context); /* returns only when it failed: */
        self->executions--;
        PushReady(self, worker); /* once more, later */
    }
}

DWORD WINAPI SchedulerThread(LPVOID param)
{
    SCHEDULER *self = (SCHEDULER *)param;
    UMS_SCHEDULER_STARTUP_INFO info;

    if (!SetThreadAffinityMask(GetCurrentThread(), self->processor))
        return GetLastError();
    info.UmsVersion = UMS_VERSION;
    info.CompletionList = self->list;
    info.SchedulerProc = SchedulerProc;
    info.SchedulerParam = self;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}
