/* SPDX-License-Identifier: MIT
 *
 * enter.c - EnterUmsSchedulingMode, beside the kit's clauses ES-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "bare.h"
#include "gtest_c.h"

static VOID NTAPI return_at_once(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    ++*(int *)param;
}

TEST(Enter, what_is_no_list)
{
    char on_stack[256] = {0};
    PUMS_COMPLETION_LIST list = NULL;
    int calls = 0;

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_FAILS(ums_enter((void *)1, return_at_once, &calls), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ums_enter(on_stack, return_at_once, &calls), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_FAILS(ums_enter(list, return_at_once, &calls), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(calls, 0);
}

TEST(Enter, ten_thousand_times)
{
    PUMS_COMPLETION_LIST list = NULL;
    int calls = 0;

    ASSERT_OK(CreateUmsCompletionList(&list));
    for (int i = 0; i < 10000; i++)
        ASSERT_OK(ums_enter(list, return_at_once, &calls));
    EXPECT_EQ(calls, 10000);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
