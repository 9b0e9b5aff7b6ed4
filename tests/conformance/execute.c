/* SPDX-License-Identifier: MIT
 *
 * execute.c - section 9: ExecuteUmsThread.
 */
#include "rig.h"

#define PAGE "W:executeumsthread"

static struct stage stage;
static struct worker worker;
static PUMS_CONTEXT target;
static DWORD wanted;

static void try_target(struct stage *inside, const struct entry *entry)
{
    (void)inside;
    if (entry->reason == UmsSchedulerStartup)
        EXPECT_FAILS(ExecuteUmsThread(target ? target : entry->self), wanted);
}

/* A scheduler tries the target, is refused, and goes on with a worker. */
static void refused(PUMS_CONTEXT context, DWORD error)
{
    target = context;
    wanted = error;
    stage = (struct stage){.hook = try_target};
    REQUIRE(stage_solo(&stage, &worker, routine_return, NULL));
    EXPECT_EQ(stage.entries, 2);
    drop_worker(&worker);
    drop_list(stage.list);
}

CLAUSE(EX, 1, DOC, PAGE, "Success does not return: the worker goes on, on this thread")
{
    stage = (struct stage){0};
    REQUIRE(stage_solo(&stage, &worker, routine_yield, NULL));
    EXPECT_EQ(stage.entries, 3);
    EXPECT_EQ(stage.log[1].executed, worker.context);
    drop_worker(&worker);
    drop_list(stage.list);
}

CLAUSE(EX, 2, DOC, PAGE, "A failure changes nothing: another context may be executed at once")
{
    PUMS_CONTEXT empty = make_context();

    refused(empty, ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(empty));
}

static int final_failures;

static void retry_counts(struct stage *inside, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerThreadYield) {
        inside->ready_count--;
        inside->alive--;
        EXPECT_EQ(execute((PUMS_CONTEXT)entry->payload), ERROR_SUCCESS); /* has retried 1237 */
        inside->alive++;
        final_failures++;
    }
}

static DWORD WINAPI yield_2000(LPVOID param)
{
    for (int i = 0; i < 2000; i++)
        EXPECT_OK(UmsThreadYield(param));
    return 0;
}

CLAUSE(EX, 3, DOC, PAGE, "What fails with 1237 may be tried again, and succeeds")
{
    final_failures = 0;
    stage = (struct stage){.hook = retry_counts};
    REQUIRE(stage_solo(&stage, &worker, yield_2000, NULL));
    EXPECT_EQ(stage.yields, 2000);
    EXPECT_EQ(final_failures, 0);
    drop_worker(&worker);
    drop_list(stage.list);
}

static void try_null(struct stage *inside, const struct entry *entry)
{
    (void)inside;
    (void)entry;
    EXPECT_FAILS(ExecuteUmsThread(NULL), ERROR_INVALID_PARAMETER);
}

CLAUSE(EX, 4, OBS, PAGE, "NULL: 0 and 87")
{
    stage = (struct stage){.hook = try_null};
    REQUIRE(stage_solo(&stage, &worker, routine_return, NULL));
    drop_worker(&worker);
    drop_list(stage.list);
}

static DWORD WINAPI execute_in_worker(LPVOID other)
{
    EXPECT_FAILS(ExecuteUmsThread(other), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(ExecuteUmsThread(GetCurrentUmsThread()), ERROR_NOT_SUPPORTED);
    return 0;
}

CLAUSE(EX, 5, DOC, PAGE, "The caller is no scheduler: 0 and 50")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker other;

    REQUIRE(make_arrived(&other, list, routine_return, NULL));
    EXPECT_FAILS(ExecuteUmsThread(other.context), ERROR_NOT_SUPPORTED);
    stage = (struct stage){0};
    REQUIRE(stage_solo(&stage, &worker, execute_in_worker, other.context));
    drop_worker(&worker);
    drop_list(stage.list);
    REQUIRE(drive(list, &other.context, 1, 1));
    drop_worker(&other);
    drop_list(list);
}

CLAUSE(EX, 6, OBS, PAGE, "A scheduler's own context, or one without a thread: 0 and 87")
{
    PUMS_CONTEXT empty = make_context();

    refused(NULL, ERROR_INVALID_PARAMETER); /* its own */
    refused(empty, ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(empty));
}

/* ---- EX-7: somebody else's ---- */

static atomic_int running, release;

static DWORD WINAPI run_until_released(LPVOID param)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();

    (void)param;
    atomic_store(&running, 1);
    while (!atomic_load(&release) && GetTickCount64() < deadline)
        YieldProcessor();
    return 0;
}

static DWORD WINAPI run_stage(LPVOID param)
{
    stage_run(param);
    return 0;
}

static void try_blocked(struct stage *inside, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerThreadBlocked && inside->blocked == 1) {
        EXPECT_FAILS(ExecuteUmsThread(entry->executed), ERROR_INTERNAL_ERROR);
        EXPECT_OK(SetEvent(inside->argument));
    }
}

CLAUSE(EX, 7, DOC, PAGE, "The target runs elsewhere, or is blocked: 0 and 1359")
{
    static struct stage elsewhere;
    struct worker busy;
    HANDLE thread, wake = make_event(false);

    atomic_store(&running, 0);
    atomic_store(&release, 0);
    elsewhere = (struct stage){.list = make_list(), .ends = 1};
    REQUIRE(make_worker(&busy, elsewhere.list, run_until_released, NULL, 0));
    thread = CreateThread(NULL, 0, run_stage, &elsewhere, 0, NULL);
    REQUIRE(comes_true(&running, 1));
    refused(busy.context, ERROR_INTERNAL_ERROR);
    atomic_store(&release, 1);
    ASSERT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    drop_worker(&busy);
    drop_list(elsewhere.list);
    stage = (struct stage){.hook = try_blocked, .argument = wake};
    REQUIRE(stage_solo(&stage, &worker, routine_wait, wake));
    drop_worker(&worker);
    drop_list(stage.list);
    EXPECT_OK(CloseHandle(wake));
}

CLAUSE(EX, 8, DOC, PAGE, "The target has ended: 0 and 87, and IsTerminated reads 1")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker ended;

    REQUIRE(make_worker(&ended, list, routine_return, NULL, 0));
    REQUIRE(drive(list, NULL, 0, 1));
    EXPECT_EQ(is_terminated(ended.context), true);
    refused(ended.context, ERROR_INVALID_PARAMETER);
    drop_worker(&ended);
    drop_list(list);
}

/* EX-9, EX-11: refused while suspended; after the resume it is not queued. */
static void suspended_target(bool look_at_list)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker sleeper;

    REQUIRE(make_arrived(&sleeper, list, routine_return, NULL));
    EXPECT_EQ(SuspendThread(sleeper.thread), 0);
    REQUIRE(EXPECT(becomes_suspended(sleeper.context, true)));
    refused(sleeper.context, ERROR_INVALID_PARAMETER);
    if (look_at_list)
        EXPECT(is_empty(list, 20));
    EXPECT_EQ(is_suspended(sleeper.context), true);
    EXPECT_EQ(ResumeThread(sleeper.thread), 1);
    REQUIRE(EXPECT(becomes_suspended(sleeper.context, false)));
    if (look_at_list)
        EXPECT(is_empty(list, 20));
    REQUIRE(drive(list, &sleeper.context, 1, 1));
    drop_worker(&sleeper);
    drop_list(list);
}

CLAUSE(EX, 9, DOC, PAGE, "The target is suspended: 0 and 87, and IsSuspended reads 1")
{
    suspended_target(false);
}

CLAUSE(EX, 10, OBS, PAGE, "NULL is told first, then the caller's kind, then the target's")
{
    PUMS_CONTEXT empty = make_context();

    EXPECT_FAILS(ExecuteUmsThread(NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ExecuteUmsThread(empty), ERROR_NOT_SUPPORTED);
    refused(empty, ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(empty));
}

CLAUSE(EX, 11, OBS, PAGE, "A context refused for its suspension does not come back by the list")
{
    suspended_target(true);
}

CLAUSE(EX, 15, DOC, "W:umsthreadyield", "What has yielded is executed from the program's own queue")
{
    stage = (struct stage){0};
    REQUIRE(stage_solo(&stage, &worker, routine_yield, NULL));
    EXPECT_EQ(stage.yields, 1);
    EXPECT_EQ(stage.arrived, 1 + stage.blocked); /* none of them from the yield */
    drop_worker(&worker);
    drop_list(stage.list);
}

CLAUSE(EX, 16, OBS, PAGE, "A failure returns 0, never the error's number")
{
    EXPECT_EQ(ExecuteUmsThread(NULL), 0);
    EXPECT_EQ(ExecuteUmsThread(&stage), 0);
}

static void execute_at_once(struct stage *inside, const struct entry *entry)
{
    if (entry->reason != UmsSchedulerStartup)
        return;
    inside->executed = target;
    inside->alive--;
    EXPECT_EQ(execute(target), ERROR_SUCCESS); /* does not come back: it lies on its list */
    inside->alive++;
}

CLAUSE(EX, 18, UNS, PAGE, "A worker that nobody has dequeued is taken off its list and runs")
{
    struct worker first, second;
    PUMS_COMPLETION_LIST list = make_list();
    HANDLE arrived;

    EXPECT_OK(GetUmsCompletionListEvent(list, &arrived));
    REQUIRE(make_worker(&first, list, routine_return, NULL, 0));
    EXPECT_EQ(WaitForSingleObject(arrived, patience_ms()),
              WAIT_OBJECT_0); /* it may arrive after its creation */
    REQUIRE(make_worker(&second, list, routine_return, NULL, 0));
    EXPECT_OK(CloseHandle(arrived));
    target = first.context;
    stage = (struct stage){.list = list, .hook = execute_at_once, .ends = 2};
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.entries, 3);
    EXPECT_EQ(stage.blocked, 2);
    drop_worker(&first);
    drop_worker(&second);
    drop_list(list);
}
