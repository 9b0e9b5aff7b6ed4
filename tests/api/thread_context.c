/* SPDX-License-Identifier: MIT
 *
 * thread_context.c - contexts of workers, beside the kit's clauses TC-* and DT-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "stopwatch.h"

#include <stdlib.h>

TEST(ThreadContext, ten_thousand)
{
    enum { CONTEXTS = 10000 };
    static PUMS_CONTEXT contexts[CONTEXTS];

    for (int i = 0; i < CONTEXTS; i++)
        ASSERT_OK(CreateUmsThreadContext(&contexts[i]));
    for (int i = 0; i < CONTEXTS; i++)
        ASSERT_OK(DeleteUmsThreadContext(contexts[i]));
}

static void delete_own_context(struct worker *self)
{
    EXPECT_FAILS(DeleteUmsThreadContext(self->context), ERROR_INVALID_PARAMETER);
}

TEST(ThreadContext, delete_while_running_DT_2)
{
    FLEET_RUN(1, 0, {1, delete_own_context, NULL});
}

static VOID NTAPI delete_in_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    EXPECT_FAILS(DeleteUmsThreadContext(GetCurrentUmsThread()), ERROR_INVALID_PARAMETER);
}

TEST(ThreadContext, delete_a_schedulers_own_DT_2)
{
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(ums_enter(list, delete_in_proc, NULL));
    EXPECT_OK(DeleteUmsCompletionList(list));
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
    if (!EXPECT_OK(CreateUmsCompletionList(list)))
        return false;
    for (int i = 0; i < PAIR; i++)
        if (!bare_create(&pair[i], *list, routine_return, NULL, 0))
            return false;
    if (!bare_arrivals(*list, seen, PAIR) || !EXPECT_OK(ums_enter(*list, end_both, NULL)))
        return false;
    for (int i = 0; i < PAIR; i++) {
        if (!EXPECT_EQ(WaitForSingleObject(pair[i].thread, 5000), WAIT_OBJECT_0))
            return false;
        while (!is_terminated(pair[i].context)) {
            if (GetTickCount64() > deadline)
                return FAIL("worker %d does not read terminated", i);
            SwitchToThread();
        }
    }
    return true;
}

/* A chain was dequeued, and its second member deleted. The first member has no next one then. */
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
    begin = stopwatch();
    EXPECT_OK(bare_dequeue(list, 60, &context));
    EXPECT_EQ(context, NULL);
    EXPECT_GE(stopwatch() - begin, 40); /* a tick may be missing */
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
