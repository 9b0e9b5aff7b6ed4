/* SPDX-License-Identifier: MIT
 *
 * outside.c - preemptive excursions: threads that run a worker beside its scheduler.
 *
 * Each host is a scheduler of UMS's kind, with nothing to schedule: it executes one worker at a
 * time, preempted by the system as any thread. A worker that blocks out there comes back on the list
 * that the hosts share, and goes on with one of them. Where UMS follows the letter of Microsoft's page it
 * comes back on the list of its creation, its scheduler's, which sends it out again.
 *
 * Every worker outside has a host, however many there are. `s_spare` counts the hosts less those workers. A
 * worker that is about to leave and makes it negative adds a host first, while it still runs as
 * a worker: scheduler code must not create threads. It counts until a host has seen it yield for its return.
 * Hosts stay until the layer stops, as workers do.
 */
#include "sqlos_private.h"

typedef struct HOST {
    SLIST_ENTRY link; /* on s_hosts */
    HANDLE thread;
    SOS_WORKER *current;
} HOST;

static SLIST_HEADER s_hosts;
static volatile LONG s_hostCount, s_spare;
static _Thread_local HOST *t_host;
static PUMS_COMPLETION_LIST s_list; /* all hosts' */
static HANDLE s_arrival;            /* its event */
static HANDLE s_waiting;            /* a semaphore: as many as are in the queue, or are to stop */
static volatile LONG s_lock;        /* schedulers and hosts only, so it may be waited for */
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

/* A worker that unblocked out there wants a host again. */
static VOID TakeArrivals(VOID)
{
    PUMS_CONTEXT context = NULL;

    DequeueUmsCompletionListItems(s_list, 0, &context);
    while (context) {
        PUMS_CONTEXT next = GetNextUmsListItem(context);
        SOS_WORKER *worker = NULL;

        QueryUmsThreadInformation(context, UmsThreadUserContext, &worker, sizeof(worker), NULL);
        OutsideRun(worker);
        context = next;
    }
}

static VOID NTAPI HostProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    SOS_WORKER *worker = t_host->current;

    UNREFERENCED_PARAMETER(payload);
    /* After Blocked the worker is somebody else's already. */
    if (reason == UmsSchedulerThreadYield) {
        if ((ULONG_PTR)param == YIELD_RETURN) {
            InterlockedIncrement(&s_spare);
            worker->signalled = Now();
            MakeRunnable(worker);
        } else {
            OutsideRun(worker); /* stuck at a lock */
        }
    }
    for (;;) {
        HANDLE news[2] = {s_arrival, s_waiting};
        DWORD which = WaitForMultipleObjects(2, news, FALSE, INFINITE);

        if (which > WAIT_OBJECT_0 + 1 || s_stopping)
            return;
        if (which == WAIT_OBJECT_0) {
            TakeArrivals();
            continue;
        }
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
    info.CompletionList = s_list;
    info.SchedulerProc = HostProc;
    info.SchedulerParam = NULL;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}

/* FALSE: there are no more threads to be had; guests take turns with the hosts that there are. */
static BOOL AddHost(VOID)
{
    HOST *host = (HOST *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(*host));

    if (!host)
        return FALSE;
    host->thread = CreateThread(NULL, 0, HostThread, host, 0, NULL);
    if (!host->thread) {
        HeapFree(GetProcessHeap(), 0, host);
        return FALSE;
    }
    InterlockedPushEntrySList(&s_hosts, &host->link);
    InterlockedIncrement(&s_hostCount);
    return TRUE;
}

int SosHostCount(VOID)
{
    return (int)s_hostCount;
}

BOOL OutsideStart(VOID)
{
    ListInit(&s_queue);
    InitializeSListHead(&s_hosts);
    s_stopping = FALSE;
    s_hostCount = 0;
    s_spare = 1;
    s_waiting = CreateSemaphore(NULL, 0, 0x7fffffff, NULL);
    /* One from the start, so that there is always a host to take turns with. */
    return s_waiting && CreateUmsCompletionList(&s_list) &&
           GetUmsCompletionListEvent(s_list, &s_arrival) && AddHost();
}

VOID OutsideStop(VOID)
{
    SLIST_ENTRY *entry;

    if (!s_waiting)
        return;
    InterlockedExchange(&s_stopping, TRUE);
    if (s_hostCount)
        ReleaseSemaphore(s_waiting, s_hostCount, NULL);
    entry = InterlockedFlushSList(&s_hosts);
    while (entry) {
        HOST *host = CONTAINING_RECORD(entry, HOST, link);

        entry = entry->Next;
        WaitForSingleObject(host->thread, INFINITE);
        CloseHandle(host->thread);
        HeapFree(GetProcessHeap(), 0, host);
    }
    if (s_arrival)
        CloseHandle(s_arrival);
    if (s_list)
        DeleteUmsCompletionList(s_list);
    s_arrival = NULL;
    s_list = NULL;
    CloseHandle(s_waiting);
    s_waiting = NULL;
}

VOID SosLeaveScheduler(VOID)
{
    SOS_WORKER *worker = WorkerInside();

    if (InterlockedDecrement(&s_spare) < 0) {
        InterlockedIncrement(
            &s_spare); /* counted before it is there: nobody else makes it as well */
        if (!AddHost())
            InterlockedDecrement(&s_spare);
    }
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
