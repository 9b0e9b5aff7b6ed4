/* SPDX-License-Identifier: MIT
 *
 * fiber_scheduler.c - cooperative tasks on fibers: a round robin on the main fiber, yields, sleeps
 * in units of its own clock, a mailbox, and a value in fiber-local storage.
 */
#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <tchar.h>

#define TASKS 4
#define STEPS 3

typedef enum { TASK_READY, TASK_ASLEEP, TASK_WAITING, TASK_DONE } TASK_STATE;

typedef struct _TASK {
    LPVOID lpFiber;
    TASK_STATE State;
    DWORD dwWakeAt;
    int nId, nMail;
} TASK, *PTASK;

static TASK g_Tasks[TASKS];
static LPVOID g_lpScheduler;
static DWORD g_dwClock, g_dwFls, g_dwFreed;

static PTASK CurrentTask(void)
{
    return (PTASK)GetFiberData();
}

static void Yield_(void)
{
    SwitchToFiber(g_lpScheduler);
}

static void SleepTicks(DWORD dwTicks)
{
    CurrentTask()->State = TASK_ASLEEP;
    CurrentTask()->dwWakeAt = g_dwClock + dwTicks;
    Yield_();
}

static int Receive(void)
{
    PTASK pTask = CurrentTask();
    int nMail;

    while (pTask->nMail == 0) {
        pTask->State = TASK_WAITING;
        Yield_();
    }
    nMail = pTask->nMail;
    pTask->nMail = 0;
    return nMail;
}

static void Send(PTASK pTo, int nMail)
{
    pTo->nMail = nMail;
    if (pTo->State == TASK_WAITING)
        pTo->State = TASK_READY;
}

static VOID CALLBACK FiberTask(PVOID lpParameter)
{
    PTASK pTask = (PTASK)lpParameter;
    int *pnCount = (int *)malloc(sizeof(int));
    int i;

    *pnCount = 0;
    FlsSetValue(g_dwFls, pnCount);
    for (i = 0; i < STEPS; i++) {
        ++*(int *)FlsGetValue(g_dwFls);
        _tprintf(_T("%2lu: task %d, step %d, GetFiberData %s\n"), (unsigned long)g_dwClock,
                 pTask->nId, i, GetFiberData() == lpParameter ? _T("right") : _T("wrong"));
        if (pTask->nId == 0)
            SleepTicks(2);
        else
            Yield_();
    }
    if (pTask->nId + 1 < TASKS)
        Send(&g_Tasks[pTask->nId + 1], 100 + pTask->nId);
    if (pTask->nId > 0)
        _tprintf(_T("%2lu: task %d got %d\n"), (unsigned long)g_dwClock, pTask->nId, Receive());
    _tprintf(_T("%2lu: task %d is over after %d steps\n"), (unsigned long)g_dwClock, pTask->nId,
             *(int *)FlsGetValue(g_dwFls));
    pTask->State = TASK_DONE;
    Yield_();
}

static VOID WINAPI FreeCount(PVOID lpCount)
{
    if (lpCount != NULL)
        g_dwFreed++;
    free(lpCount);
}

static void Schedule(void)
{
    int nLeft = TASKS, i;

    for (; nLeft > 0; g_dwClock++) {
        for (i = 0; i < TASKS; i++) {
            PTASK pTask = &g_Tasks[i];

            if (pTask->State == TASK_ASLEEP && pTask->dwWakeAt <= g_dwClock)
                pTask->State = TASK_READY;
            if (pTask->State != TASK_READY)
                continue;
            SwitchToFiber(pTask->lpFiber);
            if (pTask->State == TASK_DONE) {
                DeleteFiber(pTask->lpFiber);
                nLeft--;
            }
        }
    }
}

int _tmain(int argc, _TCHAR *argv[])
{
    int i;

    UNREFERENCED_PARAMETER(argc);
    UNREFERENCED_PARAMETER(argv);
    g_lpScheduler = ConvertThreadToFiber(NULL);
    g_dwFls = FlsAlloc(FreeCount);
    if (g_lpScheduler == NULL || g_dwFls == FLS_OUT_OF_INDEXES)
        return 1;
    for (i = 0; i < TASKS; i++) {
        g_Tasks[i].nId = i;
        g_Tasks[i].lpFiber = CreateFiber(64 * 1024, FiberTask, &g_Tasks[i]);
        if (g_Tasks[i].lpFiber == NULL)
            return 1;
    }
    Schedule();
    FlsFree(g_dwFls);
    _tprintf(_T("clock %lu, %lu values freed, a fiber: %s\n"), (unsigned long)g_dwClock,
             (unsigned long)g_dwFreed, IsThreadAFiber() ? _T("yes") : _T("no"));
    return ConvertFiberToThread() ? 0 : 1;
}
