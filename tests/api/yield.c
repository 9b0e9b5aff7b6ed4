/* SPDX-License-Identifier: MIT
 *
 * yield.c - UmsThreadYield, beside the kit's clauses YD-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "bare.h"
#include "gtest_c.h"

static VOID NTAPI yield_in_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    EXPECT_FAILS(UmsThreadYield(param), ERROR_INVALID_PARAMETER);
}

TEST(Yield, from_a_plain_thread_that_was_a_scheduler_YD_5)
{
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(ums_enter(list, yield_in_proc, NULL));
    EXPECT_FAILS(UmsThreadYield(NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- the worker's stack stays intact while the callback runs ---- */

static struct bare worker;
static int yields;

static VOID NTAPI read_stack(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadYield) {
        volatile int *values = param;
        volatile char scratch[2048]; /* must not be taken from the worker's stack */

        for (size_t i = 0; i < sizeof scratch; i++)
            scratch[i] = (char)i;
        for (int i = 0; i < 256; i++) {
            EXPECT_EQ(values[i], i);
            values[i] = -i;
        }
        yields++;
    }
    if (reason != UmsSchedulerThreadBlocked) {
        bare_execute(reason == UmsSchedulerStartup ? worker.context : (PUMS_CONTEXT)payload);
        FAIL("execute failed: last error %u", (unsigned)GetLastError());
    }
}

static DWORD WINAPI lend_stack(LPVOID param)
{
    volatile int values[256];

    for (int i = 0; i < 256; i++)
        values[i] = i;
    EXPECT_OK(UmsThreadYield((void *)values));
    for (int i = 0; i < 256; i++)
        EXPECT_EQ(values[i], -i);
    return 0;
}

TEST(Yield, parameter_on_the_workers_stack)
{
    PUMS_COMPLETION_LIST list = NULL;

    yields = 0;
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, lend_stack, NULL));
    EXPECT_OK(ums_enter(list, read_stack, NULL));
    EXPECT_EQ(yields, 1);
    EXPECT_EQ(bare_arrival(list), worker.context);
    EXPECT_EQ(is_terminated(worker.context), true);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
