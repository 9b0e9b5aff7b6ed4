/* SPDX-License-Identifier: MIT
 *
 * outside.c - preemptive excursions: threads that run a worker beside its scheduler.
 *
 * A host runs one worker at a time, preempted by the system as any thread; how it does so is the
 * mode's affair (mode.h). Where workers have threads of their own there are no hosts, and a worker
 * outside just runs on.
 *
 * Every worker outside has a host, however many there are. `s_spare` counts the hosts less those
 * workers. A worker that is about to leave and makes it negative adds a host first, while it still
 * runs as a worker: scheduler code must not create threads. It counts until a host has seen it
 * yield for its return. Hosts stay until the layer stops, as workers do.
 */
#include "mode.h"

typedef struct HOST {
    SLIST_ENTRY link; /* on s_hosts */
    HANDLE thread;
} HOST;

static SLIST_HEADER s_hosts;
static volatile LONG s_hostCount, s_spare;
static HANDLE s_waiting;     /* a semaphore: as many as are in the queue, or are to stop */
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
    if (!s_waiting)
        return;
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

VOID OutsideTakeBack(SOS_WORKER *worker, ULONG_PTR how)
{
    if (how == YIELD_RETURN) {
        InterlockedIncrement(&s_spare);
        worker->signalled = Now();
        MakeRunnable(worker);
    } else {
        OutsideRun(worker); /* stuck at a lock */
    }
}

SOS_HOST_NEXT OutsideWait(HANDLE news, SOS_WORKER **guest)
{
    HANDLE either[2] = {s_waiting, news};

    for (;;) {
        DWORD which = WaitForMultipleObjects(news ? 2 : 1, either, FALSE, INFINITE);

        if (which > WAIT_OBJECT_0 + 1 || s_stopping)
            return OUTSIDE_OVER;
        if (which == WAIT_OBJECT_0 + 1)
            return OUTSIDE_NEWS;
        *guest = NextGuest();
        if (*guest)
            return OUTSIDE_GUEST;
    }
}

static DWORD WINAPI HostThread(LPVOID param)
{
    UNREFERENCED_PARAMETER(param);
    return g_sos.mode->host();
}

/* FALSE: there are no more threads to be had; guests take turns with the hosts that there are. */
static BOOL AddHost(VOID)
{
    HOST *host = (HOST *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof(*host));

    if (!host)
        return FALSE;
    host->thread = CreateThread(NULL, 0, HostThread, NULL, 0, NULL);
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
    if (!g_sos.mode->host)
        return TRUE;
    s_waiting = CreateSemaphore(NULL, 0, 0x7fffffff, NULL);
    /* One from the start, so that there is always a host to take turns with. */
    return s_waiting && g_sos.mode->prepareHosts() && AddHost();
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
    g_sos.mode->disposeHosts();
    CloseHandle(s_waiting);
    s_waiting = NULL;
}

VOID SosLeaveScheduler(VOID)
{
    SOS_WORKER *worker = WorkerInside();

    if (s_waiting && InterlockedDecrement(&s_spare) < 0) {
        InterlockedIncrement(
            &s_spare); /* counted before it is there: nobody else makes it as well */
        if (!AddHost())
            InterlockedDecrement(&s_spare);
    }
    worker->outside = TRUE;
    PrepareWait(worker, SOS_WAIT_PREEMPTIVE, NULL, INFINITE, FALSE);
    Leave(worker, YIELD_LEAVE);
}

VOID SosReturnToScheduler(VOID)
{
    SOS_WORKER *worker = CurrentWorker();

    if (!worker->outside)
        return;
    Leave(worker, YIELD_RETURN);
    worker->outside = FALSE;
}
