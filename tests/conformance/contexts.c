/* SPDX-License-Identifier: MIT
 *
 * contexts.c - section 5: thread contexts.
 */
#include "rig.h"

#include <string.h>

#define CREATE_PAGE "W:createumsthreadcontext"
#define DELETE_PAGE "W:deleteumsthreadcontext"

static PVOID user_context(PUMS_CONTEXT context)
{
    PVOID value = &value;

    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value, NULL));
    return value;
}

static void set_user_context(PUMS_CONTEXT context, PVOID value)
{
    EXPECT_OK(SetUmsThreadInformation(context, UmsThreadUserContext, &value, sizeof value));
}

CLAUSE(TC, 1, DOC, CREATE_PAGE, "Creation succeeds and gives a context")
{
    PUMS_CONTEXT context = NULL, second = NULL;

    EXPECT_OK(CreateUmsThreadContext(&context));
    EXPECT_OK(CreateUmsThreadContext(&second));
    EXPECT_NE(context, NULL);
    EXPECT_NE(second, context);
    EXPECT_OK(DeleteUmsThreadContext(context));
    EXPECT_OK(DeleteUmsThreadContext(second));
}

CLAUSE(TC, 2, OBS, CREATE_PAGE,
       "A fresh context reads terminated, not suspended, no user context, no TEB")
{
    PUMS_CONTEXT context = make_context();

    EXPECT_EQ(is_terminated(context), true);
    EXPECT_EQ(is_suspended(context), false);
    EXPECT_EQ(user_context(context), NULL);
    EXPECT_EQ(teb_of(context), NULL);
    EXPECT_OK(DeleteUmsThreadContext(context));
}

CLAUSE(TC, 3, OBS, DELETE_PAGE, "A context that was never used can be deleted")
{
    EXPECT_OK(DeleteUmsThreadContext(make_context()));
}

CLAUSE(TC, 4, OBS, CREATE_PAGE, "A user context set before the thread is made is kept")
{
    PUMS_COMPLETION_LIST list = make_list();
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, make_context(), list};
    struct worker worker = {.list = list, .context = ums.UmsContext};

    set_user_context(worker.context, &worker);
    worker.thread = ums_thread(&ums, routine_return, NULL, 0, NULL);
    ASSERT_OK(worker.thread != NULL);
    EXPECT_EQ(user_context(worker.context), &worker);
    EXPECT_EQ(is_terminated(worker.context), false);
    REQUIRE(drive(list, NULL, 0, 1));
    EXPECT_EQ(user_context(worker.context), &worker);
    drop_worker(&worker);
    drop_list(list);
}

static void try_argument(struct stage *stage, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerStartup)
        EXPECT_FAILS(ExecuteUmsThread(stage->argument), ERROR_INVALID_PARAMETER);
}

CLAUSE(TC, 5, OBS, "W:executeumsthread", "Executing a context without a thread: 0 and 87")
{
    static struct stage stage;
    PUMS_CONTEXT empty = make_context();

    stage = (struct stage){.list = make_list(), .hook = try_argument, .argument = empty};
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.entries, 1);
    EXPECT_OK(DeleteUmsThreadContext(empty));
    drop_list(stage.list);
}

CLAUSE(TC, 6, UNS, CREATE_PAGE, "A terminated context, off every list, may serve a second thread")
{
    PUMS_COMPLETION_LIST list = make_list();
    UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, NULL, list};
    struct worker worker;
    HANDLE second;

    REQUIRE(make_worker(&worker, list, routine_return, NULL, 0));
    set_user_context(worker.context, &worker);
    REQUIRE(drive(list, NULL, 0, 1));
    EXPECT_EQ(WaitForSingleObject(worker.thread, patience_ms()), WAIT_OBJECT_0);
    ums.UmsContext = worker.context;
    second = ums_thread(&ums, routine_yield, NULL, 0, NULL);
    ASSERT_OK(second != NULL);
    EXPECT_OK(CloseHandle(worker.thread));
    worker.thread = second;
    EXPECT_EQ(user_context(worker.context), &worker);
    REQUIRE(drive(list, NULL, 0, 1));
    drop_worker(&worker);
    drop_list(list);
}

CLAUSE_FAULTS(TC, 7, UNS, CREATE_PAGE, "Nowhere to store the context: 0 and 87")
{
    EXPECT_FAILS(CreateUmsThreadContext(NULL), ERROR_INVALID_PARAMETER);
}

CLAUSE(DT, 1, DOC, DELETE_PAGE,
       "The context of an ended thread can be deleted, and again and again")
{
    PUMS_COMPLETION_LIST list = make_list();

    for (int i = 0; i < 20; i++) {
        struct worker worker;

        REQUIRE(make_worker(&worker, list, routine_return, NULL, 0));
        REQUIRE(drive(list, NULL, 0, 1));
        drop_worker(&worker);
    }
    drop_list(list);
}

CLAUSE(DT, 2, DOC, DELETE_PAGE,
       "The context of a live thread cannot: 0 and 87, and it stays usable")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    REQUIRE(make_arrived(&worker, list, routine_return, NULL));
    EXPECT_FAILS(DeleteUmsThreadContext(worker.context), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(is_terminated(worker.context), false);
    REQUIRE(drive(list, &worker.context, 1, 1));
    drop_worker(&worker);
    drop_list(list);
}

CLAUSE(DT, 3, OBS, DELETE_PAGE, "NULL: 0 and 87")
{
    EXPECT_FAILS(DeleteUmsThreadContext(NULL), ERROR_INVALID_PARAMETER);
}

static DWORD WINAPI delete_it(LPVOID context)
{
    EXPECT_OK(DeleteUmsThreadContext(context));
    return 0;
}

CLAUSE(DT, 4, OBS, DELETE_PAGE, "Deleting leaves the thread's handle alone, on any thread")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;
    HANDLE thread;
    DWORD code = 0;

    REQUIRE(make_worker(&worker, list, routine_return, (void *)77, 0));
    REQUIRE(drive(list, NULL, 0, 1));
    thread = CreateThread(NULL, 0, delete_it, worker.context, 0, NULL);
    EXPECT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_EQ(WaitForSingleObject(worker.thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, 77);
    EXPECT_OK(CloseHandle(worker.thread));
    drop_list(list);
}

static void leave_when_blocked(struct stage *stage, const struct entry *entry)
{
    stage->leave = entry->reason == UmsSchedulerThreadBlocked;
}

/* Its end is left on the list, beside a live worker. */
CLAUSE_FAULTS(DT, 5, UNS, DELETE_PAGE,
              "An ended context that nobody dequeued can be deleted, and leaves the list whole")
{
    enum { FRESH = 8 };
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT fresh[FRESH];
    static struct stage stage;
    struct worker worker, other;

    REQUIRE(make_arrived(&worker, list, routine_return, NULL));
    stage = (struct stage){.list = list, .hook = leave_when_blocked};
    stage_ready(&stage, worker.context);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(WaitForSingleObject(worker.thread, patience_ms()), WAIT_OBJECT_0);
    ASSERT_EQ(is_terminated(worker.context), true);
    REQUIRE(make_worker(&other, list, routine_return, NULL, 0));
    for (int i = 0; i < FRESH; i++)
        fresh[i] = make_context();
    drop_worker(&worker);
    for (int i = 0; i < FRESH; i++) /* its memory is not to be mixed up with theirs */
        EXPECT_OK(DeleteUmsThreadContext(fresh[i]));
    for (int i = 0; i < FRESH; i++) /* none of them is the one that is on the list still */
        fresh[i] = make_context();
    EXPECT_EQ(arrival(list), other.context);
    EXPECT(is_empty(list, 0));
    for (int i = 0; i < FRESH; i++)
        EXPECT_OK(DeleteUmsThreadContext(fresh[i]));
    for (int i = 0; i < FRESH; i++) { /* what was freed is there once */
        fresh[i] = make_context();
        for (int j = 0; j < i; j++)
            EXPECT_NE(fresh[i], fresh[j]);
        EXPECT_NE(fresh[i], other.context);
    }
    for (int i = 0; i < FRESH; i++)
        EXPECT_OK(DeleteUmsThreadContext(fresh[i]));
    REQUIRE(drive(list, &other.context, 1, 1));
    drop_worker(&other);
    drop_list(list);
}

CLAUSE_FAULTS(DT, 6, UNS, DELETE_PAGE, "Deleted twice, or no context at all: 0 and 87")
{
    PUMS_CONTEXT context = make_context();
    char nothing[256];

    memset(nothing, 0, sizeof nothing);
    EXPECT_OK(DeleteUmsThreadContext(context));
    EXPECT_FAILS(DeleteUmsThreadContext(context), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteUmsThreadContext(nothing), ERROR_INVALID_PARAMETER);
}
