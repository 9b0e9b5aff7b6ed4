/* SPDX-License-Identifier: MIT
 *
 * control - suspends, resumes and ends workers in every state a worker can be in.
 *
 * Prints a table: what was done, and what QueryUmsThreadInformation, the completion list and
 * ExecuteUmsThread said of the worker then; and a verdict. See README.md.
 */
#include "control.h"

#include <stdio.h>

PUMS_COMPLETION_LIST g_list;

static int s_failures;

static BOOL Reads(WORKER *worker, UMS_THREAD_INFO_CLASS what)
{
    BOOLEAN value = 0;

    QueryUmsThreadInformation(worker->context, what, &value, sizeof(value), NULL);
    return value != 0;
}

/* The system may set it a little later than the call that asks for it returns. */
static BOOL Becomes(WORKER *worker, UMS_THREAD_INFO_CLASS what, BOOL wanted)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (Reads(worker, what) != wanted && GetTickCount64() < until)
        Sleep(1);
    return Reads(worker, what);
}

static const char *Name(OUTCOME outcome)
{
    static const char *const names[] = {"", "yields", "leaves", "refused", "runs"};

    return names[outcome];
}

/* One row: `call` was made and returned `result`. The rest is what should be so now; `execute` is
 * NOT_TRIED, or what trying has to give. */
static VOID Row(WORKER *worker, const char *call, BOOL result, BOOL suspended, BOOL terminated,
                BOOL arrives, OUTCOME execute)
{
    BOOL isSuspended = Becomes(worker, UmsThreadIsSuspended, suspended);
    BOOL isTerminated = Becomes(worker, UmsThreadIsTerminated, terminated);
    BOOL arrived = HasArrived(worker, arrives ? LIMIT_MS : MOMENT_MS);
    OUTCOME outcome =
        execute == NOT_TRIED ? NOT_TRIED : Execute(worker, execute == RUNS ? MOMENT_MS : LIMIT_MS);
    BOOL good = result && isSuspended == suspended && isTerminated == terminated &&
                arrived == arrives && outcome == execute;

    if (outcome == REFUSED && worker->stage->error != ERROR_INVALID_PARAMETER)
        good = FALSE;
    printf("%-9s %-38s %-9s %-10s %-7s %-8s%s\n", worker->name, call,
           isSuspended ? "suspended" : "", isTerminated ? "terminated" : "",
           arrived ? "arrives" : "", Name(outcome), good ? "" : "  <- WRONG");
    if (!good)
        s_failures++;
}

static VOID Check(BOOL holds, const char *what)
{
    printf("%s  %s\n", holds ? "holds" : "FAILS", what);
    if (!holds)
        s_failures++;
}

static VOID Delete(WORKER *worker, DWORD wanted)
{
    DWORD code = 0;
    BOOL good = WaitForSingleObject(worker->thread, LIMIT_MS) == WAIT_OBJECT_0 &&
                GetExitCodeThread(worker->thread, &code) && code == wanted &&
                CloseHandle(worker->thread) && DeleteUmsThreadContext(worker->context);

    if (good)
        return;
    printf("%-9s exit code %lu, not %lu, or it cannot be deleted\n", worker->name,
           (unsigned long)code, (unsigned long)wanted);
    s_failures++;
}

/* ---- The states ------------------------------------------------------------------------------ */

static VOID Parked(STAGE *stage)
{
    WORKER worker;

    if (!CreateWorker(&worker, "parked", Yielder, stage, CREATE_SUSPENDED)) {
        Check(FALSE, "creating a suspended worker");
        return;
    }
    Row(&worker, "created with CREATE_SUSPENDED", TRUE, TRUE, FALSE, FALSE, REFUSED);
    Row(&worker, "ResumeThread gives 1", ResumeThread(worker.thread) == 1, FALSE, FALSE, TRUE,
        YIELDS);
    Row(&worker, "SuspendThread gives 0", SuspendThread(worker.thread) == 0, TRUE, FALSE, FALSE,
        REFUSED);
    Row(&worker, "SuspendThread gives 1", SuspendThread(worker.thread) == 1, TRUE, FALSE, FALSE,
        REFUSED);
    Row(&worker, "ResumeThread gives 2", ResumeThread(worker.thread) == 2, TRUE, FALSE, FALSE,
        REFUSED);
    Row(&worker, "ResumeThread gives 1", ResumeThread(worker.thread) == 1, FALSE, FALSE, FALSE,
        YIELDS);
    Row(&worker, "TerminateThread", TerminateThread(worker.thread, 9), FALSE, TRUE, FALSE, REFUSED);
    Delete(&worker, 9);
}

/* Executed is not yet on a processor: that takes its time on a busy machine. */
static BOOL MakesTurns(LONG before)
{
    for (DWORD waited = 0; waited < LIMIT_MS && g_turns == before; waited++)
        Sleep(1);
    return g_turns != before;
}

static VOID Running(STAGE *stage)
{
    WORKER worker;
    LONG turns;

    if (!CreateWorker(&worker, "running", Spinner, stage, 0)) {
        Check(FALSE, "creating a spinner");
        return;
    }
    Row(&worker, "created", TRUE, FALSE, FALSE, TRUE, RUNS);
    Check(MakesTurns(0) && SuspendThread(worker.thread) == 0 &&
              AwaitReport(stage, LIMIT_MS) == LEAVES && (stage->payload & 1) == 0,
          "SuspendThread gives 0, and its scheduler gets the processor back");
    Row(&worker, "stands still", TRUE, TRUE, FALSE, FALSE, NOT_TRIED);
    turns = g_turns;
    Sleep(MOMENT_MS);
    Check(g_turns == turns, "it makes no more turns");
    Row(&worker, "ResumeThread gives 1", ResumeThread(worker.thread) == 1, FALSE, FALSE, TRUE,
        RUNS);
    Check(MakesTurns(turns), "it makes turns again");
    g_enough = TRUE;
    Check(AwaitReport(stage, LIMIT_MS) == YIELDS, "it yields when it has made enough");
    Row(&worker, "TerminateThread", TerminateThread(worker.thread, 10), FALSE, TRUE, FALSE,
        REFUSED);
    Delete(&worker, 10);
}

static VOID Blocked(STAGE *stage)
{
    WORKER worker;

    g_door = CreateEvent(NULL, FALSE, FALSE, NULL);
    if (!g_door || !CreateWorker(&worker, "blocked", Waiter, stage, 0)) {
        Check(FALSE, "creating a waiter");
        return;
    }
    Row(&worker, "created", TRUE, FALSE, FALSE, TRUE, LEAVES);
    Row(&worker, "SuspendThread gives 0", SuspendThread(worker.thread) == 0, TRUE, FALSE, FALSE,
        NOT_TRIED);
    Row(&worker, "SetEvent ends its wait", SetEvent(g_door), TRUE, FALSE, TRUE, REFUSED);
    Row(&worker, "ResumeThread gives 1", ResumeThread(worker.thread) == 1, FALSE, FALSE, FALSE,
        YIELDS);
    Row(&worker, "waits again", TRUE, FALSE, FALSE, FALSE, LEAVES);
    Row(&worker, "TerminateThread", TerminateThread(worker.thread, 11), FALSE, TRUE, TRUE, REFUSED);
    Delete(&worker, 11);
    CloseHandle(g_door);
}

static VOID Ending(STAGE *stage, const char *name, LPTHREAD_START_ROUTINE start, DWORD code)
{
    WORKER worker;

    if (!CreateWorker(&worker, name, start, stage, 0)) {
        Check(FALSE, "creating a worker that ends");
        return;
    }
    Row(&worker, "created", TRUE, FALSE, FALSE, TRUE, LEAVES);
    Row(&worker, "has ended", TRUE, FALSE, TRUE, TRUE, REFUSED);
    Delete(&worker, code);
}

/* Whatever hangs, the program does not. */
static DWORD WINAPI Watchdog(LPVOID param)
{
    if (WaitForSingleObject((HANDLE)param, 25000) != WAIT_OBJECT_0) {
        printf("verdict: FAILED, it hangs\n");
        fflush(stdout);
        ExitProcess(1);
    }
    return 0;
}

int main(void)
{
    HANDLE over = CreateEvent(NULL, TRUE, FALSE, NULL);
    HANDLE watchdog = CreateThread(NULL, 0, Watchdog, over, 0, NULL);
    STAGE left = {0}, right = {0};

    if (!watchdog || !CreateUmsCompletionList(&g_list) || !OpenStage(&left) || !OpenStage(&right)) {
        printf("verdict: FAILED, preparing, last error %lu\n", (unsigned long)GetLastError());
        return 1;
    }
    printf("%-9s %-38s %-28s %-7s %s\n", "worker", "what was done", "reads", "list", "execute");
    Parked(&left);
    Running(&right);
    Blocked(&left);
    Ending(&left, "returner", Returner, 7);
    Ending(&right, "exiter", Exiter, 8);
    Check(CloseStage(&left) && CloseStage(&right), "the schedulers end when told to");
    Check(DeleteUmsCompletionList(g_list), "the list can be deleted");

    SetEvent(over);
    WaitForSingleObject(watchdog, LIMIT_MS);
    printf("verdict: %s\n", s_failures ? "FAILED" : "OK");
    return s_failures != 0;
}
