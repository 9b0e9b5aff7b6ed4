/* SPDX-License-Identifier: MIT
 *
 * stage.c - a scheduler under command, and arrivals, which the commanding thread takes itself.
 */
#include "control.h"

static VOID NTAPI StageProc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PUMS_CONTEXT self = GetCurrentUmsThread();
    STAGE *stage = NULL;

    if (reason == UmsSchedulerStartup) {
        stage = (STAGE *)param;
        SetUmsThreadInformation(self, UmsThreadUserContext, &stage, sizeof(stage));
    } else {
        QueryUmsThreadInformation(self, UmsThreadUserContext, &stage, sizeof(stage), NULL);
        stage->outcome = reason == UmsSchedulerThreadYield ? YIELDS : LEAVES;
        stage->payload = payload;
        SetEvent(stage->report);
    }
    while (WaitForSingleObject(stage->command, INFINITE) == WAIT_OBJECT_0 && stage->next) {
        ExecuteUmsThread(stage->next); /* the report comes with the next activation */
        stage->error = GetLastError();
        if (stage->error == ERROR_RETRY) {
            SetEvent(stage->command);
            continue;
        }
        stage->outcome = REFUSED;
        SetEvent(stage->report);
    }
}

static DWORD WINAPI StageThread(LPVOID param)
{
    UMS_SCHEDULER_STARTUP_INFO info;

    info.UmsVersion = UMS_VERSION;
    info.CompletionList = g_list;
    info.SchedulerProc = StageProc;
    info.SchedulerParam = param;
    return EnterUmsSchedulingMode(&info) ? 0 : GetLastError();
}

BOOL OpenStage(STAGE *stage)
{
    stage->command = CreateEvent(NULL, FALSE, FALSE, NULL);
    stage->report = CreateEvent(NULL, FALSE, FALSE, NULL);
    stage->thread = CreateThread(NULL, 0, StageThread, stage, 0, NULL);
    return stage->command && stage->report && stage->thread;
}

BOOL CloseStage(STAGE *stage)
{
    DWORD error = 1;

    stage->next = NULL;
    SetEvent(stage->command);
    return WaitForSingleObject(stage->thread, LIMIT_MS) == WAIT_OBJECT_0 &&
           GetExitCodeThread(stage->thread, &error) && error == 0 && CloseHandle(stage->thread) &&
           CloseHandle(stage->command) && CloseHandle(stage->report);
}

OUTCOME AwaitReport(STAGE *stage, DWORD timeout)
{
    return WaitForSingleObject(stage->report, timeout) == WAIT_OBJECT_0 ? stage->outcome : RUNS;
}

OUTCOME Execute(WORKER *worker, DWORD timeout)
{
    worker->stage->next = worker->context;
    SetEvent(worker->stage->command);
    return AwaitReport(worker->stage, timeout);
}

/* One list serves all: an arrival may be for another worker, which will ask for it later. */
BOOL HasArrived(WORKER *worker, DWORD timeout)
{
    ULONGLONG until = GetTickCount64() + timeout;

    for (;;) {
        ULONGLONG now = GetTickCount64();
        PUMS_CONTEXT context = NULL;

        DequeueUmsCompletionListItems(g_list, now < until ? (DWORD)(until - now) : 0, &context);
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);
            WORKER *other = NULL;

            QueryUmsThreadInformation(context, UmsThreadUserContext, &other, sizeof(other), NULL);
            other->arrived = TRUE;
            context = next;
        }
        if (worker->arrived || now >= until) {
            BOOL arrived = worker->arrived;

            worker->arrived = FALSE;
            return arrived;
        }
    }
}
