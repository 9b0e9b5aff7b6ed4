/* SPDX-License-Identifier: MIT
 *
 * execute.c - ExecuteUmsThread of a worker created suspended. The kit has the clauses EX-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "bare.h"
#include "gtest_c.h"

static struct bare worker, suspended;
static int activations;

/* Tries the suspended one; the scheduler goes on as if nothing had happened. */
static VOID NTAPI try_suspended(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    activations++;
    if (reason == UmsSchedulerStartup) {
        EXPECT_FAILS(ExecuteUmsThread(suspended.context), ERROR_INVALID_PARAMETER);
        bare_execute(worker.context);
        FAIL("execute failed: last error %u", (unsigned)GetLastError());
    }
}

TEST(Execute, created_suspended)
{
    PUMS_COMPLETION_LIST list = NULL;

    activations = 0;
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, routine_return, NULL));
    ASSERT_OK(bare_create(&suspended, list, routine_return, NULL, CREATE_SUSPENDED));
    EXPECT_OK(ums_enter(list, try_suspended, NULL));
    EXPECT_EQ(activations, 2);
    EXPECT_EQ(is_suspended(suspended.context), true);
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    /* It has neither run, nor come by the list because of the refusal. */
    EXPECT_EQ(is_terminated(suspended.context), false);
    EXPECT_EQ(is_terminated(worker.context), true);
    EXPECT_EQ(ResumeThread(suspended.thread), 1);
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    bare_delete(&suspended);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
