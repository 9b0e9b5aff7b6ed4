/* SPDX-License-Identifier: MIT
 *
 * system.c - start and stop: schedulers, one for each processor, and their first workers.
 */
#include "mode.h"

SOS_SYSTEM g_sos;

enum { DEFAULT_WORKERS = 64, DEFAULT_QUANTUM_MS = 4, DEFAULT_IO_DEPTH = 8, END_MS = 10000 };

/* The processors the process may use, in order. */
static int Processors(DWORD_PTR *masks)
{
    DWORD_PTR process = 0, system = 0;
    int count = 0;
    int i;

    GetProcessAffinityMask(GetCurrentProcess(), &process, &system);
    g_sos.machine = process;
    for (i = 0; i < SOS_MAX_SCHEDULERS; i++)
        if (process >> i & 1)
            masks[count++] = (DWORD_PTR)1 << i;
    return count;
}

static BOOL Prepare(SOS_SCHEDULER *scheduler, int index)
{
    scheduler->index = index;
    scheduler->node = index * g_sos.nodeCount / g_sos.schedulerCount;
    InitializeSListHead(&scheduler->inbound);
    InitializeSListHead(&scheduler->tasks);
    InitializeSListHead(&scheduler->aborts);
    ListInit(&scheduler->runnable);
    ListInit(&scheduler->timers);
    ListInit(&scheduler->io);
    ListInit(&scheduler->ioPending);
    ListInit(&scheduler->parked);
    ListInit(&scheduler->pending);
    ListInit(&scheduler->abortsAgain);
    ListInit(&scheduler->ended);
    scheduler->wake = CreateEvent(NULL, FALSE, FALSE, NULL);
    return scheduler->wake && g_sos.mode->prepare(scheduler) && WorkerCreate(scheduler);
}

static VOID Free(SOS_SCHEDULER *scheduler)
{
    if (!scheduler->ended.Flink)
        return; /* not even prepared */
    if (scheduler->endedCount != scheduler->workers)
        g_sos.mode->abandon(scheduler);
    while (!ListEmpty(&scheduler->ended)) {
        SOS_WORKER *worker = CONTAINING_RECORD(scheduler->ended.Flink, SOS_WORKER, queue);

        ListRemove(&worker->queue);
        WorkerDelete(worker);
    }
    if (scheduler->thread)
        CloseHandle(scheduler->thread);
    g_sos.mode->dispose(scheduler);
    if (scheduler->wake)
        CloseHandle(scheduler->wake);
}

/* Ends what runs, in whatever state of being started it is. */
static BOOL TearDown(VOID)
{
    BOOL good = TRUE;
    SLIST_ENTRY *entry;
    int i;

    for (i = 0; i < g_sos.schedulerCount; i++) {
        SOS_SCHEDULER *scheduler = &g_sos.schedulers[i];

        InterlockedExchange(&scheduler->stopping, TRUE);
        if (scheduler->thread) {
            SetEvent(scheduler->wake);
            good = WaitForSingleObject(scheduler->thread, END_MS) == WAIT_OBJECT_0 && good;
        }
    }
    OutsideStop();
    IoStop();
    if (!good)
        return FALSE; /* what still runs needs its memory */
    for (i = 0; i < g_sos.schedulerCount; i++)
        Free(&g_sos.schedulers[i]);
    entry = FetchAll(&g_sos.freeTasks);
    while (entry) {
        SOS_TASK *task = CONTAINING_RECORD(entry, SOS_TASK, link);

        entry = entry->Next;
        HeapFree(GetProcessHeap(), 0, task);
    }
    VirtualFree(g_sos.schedulers, 0, MEM_RELEASE);
    g_sos.schedulers = NULL;
    CloseHandle(g_sos.ready);
    return g_sos.failures == 0;
}

static BOOL StartScheduler(SOS_SCHEDULER *scheduler, DWORD_PTR processor)
{
    HANDLE either[2];
    DWORD error = ERROR_TIMEOUT;

    scheduler->processor = processor;
    scheduler->thread = CreateThread(NULL, 0, SchedulerThread, scheduler, 0, NULL);
    if (!scheduler->thread)
        return FALSE;
    either[0] = g_sos.ready;
    either[1] = scheduler->thread;
    if (WaitForMultipleObjects(2, either, FALSE, END_MS) == WAIT_OBJECT_0)
        return TRUE;
    GetExitCodeThread(scheduler->thread, &error); /* the mode cannot be had here */
    SetLastError(error);
    return FALSE;
}

static BOOL Configure(const SOS_CONFIG *config, int processors)
{
    LARGE_INTEGER frequency;

    if (g_sos.schedulers || !ModeCalls(config->mode) || config->schedulers < 0 ||
        config->schedulers > SOS_MAX_SCHEDULERS || config->nodes < 0 || config->maxWorkers < 0 ||
        config->maxWorkers > 10000 || config->ioDepth < 0)
        return FALSE;
    g_sos.mode = ModeCalls(config->mode);
    g_sos.schedulerCount = config->schedulers ? config->schedulers : processors;
    g_sos.nodeCount = config->nodes ? config->nodes : 1;
    if (g_sos.nodeCount > g_sos.schedulerCount)
        return FALSE;
    g_sos.maxWorkers = config->maxWorkers ? config->maxWorkers : DEFAULT_WORKERS;
    g_sos.ioDepth = config->ioDepth ? config->ioDepth : DEFAULT_IO_DEPTH;
    QueryPerformanceFrequency(&frequency);
    g_sos.ticksPerSecond = frequency.QuadPart;
    g_sos.quantum =
        (config->quantum ? config->quantum : DEFAULT_QUANTUM_MS) * g_sos.ticksPerSecond / 1000;
    g_sos.liveTasks = 0;
    g_sos.failures = 0;
    InitializeSListHead(&g_sos.freeTasks);
    return TRUE;
}

BOOL SosStart(const SOS_CONFIG *config)
{
    DWORD_PTR masks[SOS_MAX_SCHEDULERS];
    int processors = Processors(masks);
    BOOL good = TRUE;
    DWORD error;
    int i;

    if (processors == 0 || !Configure(config, processors)) {
        SetLastError(ERROR_INVALID_PARAMETER);
        return FALSE;
    }
    g_sos.ready = CreateEvent(NULL, FALSE, FALSE, NULL);
    if (!g_sos.ready)
        return FALSE;
    g_sos.schedulers =
        (SOS_SCHEDULER *)VirtualAlloc(NULL, sizeof(SOS_SCHEDULER) * (SIZE_T)g_sos.schedulerCount,
                                      MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!g_sos.schedulers) {
        CloseHandle(g_sos.ready);
        return FALSE;
    }
    for (i = 0; i < g_sos.schedulerCount && good; i++)
        good = Prepare(&g_sos.schedulers[i], i);
    good = good && OutsideStart() && IoStart();
    for (i = 0; i < g_sos.schedulerCount && good; i++)
        good = StartScheduler(&g_sos.schedulers[i], masks[i % processors]);
    if (good)
        return TRUE;
    error = GetLastError();
    TearDown();
    SetLastError(error);
    return FALSE;
}

BOOL SosStop(DWORD timeout)
{
    ULONGLONG until = GetTickCount64() + timeout;
    LONG live;

    while ((live = g_sos.liveTasks) != 0) {
        ULONGLONG now = GetTickCount64();

        if (timeout != INFINITE && now >= until) {
            SetLastError(ERROR_TIMEOUT);
            return FALSE;
        }
        WaitOnAddress(&g_sos.liveTasks, &live, sizeof(live),
                      timeout == INFINITE ? INFINITE : (DWORD)(until - now));
    }
    return TearDown();
}

int SosSchedulerCount(VOID)
{
    return g_sos.schedulerCount;
}

int SosNodeCount(VOID)
{
    return g_sos.nodeCount;
}

int SosNodeOf(int scheduler)
{
    return scheduler >= 0 && scheduler < g_sos.schedulerCount ? g_sos.schedulers[scheduler].node
                                                              : -1;
}
