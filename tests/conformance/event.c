/* SPDX-License-Identifier: MIT
 *
 * event.c - section 3: the event of a completion list.
 */
#include "rig.h"
#include "stopwatch.h"

enum { MOST = 4 };

struct fixture {
    PUMS_COMPLETION_LIST list;
    HANDLE event;
    struct worker workers[MOST];
    int made;
};

static bool set_up(struct fixture *fixture)
{
    fixture->made = 0;
    fixture->event = NULL;
    fixture->list = make_list();
    return EXPECT_OK(GetUmsCompletionListEvent(fixture->list, &fixture->event)) &&
           EXPECT_NE(fixture->event, NULL);
}

static bool arrive(struct fixture *fixture)
{
    return make_worker(&fixture->workers[fixture->made++], fixture->list, routine_return, NULL, 0);
}

static bool signalled(struct fixture *fixture)
{
    return EXPECT_EQ(WaitForSingleObject(fixture->event, patience_ms()), WAIT_OBJECT_0);
}

static void tear_down(struct fixture *fixture, PUMS_CONTEXT *held, int count)
{
    if (fixture->made > 0)
        REQUIRE(drive(fixture->list, held, count, fixture->made));
    for (int i = 0; i < fixture->made; i++)
        drop_worker(&fixture->workers[i]);
    EXPECT_OK(CloseHandle(fixture->event));
    drop_list(fixture->list);
}

CLAUSE(EV, 1, DOC, "W:getumscompletionlistevent",
       "The handle works in every wait, alone and beside others")
{
    struct fixture fixture;
    HANDLE handles[2];

    REQUIRE(set_up(&fixture));
    handles[0] = make_event(false);
    handles[1] = fixture.event;
    EXPECT_EQ(WaitForMultipleObjects(2, handles, FALSE, 0), WAIT_TIMEOUT);
    arrive(&fixture);
    EXPECT_EQ(WaitForMultipleObjects(2, handles, FALSE, patience_ms()), WAIT_OBJECT_0 + 1);
    EXPECT_OK(SetEvent(handles[0]));
    EXPECT_OK(SetEvent(handles[1]));
    EXPECT_EQ(WaitForMultipleObjects(2, handles, TRUE, patience_ms()), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObjectEx(fixture.event, 0, TRUE), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(handles[0]));
    tear_down(&fixture, NULL, 0);
}

CLAUSE(EV, 2, OBS, "W:getumscompletionlistevent", "Each call gives a handle of its own")
{
    struct fixture fixture;
    HANDLE second = NULL, third = NULL;

    REQUIRE(set_up(&fixture));
    EXPECT_OK(GetUmsCompletionListEvent(fixture.list, &second));
    EXPECT_OK(GetUmsCompletionListEvent(fixture.list, &third));
    EXPECT_NE(second, fixture.event);
    EXPECT_NE(third, second);
    EXPECT_OK(CloseHandle(second));
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(third, patience_ms()), WAIT_OBJECT_0); /* one event behind them */
    EXPECT_EQ(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(third));
    ASSERT_NE(fixture.event, NULL);
    tear_down(&fixture, NULL, 0);
}

CLAUSE(EV, 3, OBS, "W:getumscompletionlistevent", "Either argument NULL: 0 and 87")
{
    struct fixture fixture;
    HANDLE event = NULL;

    REQUIRE(set_up(&fixture));
    EXPECT_FAILS(GetUmsCompletionListEvent(NULL, &event), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetUmsCompletionListEvent(fixture.list, NULL), ERROR_INVALID_PARAMETER);
    tear_down(&fixture, NULL, 0);
}

CLAUSE(EV, 4, DOC, "W:getumscompletionlistevent", "Signalled by an arrival on an empty list only")
{
    struct fixture fixture;
    PUMS_CONTEXT held[2];

    REQUIRE(set_up(&fixture));
    arrive(&fixture);
    REQUIRE(signalled(&fixture));
    arrive(&fixture);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 100), WAIT_TIMEOUT);
    REQUIRE(arrivals(fixture.list, held, 2));
    arrive(&fixture);
    signalled(&fixture); /* empty again, so once more */
    tear_down(&fixture, held, 2);
}

CLAUSE(EV, 5, OBS, "W:getumscompletionlistevent", "A wait takes the signal and leaves the list")
{
    struct fixture fixture;
    PUMS_CONTEXT context = NULL;

    REQUIRE(set_up(&fixture));
    arrive(&fixture);
    REQUIRE(signalled(&fixture));
    EXPECT_EQ(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    dequeued(fixture.list, 0, &context);
    EXPECT_EQ(context, fixture.workers[0].context);
    tear_down(&fixture, &context, 1);
}

CLAUSE(EV, 6, OBS, "W:dequeueumscompletionlistitems",
       "A dequeue that finds something leaves the event signalled")
{
    struct fixture fixture;
    ULONGLONG deadline = GetTickCount64() + patience_ms();
    PUMS_CONTEXT context = NULL;

    REQUIRE(set_up(&fixture));
    arrive(&fixture);
    while (!context && GetTickCount64() < deadline)
        REQUIRE(dequeued(fixture.list, 0, &context));
    EXPECT_EQ(context, fixture.workers[0].context);
    EXPECT_EQ(WaitForSingleObject(fixture.event, 1000), WAIT_OBJECT_0); /* the push comes first */
    EXPECT(is_empty(fixture.list, 0));
    tear_down(&fixture, &context, 1);
}

CLAUSE(EV, 7, DOC, "W:deleteumscompletionlist",
       "The handle is good while the list lives, and may be closed after it")
{
    struct fixture fixture;

    REQUIRE(set_up(&fixture));
    EXPECT_EQ(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    EXPECT_OK(DeleteUmsCompletionList(fixture.list));
    EXPECT_OK(CloseHandle(fixture.event));
}

CLAUSE(EV, 8, UNS, "W:getumscompletionlistevent",
       "Set by the program it is a spurious wake; reset by it no item is lost")
{
    struct fixture fixture;
    ULONGLONG started;
    PUMS_CONTEXT context = NULL;

    REQUIRE(set_up(&fixture));
    EXPECT_OK(SetEvent(fixture.event));
    started = stopwatch();
    EXPECT(is_empty(fixture.list, 100));
    EXPECT_GE(stopwatch() - started, 100 - TICK_MS);
    arrive(&fixture);
    REQUIRE(signalled(&fixture));
    EXPECT_OK(ResetEvent(fixture.event));
    dequeued(fixture.list, 0, &context);
    EXPECT_EQ(context, fixture.workers[0].context);
    tear_down(&fixture, &context, 1);
}
