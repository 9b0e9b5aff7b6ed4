/* SPDX-License-Identifier: MIT
 *
 * outside.c - preemptive excursions: threads that run a worker beside its scheduler.
 *
 * Each host is a scheduler of UMS's kind, with nothing to schedule: it executes one worker at a
 * time, preempted by the system as any thread. A worker that blocks out there arrives on its own
 * scheduler's completion list, which sends it out again.
 */
#include "sqlos_private.h"

enum { HOSTS = 2 };

typedef struct HOST {
    HANDLE thread;
    PUMS_COMPLETION_LIST list; /* nobody belongs to it */
    SOS_WORKER *current;
} HOST;

static HOST s_hosts[HOSTS];
static _Thread_local HOST *t_host;
static HANDLE s_waiting; /* a semaphore: as many as are in the queue, or are to stop */
static volatile LONG s_lock; /* schedulers and hosts only, so it may be waited for */
static LIST_ENTRY s_queue;
static volatile LONG s_stopping;

static VOID Lock(VOID)
{
    while (InterlockedExchange(&s_lock, 1))
        SwitchToThread();
}

static VOID Unlock(VOID)
{
    InterlockedExchange(&s_lock, 0);
}

VOID OutsideRun(SOS_WORKER *worker)
{
    Lock();
    ListAppend(&s_queue, &worker->queue);
    Unlock();
    ReleaseSemaphore(s_waiting, 1, NULL);
}

static SOS_WORKER *NextGuest(VOID)
{
    SOS_WORKER *worker = NULL;

    Lock();
    if (!ListEmpty(&s_queue)) {
        worker = CONTAINING_RECORD(s_queue.Flink, SOS_WORKER, queue);
        ListRemove(&worker->queue);
    }
    Unlock();
    return worker;
}

static VOID NTAPI HostProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    SOS_WORKER *worker = t_host->current;

    UNREFERENCED_PARAMETER(payload);
    /* After Blocked the worker is somebody else's already. */
    if (reason == UmsSchedulerThreadYield) {
        if ((ULONG_PTR)param == YIELD_RETURN) {
            worker->signalled = Now();
            MakeRunnable(worker);
        } else {
            OutsideRun(worker); /* stuck at a lock */
        }
    }
    for (;;) {
        if (WaitForSingleObject(s_waiting, INFINITE) != WAIT_OBJECT_0 || s_stopping)
            return;
        worker = NextGuest();
        if (!worker)
            continue;
        t_host->current = worker;
        ExecuteUmsThread(worker->context);
        if (GetLastError() == ERROR_RETRY)
            OutsideRun(worker);
        else
            InterlockedIncrement(&g_sos.failures);
    }
}

static DWORD WINAPI HostThread(LPVOID param)
{
    UMS_SCHEDULER_STARTUP_INFO info;

    t_host = (HOST *)param;
    info.UmsVersion = UMS_VERSION;
    info.CompletionList = t_host->list;
    info.SchedulerProc = HostProc;
    info.SchedulerParam = NULL;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}

BOOL OutsideStart(VOID)
{
    int i;

    ListInit(&s_queue);
    s_stopping = FALSE;
    s_waiting = CreateSemaphore(NULL, 0, 0x7fffffff, NULL);
    if (!s_waiting)
        return FALSE;
    for (i = 0; i < HOSTS; i++) {
        if (!CreateUmsCompletionList(&s_hosts[i].list))
            return FALSE;
        s_hosts[i].thread = CreateThread(NULL, 0, HostThread, &s_hosts[i], 0, NULL);
        if (!s_hosts[i].thread)
            return FALSE;
    }
    return TRUE;
}

VOID OutsideStop(VOID)
{
    int i;

    if (!s_waiting)
        return;
    InterlockedExchange(&s_stopping, TRUE);
    ReleaseSemaphore(s_waiting, HOSTS, NULL);
    for (i = 0; i < HOSTS; i++) {
        if (s_hosts[i].thread) {
            WaitForSingleObject(s_hosts[i].thread, INFINITE);
            CloseHandle(s_hosts[i].thread);
        }
        if (s_hosts[i].list)
            DeleteUmsCompletionList(s_hosts[i].list);
        ZeroMemory(&s_hosts[i], sizeof(s_hosts[i]));
    }
    CloseHandle(s_waiting);
    s_waiting = NULL;
}

VOID SosLeaveScheduler(VOID)
{
    SOS_WORKER *worker = WorkerInside();

    worker->outside = TRUE;
    PrepareWait(worker, SOS_WAIT_PREEMPTIVE, NULL, INFINITE, FALSE);
    UmsThreadYield((PVOID)YIELD_LEAVE);
}

VOID SosReturnToScheduler(VOID)
{
    SOS_WORKER *worker = CurrentWorker();

    if (!worker->outside)
        return;
    UmsThreadYield((PVOID)YIELD_RETURN);
    worker->outside = FALSE;
}
