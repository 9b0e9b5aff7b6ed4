/* SPDX-License-Identifier: MIT
 *
 * migrate - several schedulers, one for each processor, share their workers.
 *
 * Prints how much each worker ran where, a line for each check, and the verdict. See README.md.
 */
#include "migrate.h"

#include <stdio.h>

SCHEDULER g_schedulers[MAX_SCHEDULERS];
int g_schedulerCount;
WORKER g_workers[WORKERS];
volatile LONG g_alive;
PUMS_COMPLETION_LIST g_sharedList;
HANDLE g_sharedArrival;

static int Fail(const char *what)
{
    printf("verdict: FAILED, %s, last error %lu\n", what, (unsigned long)GetLastError());
    fflush(stdout);
    ExitProcess(1); /* whatever else is running */
    return 1;
}

/* Finds the processors this program may use by trying them. Two schedulers at least, even on
 * one. */
static VOID ChooseProcessors(VOID)
{
    DWORD_PTR before = 0;
    DWORD_PTR mask;

    for (mask = 1; mask && g_schedulerCount < MAX_SCHEDULERS; mask <<= 1) {
        DWORD_PTR previous = SetThreadAffinityMask(GetCurrentThread(), mask);

        if (!previous)
            continue;
        if (!before)
            before = previous;
        g_schedulers[g_schedulerCount++].processor = mask;
    }
    SetThreadAffinityMask(GetCurrentThread(), before);
    if (g_schedulerCount == 1) {
        g_schedulers[1].processor = g_schedulers[0].processor;
        g_schedulerCount = 2;
    }
}

static BOOL CreateList(PUMS_COMPLETION_LIST *list, HANDLE *arrival)
{
    return CreateUmsCompletionList(list) && GetUmsCompletionListEvent(*list, arrival);
}

/* Every other worker arrives first on the shared list, the rest on the schedulers' own in turn. */
static BOOL CreateWorker(WORKER *worker)
{
    DECLSPEC_ALIGN(16) unsigned char room[128];
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = (LPPROC_THREAD_ATTRIBUTE_LIST)room;
    SIZE_T size = sizeof(room);
    UMS_CREATE_THREAD_ATTRIBUTES ums;

    if (!CreateUmsThreadContext(&worker->context) ||
        !SetUmsThreadInformation(worker->context, UmsThreadUserContext, &worker, sizeof(worker)))
        return FALSE;
    ums.UmsVersion = UMS_VERSION;
    ums.UmsContext = worker->context;
    ums.UmsCompletionList =
        worker->index % 2 ? g_sharedList : g_schedulers[worker->index / 2 % g_schedulerCount].list;
    if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size) ||
        !UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                   sizeof(ums), NULL, NULL))
        return FALSE;
    worker->thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, WorkerThread, worker, 0,
                                          attributes, &worker->threadId);
    DeleteProcThreadAttributeList(attributes);
    return worker->thread != NULL;
}

static BOOL Prepare(VOID)
{
    int i;

    ChooseProcessors();
    if (!PrepareWorkers() || !CreateList(&g_sharedList, &g_sharedArrival))
        return FALSE;
    for (i = 0; i < g_schedulerCount; i++) {
        g_schedulers[i].index = i;
        g_schedulers[i].wake = CreateEvent(NULL, FALSE, FALSE, NULL);
        if (!g_schedulers[i].wake || !CreateList(&g_schedulers[i].list, &g_schedulers[i].arrival))
            return FALSE;
    }
    g_alive = WORKERS;
    for (i = 0; i < WORKERS; i++) {
        g_workers[i].index = i;
        if (!CreateWorker(&g_workers[i]))
            return FALSE;
    }
    return TRUE;
}

static BOOL PutAway(VOID)
{
    BOOL good = TRUE;
    int i;

    for (i = 0; i < WORKERS; i++) {
        DWORD code = 0;

        good = WaitForSingleObject(g_workers[i].thread, LIMIT_MS) == WAIT_OBJECT_0 &&
               GetExitCodeThread(g_workers[i].thread, &code) && code == 1000u + (DWORD)i &&
               CloseHandle(g_workers[i].thread) && DeleteUmsThreadContext(g_workers[i].context) &&
               good;
    }
    for (i = 0; i < g_schedulerCount; i++)
        good = CloseHandle(g_schedulers[i].arrival) && CloseHandle(g_schedulers[i].wake) &&
               CloseHandle(g_schedulers[i].thread) &&
               DeleteUmsCompletionList(g_schedulers[i].list) && good;
    return CloseHandle(g_sharedArrival) && DeleteUmsCompletionList(g_sharedList) && good;
}

static BOOL Check(BOOL holds, const char *what)
{
    printf("  %s  %s\n", holds ? "holds" : "FAILS", what);
    return holds;
}

static BOOL Judge(VOID)
{
    int rounds = 0, hops = 0, strayed = 0, identities = 0, homebodies = 0, lazy = 0;
    BOOL good = TRUE;
    int i;

    printf("scheduler  processors  executions  of them stolen\n");
    for (i = 0; i < g_schedulerCount; i++) {
        printf("%9d  %#10llx  %10d  %14d\n", i, (unsigned long long)g_schedulers[i].processor,
               g_schedulers[i].executions, g_schedulers[i].stolen);
        lazy += g_schedulers[i].executions == 0;
    }
    printf("worker  rounds  hops  moves\n");
    for (i = 0; i < WORKERS; i++) {
        printf("%6d  %6d  %4d  %5d\n", i, g_workers[i].rounds, g_workers[i].hops,
               g_workers[i].moves);
        rounds += g_workers[i].rounds;
        hops += g_workers[i].hops;
        strayed += g_workers[i].strayed;
        identities += g_workers[i].identities;
        homebodies += g_workers[i].moves < g_workers[i].hops;
    }
    good &= Check(rounds == WORKERS * ROUNDS, "all rounds are done");
    good &= Check(hops == WORKERS * ROUNDS / 3 && strayed == 0 && homebodies == 0,
                  "a worker that asked for another scheduler went on there");
    good &= Check(identities == 0, "thread id, TLS value and context stayed the worker's own");
    good &= Check(SharedCount() == WORKERS * ROUNDS / 3, "the critical section excluded");
    good &= Check(lazy == 0, "every scheduler had work");
    return good;
}

int main(void)
{
    HANDLE threads[MAX_SCHEDULERS];
    BOOL good = TRUE;
    int i;

    if (!Prepare())
        return Fail("preparing");
    for (i = 0; i < g_schedulerCount; i++) {
        threads[i] = CreateThread(NULL, 0, SchedulerThread, &g_schedulers[i], 0, NULL);
        if (!threads[i])
            return Fail("CreateThread");
        g_schedulers[i].thread = threads[i];
    }
    if (WaitForMultipleObjects((DWORD)g_schedulerCount, threads, TRUE, LIMIT_MS) >=
        (DWORD)g_schedulerCount)
        return Fail("the schedulers did not come to an end");
    for (i = 0; i < g_schedulerCount; i++) {
        DWORD error = 1;

        GetExitCodeThread(threads[i], &error);
        SetLastError(error);
        if (error)
            return Fail("EnterUmsSchedulingMode");
    }
    good &= Judge();
    good &= Check(PutAway(), "every context and list could be deleted");
    printf("verdict: %s\n", good ? "OK" : "FAILED");
    return good ? 0 : 1;
}
