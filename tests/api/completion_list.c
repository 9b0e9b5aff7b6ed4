/* SPDX-License-Identifier: MIT
 *
 * completion_list.c - CreateUmsCompletionList and DeleteUmsCompletionList (CL-*, DL-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdlib.h>

TEST(CompletionList, create_gives_an_empty_list_CL_1)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT first = &list;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_NE(list, NULL);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 0, &first));
    EXPECT_EQ(first, NULL);
    EXPECT_OK(DeleteUmsCompletionList(list)); /* DL-1 */
}

TEST(CompletionList, create_with_null_CL_3)
{
    EXPECT_FAILS(CreateUmsCompletionList(NULL), ERROR_INVALID_PARAMETER);
}

TEST(CompletionList, two_lists_are_two_CL_1)
{
    PUMS_COMPLETION_LIST a = NULL;
    PUMS_COMPLETION_LIST b = NULL;
    struct bare worker;

    ASSERT_OK(CreateUmsCompletionList(&a));
    ASSERT_OK(CreateUmsCompletionList(&b));
    EXPECT_NE(a, b);
    ASSERT_OK(bare_create_arrived(&worker, a, routine_return, NULL));
    for (int i = 0; i < 2; i++) {
        PUMS_CONTEXT first = &a;

        EXPECT_OK(DequeueUmsCompletionListItems(i ? a : b, 0, &first));
        EXPECT_EQ(first, NULL);
    }
    ASSERT_OK(bare_drive(a, &worker.context, 1, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(a));
    EXPECT_OK(DeleteUmsCompletionList(b));
}

TEST(CompletionList, ten_thousand_lists)
{
    enum { LISTS = 10000 };
    static PUMS_COMPLETION_LIST lists[LISTS];

    for (int i = 0; i < LISTS; i++)
        ASSERT_OK(CreateUmsCompletionList(&lists[i]));
    for (int i = 0; i < LISTS; i++)
        ASSERT_OK(DeleteUmsCompletionList(lists[i]));
}

TEST(CompletionList, delete_null_DL_2)
{
    EXPECT_FAILS(DeleteUmsCompletionList(NULL), ERROR_INVALID_PARAMETER);
}

TEST(CompletionList, delete_what_is_no_list)
{
    PUMS_CONTEXT context = NULL;
    char on_stack[256] = {0};
    char *on_heap = calloc(1, 256);

    ASSERT_OK(CreateUmsThreadContext(&context));
    EXPECT_FAILS(DeleteUmsCompletionList((void *)1), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsCompletionList((void *)~(uintptr_t)7), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsCompletionList(on_stack), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsCompletionList(on_heap), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsCompletionList(context), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(context));
    free(on_heap);
}

TEST(CompletionList, delete_twice)
{
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_FAILS(DeleteUmsCompletionList(list), ERROR_INVALID_PARAMETER);
}

TEST(CompletionList, use_after_delete)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT first = NULL;
    HANDLE event = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_FAILS(DequeueUmsCompletionListItems(list, 0, &first), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetUmsCompletionListEvent(list, &event), ERROR_INVALID_PARAMETER);
}

/* DL-3 asks for no crash, and that the worker does not dangle. */
TEST(CompletionList, delete_while_not_empty_DL_3)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare worker;
    HANDLE event = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(GetUmsCompletionListEvent(list, &event));
    ASSERT_OK(bare_create(&worker, list, routine_return, NULL, 0));
    ASSERT_EQ(WaitForSingleObject(event, 5000), WAIT_OBJECT_0);
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_EQ(is_terminated(worker.context), false);
    EXPECT_FAILS(DeleteUmsThreadContext(worker.context), ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(worker.thread));
}

/* CL-4, DL-4: a scheduler's own list may be deleted once it has left. */
TEST(CompletionList, delete_after_schedulers_have_left)
{
    struct fleet *fleet = fleet_create(2, 1, 0);

    ASSERT_NE(fleet, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}
