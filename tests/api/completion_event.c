/* SPDX-License-Identifier: MIT
 *
 * completion_event.c - GetUmsCompletionListEvent (EV-*, CL-6).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "stopwatch.h"

enum { WORKERS = 4 };

struct fixture {
    PUMS_COMPLETION_LIST list;
    HANDLE event;
    struct bare workers[WORKERS];
    int created;
};

static bool set_up(struct fixture *fixture)
{
    fixture->created = 0;
    return TC_OK(CreateUmsCompletionList(&fixture->list)) &&
           TC_OK(GetUmsCompletionListEvent(fixture->list, &fixture->event)) &&
           TC_CMP(fixture->event, !=, NULL);
}

static void arrive(struct fixture *fixture)
{
    bare_create(&fixture->workers[fixture->created++], fixture->list, routine_return, NULL, 0);
}

/* Run all workers to the end, also those that the test has dequeued already. */
static void tear_down(struct fixture *fixture, PUMS_CONTEXT *held, int held_count)
{
    if (fixture->created > 0 && !bare_drive(fixture->list, held, held_count, fixture->created))
        return;
    for (int i = 0; i < fixture->created; i++)
        bare_delete(&fixture->workers[i]);
    EXPECT_OK(CloseHandle(fixture->event));
    EXPECT_OK(DeleteUmsCompletionList(fixture->list));
}

TEST(CompletionEvent, starts_unsignalled_CL_6)
{
    struct fixture fixture;

    ASSERT_OK(set_up(&fixture));
    EXPECT_EQ(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    tear_down(&fixture, NULL, 0);
}

TEST(CompletionEvent, signalled_by_an_arrival_EV_1)
{
    struct fixture fixture;

    ASSERT_OK(set_up(&fixture));
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 5000), WAIT_OBJECT_0);
    tear_down(&fixture, NULL, 0);
}

TEST(CompletionEvent, waits_beside_other_objects_EV_1)
{
    struct fixture fixture;
    HANDLE handles[2];

    ASSERT_OK(set_up(&fixture));
    handles[0] = CreateEventA(NULL, FALSE, FALSE, NULL);
    handles[1] = fixture.event;
    EXPECT_EQ(WaitForMultipleObjects(2, handles, FALSE, 0), WAIT_TIMEOUT);
    arrive(&fixture);
    EXPECT_EQ(WaitForMultipleObjects(2, handles, FALSE, 5000), WAIT_OBJECT_0 + 1);
    EXPECT_OK(SetEvent(handles[0]));
    EXPECT_EQ(WaitForMultipleObjects(2, handles, FALSE, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(handles[0]));
    tear_down(&fixture, NULL, 0);
}

TEST(CompletionEvent, every_call_gives_a_handle_of_its_own_EV_2)
{
    struct fixture fixture;
    HANDLE second = NULL;
    PUMS_CONTEXT context;

    ASSERT_OK(set_up(&fixture));
    ASSERT_OK(GetUmsCompletionListEvent(fixture.list, &second));
    EXPECT_NE(second, fixture.event);
    EXPECT_OK(CloseHandle(second));
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 5000), WAIT_OBJECT_0);
    context = bare_arrival(fixture.list);
    EXPECT_EQ(context, fixture.workers[0].context);
    tear_down(&fixture, &context, 1);
}

TEST(CompletionEvent, handles_share_one_event_EV_2)
{
    struct fixture fixture;
    HANDLE second = NULL;

    ASSERT_OK(set_up(&fixture));
    ASSERT_OK(GetUmsCompletionListEvent(fixture.list, &second));
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(second, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(second));
    tear_down(&fixture, NULL, 0);
}

TEST(CompletionEvent, null_arguments_EV_3)
{
    struct fixture fixture;
    HANDLE event = NULL;

    ASSERT_OK(set_up(&fixture));
    EXPECT_FAILS(GetUmsCompletionListEvent(NULL, &event), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetUmsCompletionListEvent(fixture.list, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetUmsCompletionListEvent(NULL, NULL), ERROR_INVALID_PARAMETER);
    tear_down(&fixture, NULL, 0);
}

TEST(CompletionEvent, what_is_no_list)
{
    char on_stack[256] = {0};
    HANDLE event = NULL;

    EXPECT_FAILS(GetUmsCompletionListEvent((void *)1, &event), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetUmsCompletionListEvent(on_stack, &event), ERROR_INVALID_PARAMETER);
}

/* Two arrivals, no dequeue: exactly one satisfied wait. */
TEST(CompletionEvent, only_an_empty_list_signals_EV_4)
{
    struct fixture fixture;

    ASSERT_OK(set_up(&fixture));
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 5000), WAIT_OBJECT_0);
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 100), WAIT_TIMEOUT);
    tear_down(&fixture, NULL, 0);
}

TEST(CompletionEvent, a_wait_consumes_the_signal_not_the_list_EV_5)
{
    struct fixture fixture;
    PUMS_CONTEXT context = NULL;

    ASSERT_OK(set_up(&fixture));
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    EXPECT_OK(DequeueUmsCompletionListItems(fixture.list, 0, &context));
    EXPECT_EQ(context, fixture.workers[0].context);
    tear_down(&fixture, &context, 1);
}

TEST(CompletionEvent, a_dequeue_that_finds_items_leaves_it_signalled_EV_6)
{
    struct fixture fixture;
    PUMS_CONTEXT context = NULL;
    PUMS_CONTEXT more = NULL;
    ULONGLONG deadline = GetTickCount64() + 5000;

    ASSERT_OK(set_up(&fixture));
    arrive(&fixture);
    while (!context && GetTickCount64() < deadline)
        ASSERT_OK(DequeueUmsCompletionListItems(fixture.list, 0, &context));
    EXPECT_EQ(context, fixture.workers[0].context);
    /* The push comes before the signal. */
    EXPECT_EQ(WaitForSingleObject(fixture.event, 1000), WAIT_OBJECT_0);
    EXPECT_OK(DequeueUmsCompletionListItems(fixture.list, 0, &more));
    EXPECT_EQ(more, NULL);
    tear_down(&fixture, &context, 1);
}

TEST(CompletionEvent, signalled_again_after_the_list_was_emptied_EV_4)
{
    struct fixture fixture;
    PUMS_CONTEXT contexts[2];

    ASSERT_OK(set_up(&fixture));
    for (int i = 0; i < 2; i++) {
        arrive(&fixture);
        EXPECT_EQ(WaitForSingleObject(fixture.event, 5000), WAIT_OBJECT_0);
        contexts[i] = bare_arrival(fixture.list);
        EXPECT_EQ(contexts[i], fixture.workers[i].context);
    }
    tear_down(&fixture, contexts, 2);
}

TEST(CompletionEvent, handle_may_be_closed_after_the_list_is_gone_EV_7)
{
    struct fixture fixture;

    ASSERT_OK(set_up(&fixture));
    EXPECT_OK(DeleteUmsCompletionList(fixture.list));
    EXPECT_OK(CloseHandle(fixture.event));
}

TEST(CompletionEvent, set_by_the_program_is_a_spurious_wake_EV_8)
{
    struct fixture fixture;
    PUMS_CONTEXT context = NULL;
    ULONGLONG started;

    ASSERT_OK(set_up(&fixture));
    EXPECT_OK(SetEvent(fixture.event));
    started = stopwatch();
    EXPECT_OK(DequeueUmsCompletionListItems(fixture.list, 100, &context));
    EXPECT_EQ(context, NULL);
    EXPECT_GE(stopwatch() - started, 84); /* DQ-5: one tick less is allowed */
    tear_down(&fixture, NULL, 0);
}

TEST(CompletionEvent, reset_by_the_program_loses_no_items_EV_8)
{
    struct fixture fixture;
    PUMS_CONTEXT context = NULL;

    ASSERT_OK(set_up(&fixture));
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 5000), WAIT_OBJECT_0);
    EXPECT_OK(ResetEvent(fixture.event));
    EXPECT_OK(DequeueUmsCompletionListItems(fixture.list, 0, &context));
    EXPECT_EQ(context, fixture.workers[0].context);
    tear_down(&fixture, &context, 1);
}
