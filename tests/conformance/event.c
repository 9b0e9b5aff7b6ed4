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
    return OK(GetUmsCompletionListEvent(fixture->list, &fixture->event)) &&
           DIFFERENT(fixture->event, NULL);
}

static bool arrive(struct fixture *fixture)
{
    return make_worker(&fixture->workers[fixture->made++], fixture->list, routine_return, NULL, 0);
}

static bool signalled(struct fixture *fixture)
{
    return SAME(WaitForSingleObject(fixture->event, PATIENCE_MS), WAIT_OBJECT_0);
}

static void tear_down(struct fixture *fixture, PUMS_CONTEXT *held, int count)
{
    if (fixture->made > 0)
        REQUIRE(drive(fixture->list, held, count, fixture->made));
    for (int i = 0; i < fixture->made; i++)
        drop_worker(&fixture->workers[i]);
    OK(CloseHandle(fixture->event));
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
    SAME(WaitForMultipleObjects(2, handles, FALSE, 0), WAIT_TIMEOUT);
    arrive(&fixture);
    SAME(WaitForMultipleObjects(2, handles, FALSE, PATIENCE_MS), WAIT_OBJECT_0 + 1);
    OK(SetEvent(handles[0]));
    OK(SetEvent(handles[1]));
    SAME(WaitForMultipleObjects(2, handles, TRUE, PATIENCE_MS), WAIT_OBJECT_0);
    SAME(WaitForSingleObjectEx(fixture.event, 0, TRUE), WAIT_TIMEOUT);
    OK(CloseHandle(handles[0]));
    tear_down(&fixture, NULL, 0);
}

CLAUSE(EV, 2, OBS, "W:getumscompletionlistevent", "Each call gives a handle of its own")
{
    struct fixture fixture;
    HANDLE second = NULL, third = NULL;

    REQUIRE(set_up(&fixture));
    OK(GetUmsCompletionListEvent(fixture.list, &second));
    OK(GetUmsCompletionListEvent(fixture.list, &third));
    DIFFERENT(second, fixture.event);
    DIFFERENT(third, second);
    OK(CloseHandle(second));
    arrive(&fixture);
    SAME(WaitForSingleObject(third, PATIENCE_MS), WAIT_OBJECT_0); /* one event behind them */
    SAME(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    OK(CloseHandle(third));
    REQUIRE(DIFFERENT(fixture.event, NULL));
    tear_down(&fixture, NULL, 0);
}

CLAUSE(EV, 3, OBS, "W:getumscompletionlistevent", "Either argument NULL: 0 and 87")
{
    struct fixture fixture;
    HANDLE event = NULL;

    REQUIRE(set_up(&fixture));
    FAILS(GetUmsCompletionListEvent(NULL, &event), ERROR_INVALID_PARAMETER);
    FAILS(GetUmsCompletionListEvent(fixture.list, NULL), ERROR_INVALID_PARAMETER);
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
    SAME(WaitForSingleObject(fixture.event, 100), WAIT_TIMEOUT);
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
    SAME(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    dequeued(fixture.list, 0, &context);
    SAME(context, fixture.workers[0].context);
    tear_down(&fixture, &context, 1);
}

CLAUSE(EV, 6, OBS, "W:dequeueumscompletionlistitems",
       "A dequeue that finds something leaves the event signalled")
{
    struct fixture fixture;
    ULONGLONG deadline = GetTickCount64() + PATIENCE_MS;
    PUMS_CONTEXT context = NULL;

    REQUIRE(set_up(&fixture));
    arrive(&fixture);
    while (!context && GetTickCount64() < deadline)
        REQUIRE(dequeued(fixture.list, 0, &context));
    SAME(context, fixture.workers[0].context);
    SAME(WaitForSingleObject(fixture.event, 1000), WAIT_OBJECT_0); /* the push comes first */
    CHECK(is_empty(fixture.list, 0));
    tear_down(&fixture, &context, 1);
}

CLAUSE(EV, 7, DOC, "W:deleteumscompletionlist",
       "The handle is good while the list lives, and may be closed after it")
{
    struct fixture fixture;

    REQUIRE(set_up(&fixture));
    SAME(WaitForSingleObject(fixture.event, 0), WAIT_TIMEOUT);
    OK(DeleteUmsCompletionList(fixture.list));
    OK(CloseHandle(fixture.event));
}

CLAUSE(EV, 8, UNS, "W:getumscompletionlistevent",
       "Set by the program it is a spurious wake; reset by it no item is lost")
{
    struct fixture fixture;
    ULONGLONG started;
    PUMS_CONTEXT context = NULL;

    REQUIRE(set_up(&fixture));
    OK(SetEvent(fixture.event));
    started = stopwatch();
    CHECK(is_empty(fixture.list, 100));
    AT_LEAST(stopwatch() - started, 100 - TICK_MS);
    arrive(&fixture);
    REQUIRE(signalled(&fixture));
    OK(ResetEvent(fixture.event));
    dequeued(fixture.list, 0, &context);
    SAME(context, fixture.workers[0].context);
    tear_down(&fixture, &context, 1);
}
