/* SPDX-License-Identifier: MIT
 *
 * execute_retry.c - UMSSHIM_RETRY=n: ExecuteUmsThread says ERROR_RETRY n times before it executes, so that a
 * program's retries can be tested.
 *
 * modes: UMSSHIM_RETRY=1, UMSSHIM_RETRY=9
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdlib.h>

static int asked_for(void)
{
    const char *times = getenv("UMSSHIM_RETRY");

    return times ? atoi(times) : 0;
}

static PUMS_CONTEXT target;
static int refusals[8], executions;

static VOID NTAPI count_refusals(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadBlocked || executions == 8)
        return; /* it has ended */
    executions++;
    for (int i = 0; i < 100; i++) {
        SetLastError(SENTINEL);
        if (!ExecuteUmsThread(target) && GetLastError() == ERROR_RETRY)
            refusals[executions - 1]++;
    }
}

static DWORD WINAPI yield_some_times(LPVOID param)
{
    for (int i = 0; i < 4; i++)
        EXPECT_OK(UmsThreadYield(NULL));
    return 0;
}

/* ExecuteUmsThread asks for a retry so often, and then runs the worker. It does so the first time
 * and after each yield. */
TEST(ExecuteRetry, as_often_as_asked_for)
{
    struct bare worker;
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_GE(asked_for(), 1);
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, yield_some_times, NULL));
    target = worker.context;
    EXPECT_OK(ums_enter(list, count_refusals, NULL));
    EXPECT_EQ(executions, 5);
    for (int i = 0; i < 5; i++)
        EXPECT_EQ(refusals[i], asked_for());
    EXPECT_EQ(bare_arrival(list), worker.context);
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static VOID NTAPI execute_the_suspended(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason != UmsSchedulerStartup)
        return;
    EXPECT_FAILS(ExecuteUmsThread(target), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ExecuteUmsThread(NULL), ERROR_INVALID_PARAMETER);
}

/* A call that fails without retries fails with the same error. */
TEST(ExecuteRetry, other_failures_come_first)
{
    struct bare worker;
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, routine_return, NULL));
    target = worker.context;
    EXPECT_EQ(SuspendThread(worker.thread), 0);
    EXPECT_OK(ums_enter(list, execute_the_suspended, NULL));
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    EXPECT_OK(bare_drive(list, &target, 1, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void yields_and_waits(struct worker *self)
{
    for (int i = 0; i < 200; i++)
        if (i % 50 == 49)
            Sleep(1);
        else
            EXPECT_OK(UmsThreadYield(self));
}

/* Two schedulers and a shared queue: every worker comes through. */
TEST(ExecuteRetry, a_fleet_gets_through)
{
    struct fleet *fleet = fleet_create(2, 8, FLEET_SHARED_READY | FLEET_RANDOM);

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < 8; i++)
        fleet_add(fleet, yields_and_waits, NULL);
    fleet_run(fleet);
    EXPECT_GE(fleet_counts(fleet).retries, fleet_counts(fleet).executes);
    fleet_destroy(fleet);
}
