/* SPDX-License-Identifier: MIT
 *
 * tasks.c - tasks and their workers, aborts, the order of housekeeping, excursions, I/O.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

#include <stdio.h>
#include <string.h>

enum { LIMIT_MS = 15000 };

static SOS_EVENT s_event;
static volatile LONG s_count, s_most, s_go, s_order;

static void start_with(int schedulers, int workers)
{
    SOS_CONFIG config = {.schedulers = schedulers, .maxWorkers = workers};

    s_count = s_most = s_go = s_order = 0;
    EXPECT_OK(SosStart(&config));
}

static void finish_as(SOS_TASK *task, SOS_STATUS wanted, DWORD wanted_result)
{
    DWORD result = 0;
    SOS_STATUS status;

    ASSERT_OK(task);
    status = SosTaskWait(task, LIMIT_MS, &result);
    EXPECT_THAT(status == wanted && result == wanted_result, "status %d, result %u", status,
                (unsigned)result);
    SosTaskRelease(task);
}

static void until(const volatile LONG *value, LONG wanted)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;

    while (*value < wanted && GetTickCount64() < limit)
        Sleep(1);
    EXPECT_GE(*value, wanted);
}

TEST(SqlosTasks, bad_configurations_and_schedulers_are_refused)
{
    SOS_CONFIG bad[] = {{.schedulers = -1},
                        {.schedulers = SOS_MAX_SCHEDULERS + 1},
                        {.schedulers = 1, .nodes = 2},
                        {.nodes = -1},
                        {.maxWorkers = -1}};
    SOS_CONFIG good = {.schedulers = 1};

    for (int i = 0; i < (int)(sizeof(bad) / sizeof(*bad)); i++)
        EXPECT_FAILS(SosStart(&bad[i]), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SosSubmit(0, NULL, NULL), ERROR_INVALID_PARAMETER);
    ASSERT_OK(SosStart(&good));
    EXPECT_FAILS(SosStart(&good), ERROR_INVALID_PARAMETER); /* one in a process */
    EXPECT_FAILS(SosSubmit(1, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SosSubmit(-2, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(SosCurrentScheduler(), -1);
    EXPECT_OK(SosStop(LIMIT_MS));
    ASSERT_OK(SosStart(&good)); /* and again */
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD be_there(PVOID argument)
{
    LONG now = InterlockedIncrement(&s_count);

    if (now > s_most)
        s_most = now; /* one scheduler: one at a time */
    while (!s_go)
        SosDelay(1);
    InterlockedDecrement(&s_count);
    return (DWORD)(ULONG_PTR)argument;
}

TEST(SqlosTasks, workers_are_as_many_as_the_tasks_want_up_to_the_limit)
{
    enum { TASKS = 40, WORKERS = 8 };
    SOS_TASK *tasks[TASKS];
    SOS_SCHEDULER_STATS stats;
    SOS_WAIT_STATS waits;

    start_with(1, WORKERS);
    for (int i = 0; i < TASKS; i++)
        tasks[i] = SosSubmit(0, be_there, (PVOID)(ULONG_PTR)(100 + i));
    until(&s_count, WORKERS);
    EXPECT_FAILS(SosStop(10), ERROR_TIMEOUT); /* and all goes on */
    InterlockedExchange(&s_go, TRUE);
    for (int i = 0; i < TASKS; i++)
        finish_as(tasks[i], SOS_OK, (DWORD)(100 + i));
    EXPECT_EQ(s_most, WORKERS);
    SosSchedulerStats(0, &stats);
    EXPECT_EQ(stats.workers, WORKERS);
    SosWaitStats(SOS_WAIT_THREADPOOL, &waits);
    EXPECT_EQ(waits.waits, TASKS);
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD wait_long(PVOID argument)
{
    InterlockedIncrement(&s_count);
    return argument ? SosEventWait(&s_event, INFINITE, SOS_WAIT_EVENT) : SosDelay(INFINITE);
}

TEST(SqlosTasks, an_abort_ends_the_wait_of_a_task_and_keeps_the_next_from_starting)
{
    SOS_TASK *waiter, *sleeper, *never;

    start_with(1, 2);
    SosEventInit(&s_event, FALSE, FALSE);
    waiter = SosSubmit(0, wait_long, &s_event);
    sleeper = SosSubmit(0, wait_long, NULL);
    never = SosSubmit(0, wait_long, NULL); /* both workers are taken */
    until(&s_count, 2);
    SosTaskAbort(never);
    SosTaskAbort(waiter);
    SosTaskAbort(waiter);
    finish_as(waiter, SOS_OK, SOS_ABORTED); /* it ran; its wait was aborted */
    finish_as(never, SOS_ABORTED, 0);       /* it never ran */
    EXPECT_EQ(s_count, 2);
    EXPECT_OK(ListEmpty(&s_event.resource.waiters));
    SosTaskAbort(sleeper);
    finish_as(sleeper, SOS_OK, SOS_ABORTED);
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD see_abort(PVOID argument)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;

    InterlockedIncrement(&s_count);
    while (SosYieldCheck() != SOS_ABORTED && GetTickCount64() < limit)
        YieldProcessor();
    EXPECT_EQ(SosDelay(1), SOS_ABORTED);
    EXPECT_EQ(SosEventWait(&s_event, 0, SOS_WAIT_EVENT), SOS_ABORTED);
    return SosYield();
}

TEST(SqlosTasks, a_running_task_learns_of_its_abort_at_the_yield_check)
{
    SOS_TASK *task;

    start_with(1, 2);
    SosEventInit(&s_event, TRUE, TRUE);
    task = SosSubmit(0, see_abort, NULL);
    until(&s_count, 1);
    SosTaskAbort(task);
    finish_as(task, SOS_OK, SOS_ABORTED);
    EXPECT_OK(SosStop(LIMIT_MS));
}

/* ---- The order of housekeeping --------------------------------------------------------------- */

static HANDLE s_file, s_pipe[2];

static DWORD come_back(PVOID how)
{
    char byte;
    DWORD done;

    InterlockedIncrement(&s_count);
    switch ((ULONG_PTR)how) {
    case 1:
        SosDelay(INFINITE); /* aborted */
        break;
    case 2:
        EXPECT_EQ(SosReadFile(s_pipe[0], 0, &byte, 1, &done), SOS_OK);
        break;
    case 3:
        SosDelay(20);
        break;
    default:
        SosEventWait(&s_event, INFINITE, SOS_WAIT_EVENT);
        break;
    }
    InterlockedExchange(&s_order, s_order * 10 + (LONG)(ULONG_PTR)how);
    return 0;
}

/* Holds the scheduler until there is something of every kind to find. */
static DWORD hold_all_up(PVOID sleeper)
{
    SOS_SCHEDULER *self = CurrentWorker()->scheduler;
    LONGLONG due;
    DWORD done;

    while (s_count < 4 || ListEmpty(&s_event.resource.waiters) || self->ioCount < 1 ||
           self->timerCount < 1)
        SosYield();
    due = Now() + 60 * g_sos.ticksPerSecond / 1000;
    EXPECT_OK(WriteFile(s_pipe[1], "x", 1, &done, NULL));
    while (Now() < due || self->ioCompleted == self->ioSeen)
        YieldProcessor();
    SosTaskAbort((SOS_TASK *)sleeper);
    SosEventSignal(&s_event);
    return 0;
}

static void open_file(void)
{
    char folder[MAX_PATH], name[MAX_PATH];
    DWORD done;

    ASSERT_OK(GetTempPathA(sizeof(folder), folder));
    ASSERT_OK(GetTempFileNameA(folder, "sos", 0, name));
    s_file = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                         FILE_FLAG_DELETE_ON_CLOSE, NULL);
    ASSERT_NE(s_file, INVALID_HANDLE_VALUE);
    ASSERT_OK(WriteFile(s_file, "x", 1, &done, NULL));
}

TEST(SqlosTasks, housekeeping_serves_the_runnable_then_aborts_then_io_then_timers)
{
    SOS_TASK *tasks[5];

    ASSERT_OK(CreatePipe(&s_pipe[0], &s_pipe[1], NULL, 0));
    start_with(1, 8);
    SosEventInit(&s_event, FALSE, FALSE);
    for (int i = 3; i >= 0; i--)
        tasks[i] = SosSubmit(0, come_back, (PVOID)(ULONG_PTR)(i + 1));
    tasks[4] = SosSubmit(0, hold_all_up, tasks[0]);
    for (int i = 0; i < 5; i++)
        finish_as(tasks[i], SOS_OK, 0);
    EXPECT_EQ(s_order, 4123);
    EXPECT_OK(SosStop(LIMIT_MS));
    CloseHandle(s_pipe[0]);
    CloseHandle(s_pipe[1]);
}

/* ---- Outside --------------------------------------------------------------------------------- */

static DWORD go_outside(PVOID argument)
{
    DWORD thread = GetCurrentThreadId();
    SOS_TASK *task = SosCurrentTask();
    ULONGLONG limit = GetTickCount64() + LIMIT_MS;
    LONG seen = 0;

    SosLeaveScheduler();
    /* Never yields; the scheduler's others run all the same. */
    while ((seen = s_count) < 50 && GetTickCount64() < limit)
        YieldProcessor();
    Sleep(5);                         /* blocking out there is allowed, too */
    if (SosMode() != SOS_MODE_FIBERS) /* a fiber goes on with another thread */
        EXPECT_EQ(GetCurrentThreadId(), thread);
    SosReturnToScheduler();
    EXPECT_EQ(SosCurrentTask(), task);
    EXPECT_EQ(SosCurrentScheduler(), 0);
    InterlockedExchange(&s_go, TRUE);
    return (DWORD)seen;
}

static DWORD count_up(PVOID argument)
{
    while (!s_go) {
        InterlockedIncrement(&s_count);
        SosDelay(1);
    }
    return 0;
}

TEST(SqlosTasks, a_worker_outside_leaves_its_scheduler_to_the_others)
{
    SOS_WAIT_STATS stats;
    SOS_TASK *first, *second;
    DWORD result = 0;

    start_with(1, 4);
    first = SosSubmit(0, go_outside, NULL);
    second = SosSubmit(0, count_up, NULL);
    EXPECT_EQ(SosTaskWait(first, LIMIT_MS, &result), SOS_OK);
    EXPECT_GE(result, 50u);
    SosTaskRelease(first);
    finish_as(second, SOS_OK, 0);
    SosWaitStats(SOS_WAIT_PREEMPTIVE, &stats);
    EXPECT_EQ(stats.waits, 1);
    EXPECT_THAT(stats.resourceMs > 20, "it was outside for %f ms", stats.resourceMs);
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD block_in_kernel(PVOID argument)
{
    ULONGLONG end = GetTickCount64() + LIMIT_MS / 2;

    for (int i = 0; i < 5; i++) {
        LONG seen = s_count;

        do
            Sleep(10);
        while (SosMode() == SOS_MODE_UMS && s_count == seen && GetTickCount64() < end);
    }
    InterlockedExchange(&s_go, TRUE);
    return 0;
}

/* In the modes that the system knows nothing of the scheduler stands meanwhile. */
TEST(SqlosTasks, a_block_in_the_system_brings_the_scheduler_back_by_itself)
{
    SOS_WAIT_STATS stats;
    SOS_TASK *blocker, *counter;

    start_with(1, 4);
    blocker = SosSubmit(0, block_in_kernel, NULL);
    counter = SosSubmit(0, count_up, NULL);
    finish_as(blocker, SOS_OK, 0);
    finish_as(counter, SOS_OK, 0);
    SosWaitStats(SOS_WAIT_KERNEL, &stats);
    if (SosMode() == SOS_MODE_UMS) {
        EXPECT_GE(s_count, 5); /* until the last of the blocks */
        EXPECT_GE(stats.waits, 5);
        EXPECT_THAT(stats.resourceMs > 45, "blocked for %f ms", stats.resourceMs);
    } else {
        EXPECT_EQ(s_count, 0);
        EXPECT_EQ(stats.waits, 0);
    }
    EXPECT_OK(SosStop(LIMIT_MS));
}

static DWORD leave_and_forget(PVOID argument)
{
    SosLeaveScheduler();
    if (SosEventWait(&s_event, 5, SOS_WAIT_EVENT) != SOS_TIMEOUT) /* comes back first */
        return 1;
    SosLeaveScheduler();
    return 2; /* so does the end of the task */
}

TEST(SqlosTasks, waits_and_the_end_bring_a_worker_back_in)
{
    start_with(1, 4);
    SosEventInit(&s_event, FALSE, FALSE);
    finish_as(SosSubmit(0, leave_and_forget, NULL), SOS_OK, 2);
    finish_as(SosSubmit(0, leave_and_forget, NULL), SOS_OK, 2);
    EXPECT_OK(SosStop(LIMIT_MS));
}

/* ---- I/O ------------------------------------------------------------------------------------- */

static DWORD write_and_read(PVOID argument)
{
    ULONGLONG at = (ULONGLONG)(ULONG_PTR)argument * 4096;
    char out[64], in[64];
    DWORD done = 0;

    for (int i = 0; i < 20; i++) {
        int length = snprintf(out, sizeof(out), "task %d round %d", (int)(at / 4096), i);

        if (SosWriteFile(s_file, at, out, sizeof(out), &done) != SOS_OK || done != sizeof(out))
            return 1;
        if (SosReadFile(s_file, at, in, sizeof(in), &done) != SOS_OK || done != sizeof(in))
            return 2;
        if (memcmp(in, out, (size_t)length))
            return 3;
    }
    return 0;
}

static DWORD read_badly(PVOID argument)
{
    char byte;
    DWORD done = 7;

    SetLastError(0);
    if (SosReadFile(INVALID_HANDLE_VALUE, 0, &byte, 1, &done) != SOS_FAILED || done != 0)
        return 0;
    return GetLastError();
}

TEST(SqlosTasks, transfers_go_through_the_io_list)
{
    enum { TASKS = 12 };
    SOS_TASK *tasks[TASKS];
    SOS_WAIT_STATS stats;

    open_file();
    start_with(2, 16);
    for (int i = 0; i < TASKS; i++)
        tasks[i] = SosSubmit(-1, write_and_read, (PVOID)(ULONG_PTR)i);
    for (int i = 0; i < TASKS; i++)
        finish_as(tasks[i], SOS_OK, 0);
    finish_as(SosSubmit(0, read_badly, NULL), SOS_OK, ERROR_INVALID_HANDLE);
    SosWaitStats(SOS_WAIT_IO_COMPLETION, &stats);
    EXPECT_EQ(stats.waits, TASKS * 40 + 1);
    EXPECT_OK(SosStop(LIMIT_MS));
    CloseHandle(s_file);
}
