/* SPDX-License-Identifier: MIT
 *
 * lists.c - section 3: completion lists.
 */
#include "rig.h"

CLAUSE(CL, 1, DOC, "W:createumscompletionlist", "Creation succeeds and gives an empty list")
{
    PUMS_COMPLETION_LIST list = NULL, second = NULL;

    EXPECT_OK(CreateUmsCompletionList(&list));
    EXPECT_OK(CreateUmsCompletionList(&second));
    EXPECT_NE(list, NULL);
    EXPECT_NE(second, list);
    EXPECT(is_empty(list, 0));
    drop_list(list);
    drop_list(second);
}

UNTESTED(CL, 2, DOC, "W:createumscompletionlist", "Out of memory: 0 and 8",
         "a program cannot take all memory away without losing what it runs on")

CLAUSE_FAULTS(CL, 3, UNS, "W:createumscompletionlist", "Nowhere to store the list: 0 and 87")
{
    EXPECT_FAILS(CreateUmsCompletionList(NULL), ERROR_INVALID_PARAMETER);
}

/* One list, two schedulers after each other; and one that serves another's list. */
CLAUSE(CL, 4, DOC, "U", "A list is tied to no thread: many may name it, any may dequeue from it")
{
    PUMS_COMPLETION_LIST shared = make_list(), foreign = make_list();
    static struct stage stage;
    struct worker first, second;

    stage = (struct stage){.list = shared, .other = foreign, .ends = 2};
    REQUIRE(make_worker(&first, shared, routine_yield, NULL, 0));
    REQUIRE(make_worker(&second, foreign, routine_yield, NULL, 0));
    REQUIRE(stage_run(&stage));
    EXPECT(is_terminated(first.context));
    EXPECT(is_terminated(second.context));
    drop_worker(&first);
    drop_worker(&second);
    REQUIRE(make_worker(&first, shared, routine_yield, NULL, 0));
    REQUIRE(drive(shared, NULL, 0, 1));
    drop_worker(&first);
    drop_list(shared);
    drop_list(foreign);
}

static DWORD WINAPI yield_and_sleep(LPVOID param)
{
    (void)param;
    for (int i = 0; i < 10; i++)
        EXPECT_OK(UmsThreadYield(NULL));
    Sleep(150); /* under way when the scheduler runs, also beside busy programs */
    return 0;
}

CLAUSE(CL, 5, DOC, "U", "Only new, unblocked and ended workers are queued")
{
    static struct stage stage;
    struct worker worker;

    stage = (struct stage){0};
    REQUIRE(stage_solo(&stage, &worker, yield_and_sleep, NULL));
    EXPECT_EQ(stage.yields, 10);
    /* New, and once for each Blocked: the sleep and the end. */
    EXPECT_EQ(stage.arrived, 1 + stage.blocked);
    EXPECT_GE(stage.blocked, 2);
    drop_worker(&worker);
    drop_list(stage.list);
}

CLAUSE(CL, 6, OBS, "W:getumscompletionlistevent",
       "The event is auto-reset, not signalled at first, and may be set and reset")
{
    PUMS_COMPLETION_LIST list = make_list();
    HANDLE event = NULL;

    EXPECT_OK(GetUmsCompletionListEvent(list, &event));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(event));
    EXPECT_OK(ResetEvent(event));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(event));
    drop_list(list);
}

CLAUSE(DL, 1, DOC, "W:deleteumscompletionlist", "An empty list can be deleted")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    EXPECT_OK(DeleteUmsCompletionList(list));
    list = make_list();
    REQUIRE(make_worker(&worker, list, routine_return, NULL, 0));
    REQUIRE(drive(list, NULL, 0, 1));
    drop_worker(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

CLAUSE(DL, 2, OBS, "W:deleteumscompletionlist", "NULL: 0 and 87")
{
    EXPECT_FAILS(DeleteUmsCompletionList(NULL), ERROR_INVALID_PARAMETER);
}

/* On Windows the worker's memory would dangle from the list: nothing is run afterwards there. */
CLAUSE_FAULTS(DL, 3, UNS, "W:deleteumscompletionlist",
              "A list with something on it is deleted, too, and nothing dangles")
{
    PUMS_COMPLETION_LIST list = make_list(), next = make_list();
    static struct stage stage;
    struct worker worker;
    PUMS_CONTEXT held;
    HANDLE event = NULL;

    REQUIRE(make_worker(&worker, list, routine_yield, NULL, 0));
    held = worker.context;
    EXPECT_OK(GetUmsCompletionListEvent(list, &event));
    EXPECT_EQ(WaitForSingleObject(event, patience_ms()), WAIT_OBJECT_0); /* it has arrived */
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(DeleteUmsCompletionList(list));
    /* The worker is still there: its end goes to a list that nobody can read any more. */
    EXPECT(!is_terminated(held));
    stage = (struct stage){.list = next, .ends = 0};
    stage_ready(&stage, held);
    REQUIRE(stage_run(&stage));
    drop_worker(&worker);
    drop_list(next);
}

UNTESTED(DL, 4, DOC, "W:deleteumscompletionlist", "The caller sees to it that nobody uses the list",
         "a duty of the program; what happens otherwise is DL-3")
