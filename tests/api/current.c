/* SPDX-License-Identifier: MIT
 *
 * current.c - GetCurrentUmsThread (GC-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

static void check_in_worker(struct worker *self)
{
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(GetCurrentUmsThread(), self->context);
        if (i % 2)
            Sleep(1);
        else
            EXPECT_OK(UmsThreadYield(NULL));
    }
}

TEST(Current, in_a_worker_GC_1)
{
    struct fleet *fleet = fleet_create(2, 6, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < 6; i++)
        fleet_add(fleet, check_in_worker, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

static PUMS_CONTEXT own[8];
static int calls;

static VOID NTAPI look_at_own(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PVOID value = NULL;

    own[calls++] = GetCurrentUmsThread();
    if (reason == UmsSchedulerStartup) {
        EXPECT_OK(QueryUmsThreadInformation(own[0], UmsThreadUserContext, &value, 8, NULL));
        EXPECT_EQ(value, NULL); /* never set */
        value = own;
        EXPECT_OK(SetUmsThreadInformation(own[0], UmsThreadUserContext, &value, 8));
        bare_execute(param);
        FAIL("execute failed: last error %u", (unsigned)GetLastError());
    }
    EXPECT_OK(QueryUmsThreadInformation(own[0], UmsThreadUserContext, &value, 8, NULL));
    EXPECT_EQ(value, own);
    if (reason == UmsSchedulerThreadYield) {
        bare_execute((PUMS_CONTEXT)payload);
        FAIL("execute failed: last error %u", (unsigned)GetLastError());
    }
}

TEST(Current, in_a_scheduler_GC_2)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare worker;

    calls = 0;
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, routine_yield_once, NULL));
    EXPECT_OK(bare_enter(list, look_at_own, worker.context));
    EXPECT_EQ(calls, 3);
    EXPECT_NE(own[0], NULL);
    EXPECT_NE(own[0], worker.context);
    EXPECT_EQ(own[1], own[0]);
    EXPECT_EQ(own[2], own[0]);
    EXPECT_EQ(bare_arrival(list), worker.context);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static VOID NTAPI use_own_context(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    PUMS_CONTEXT self = GetCurrentUmsThread();

    (void)reason;
    (void)payload;
    (void)param;
    EXPECT_EQ(is_suspended(self), false);
    EXPECT_EQ(is_terminated(self), false);
    EXPECT_FAILS(DeleteUmsThreadContext(self), ERROR_INVALID_PARAMETER);
}

TEST(Current, a_schedulers_context_can_be_queried_QI_7)
{
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(bare_enter(list, use_own_context, NULL));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Current, in_a_plain_thread_GC_3)
{
    EXPECT_FAILS(GetCurrentUmsThread(), ERROR_NOT_SUPPORTED);
}
