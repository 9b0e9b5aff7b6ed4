/* SPDX-License-Identifier: MIT
 *
 * thread_context.c - CreateUmsThreadContext and DeleteUmsThreadContext (TC-*, DT-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdlib.h>

TEST(ThreadContext, fresh_TC_1_TC_2)
{
    PUMS_CONTEXT context = NULL;
    PVOID value = &context;

    ASSERT_OK(CreateUmsThreadContext(&context));
    ASSERT_NE(context, NULL);
    EXPECT_EQ(is_terminated(context), true);
    EXPECT_EQ(is_suspended(context), false);
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &value, 8, NULL));
    EXPECT_EQ(value, NULL);
    value = &context;
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadTeb, &value, 8, NULL));
    EXPECT_EQ(value, NULL);
    EXPECT_OK(DeleteUmsThreadContext(context)); /* TC-3 */
}

TEST(ThreadContext, create_with_null_TC_7)
{
    EXPECT_FAILS(CreateUmsThreadContext(NULL), ERROR_INVALID_PARAMETER);
}

TEST(ThreadContext, ten_thousand)
{
    enum { CONTEXTS = 10000 };
    static PUMS_CONTEXT contexts[CONTEXTS];

    for (int i = 0; i < CONTEXTS; i++)
        ASSERT_OK(CreateUmsThreadContext(&contexts[i]));
    for (int i = 0; i < CONTEXTS; i++)
        ASSERT_OK(DeleteUmsThreadContext(contexts[i]));
}

TEST(ThreadContext, user_context_survives_creation_TC_4)
{
    PUMS_COMPLETION_LIST list = NULL;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    PUMS_CONTEXT context = NULL;
    PVOID value = &list;
    HANDLE thread;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(CreateUmsThreadContext(&context));
    ASSERT_OK(SetUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value));
    ums.UmsContext = context;
    ums.UmsCompletionList = list;
    thread = ums_thread(&ums, routine_return, NULL, 0, NULL);
    ASSERT_NE(thread, NULL);
    value = NULL;
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &value, 8, NULL));
    EXPECT_EQ(value, &list);
    EXPECT_EQ(is_terminated(context), false);
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    EXPECT_OK(DeleteUmsThreadContext(context));
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(ThreadContext, used_for_a_second_thread_TC_6)
{
    PUMS_COMPLETION_LIST list = NULL;
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, NULL};
    PUMS_CONTEXT context = NULL;
    PVOID value = &list;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(CreateUmsThreadContext(&context));
    ASSERT_OK(SetUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value));
    ums.UmsContext = context;
    ums.UmsCompletionList = list;
    for (int i = 0; i < 3; i++) {
        HANDLE thread = ums_thread(&ums, routine_return, (void *)(ULONG_PTR)(40 + i), 0, NULL);
        DWORD code = 0;

        ASSERT_NE(thread, NULL);
        ASSERT_OK(bare_drive(list, NULL, 0, 1));
        EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
        EXPECT_OK(GetExitCodeThread(thread, &code));
        EXPECT_EQ(code, 40 + i);
        EXPECT_OK(CloseHandle(thread));
    }
    value = NULL;
    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &value, 8, NULL));
    EXPECT_EQ(value, &list);
    EXPECT_OK(DeleteUmsThreadContext(context));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(ThreadContext, delete_null_DT_3)
{
    EXPECT_FAILS(DeleteUmsThreadContext(NULL), ERROR_INVALID_PARAMETER);
}

TEST(ThreadContext, delete_while_alive_DT_2)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare worker;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, routine_return, NULL));
    EXPECT_FAILS(DeleteUmsThreadContext(worker.context), ERROR_INVALID_PARAMETER);
    ASSERT_OK(bare_drive(list, &worker.context, 1, 1)); /* it stays usable */
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void delete_own_context(struct worker *self)
{
    EXPECT_FAILS(DeleteUmsThreadContext(self->context), ERROR_INVALID_PARAMETER);
}

TEST(ThreadContext, delete_while_running_DT_2)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, delete_own_context, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

TEST(ThreadContext, delete_leaves_the_thread_handle_DT_4)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare worker;
    DWORD code = 0;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create(&worker, list, routine_return, (void *)77, 0));
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    EXPECT_OK(DeleteUmsThreadContext(worker.context));
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, 77);
    EXPECT_OK(CloseHandle(worker.thread));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(ThreadContext, delete_after_the_handle_was_closed_DT_4)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare worker;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create(&worker, list, routine_return, NULL, 0));
    EXPECT_OK(CloseHandle(worker.thread));
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    EXPECT_OK(DeleteUmsThreadContext(worker.context));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(ThreadContext, delete_twice_DT_6)
{
    PUMS_CONTEXT context = NULL;

    ASSERT_OK(CreateUmsThreadContext(&context));
    EXPECT_OK(DeleteUmsThreadContext(context));
    EXPECT_FAILS(DeleteUmsThreadContext(context), ERROR_INVALID_PARAMETER);
}

TEST(ThreadContext, delete_what_is_no_context_DT_6)
{
    PUMS_COMPLETION_LIST list = NULL;
    char on_stack[256] = {0};
    char *on_heap = calloc(1, 256);

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_FAILS(DeleteUmsThreadContext((void *)1), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsThreadContext((void *)~(uintptr_t)7), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsThreadContext(on_stack), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsThreadContext(on_heap), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsThreadContext(list), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsCompletionList(list));
    free(on_heap);
}

/* ---- DT-5: terminated, not yet taken off the list ---- */

enum { PAIR = 2 };
static struct bare pair[PAIR];
static int next_of_pair;

/* Runs both to the end and leaves without a dequeue. */
static VOID NTAPI end_both(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    if (reason != UmsSchedulerThreadYield && next_of_pair < PAIR) {
        DWORD error = bare_execute(pair[next_of_pair++].context);

        FAIL("execute: last error %u", (unsigned)error);
    }
}

static bool two_ended(PUMS_COMPLETION_LIST *list)
{
    PUMS_CONTEXT seen[PAIR];
    ULONGLONG deadline = GetTickCount64() + 5000;

    next_of_pair = 0;
    if (!TC_OK(CreateUmsCompletionList(list)))
        return false;
    for (int i = 0; i < PAIR; i++)
        if (!bare_create(&pair[i], *list, routine_return, NULL, 0))
            return false;
    if (!bare_arrivals(*list, seen, PAIR) || !TC_OK(bare_enter(*list, end_both, NULL)))
        return false;
    for (int i = 0; i < PAIR; i++) {
        if (!TC_CMP(WaitForSingleObject(pair[i].thread, 5000), ==, WAIT_OBJECT_0))
            return false;
        while (!is_terminated(pair[i].context)) {
            if (GetTickCount64() > deadline)
                return tc_fail(TC_HERE, "worker %d does not read terminated", i);
            SwitchToThread();
        }
    }
    return true;
}

TEST(ThreadContext, delete_before_it_was_dequeued_DT_5)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT context = NULL;

    ASSERT_OK(two_ended(&list));
    bare_delete(&pair[0]);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 100, &context));
    EXPECT_EQ(context, pair[1].context);
    if (context)
        EXPECT_EQ(GetNextUmsListItem(context), NULL);
    bare_delete(&pair[1]);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* The chain was taken; its first member is asked for the next one after that was deleted. */
TEST(ThreadContext, delete_inside_a_chain_DT_5)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT first = NULL;
    int second;

    ASSERT_OK(two_ended(&list));
    EXPECT_OK(DequeueUmsCompletionListItems(list, 100, &first));
    ASSERT_NE(first, NULL);
    second = first == pair[0].context ? 1 : 0;
    bare_delete(&pair[second]);
    EXPECT_EQ(GetNextUmsListItem(first), NULL);
    bare_delete(&pair[1 - second]);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(ThreadContext, end_is_queued_once_LF_2)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT seen[PAIR];
    PUMS_CONTEXT more = NULL;

    ASSERT_OK(two_ended(&list));
    ASSERT_OK(bare_arrivals(list, seen, PAIR));
    EXPECT_OK(DequeueUmsCompletionListItems(list, 50, &more));
    EXPECT_EQ(more, NULL);
    for (int i = 0; i < PAIR; i++)
        bare_delete(&pair[i]);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* A list on which there is nothing but deleted contexts is empty: a dequeue waits as long as it is
 * told to. */
TEST(ThreadContext, a_deleted_one_is_no_arrival_DQ_4)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT context = NULL;
    struct bare late;
    ULONGLONG begin;

    ASSERT_OK(two_ended(&list));
    bare_delete(&pair[0]);
    bare_delete(&pair[1]);
    begin = GetTickCount64();
    EXPECT_OK(bare_dequeue(list, 60, &context));
    EXPECT_EQ(context, NULL);
    EXPECT_GE(GetTickCount64() - begin, 40); /* a tick may be missing */
    EXPECT_OK(DeleteUmsCompletionList(list));

    ASSERT_OK(two_ended(&list));
    bare_delete(&pair[0]);
    bare_delete(&pair[1]);
    ASSERT_OK(bare_create(&late, list, routine_return, NULL, 0)); /* it arrives sooner or later */
    EXPECT_OK(DequeueUmsCompletionListItems(list, INFINITE, &context));
    EXPECT_EQ(context, late.context);
    EXPECT_OK(bare_drive(list, &context, 1, 1));
    bare_delete(&late);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
