/* SPDX-License-Identifier: MIT
 *
 * arrival.c - on which completion list a worker arrives: the first time on that of its creation, then on
 * that of the scheduler that executed it last (BL-4, EX-13, LF-1, SU-3); with UMSSHIM_STRICT=1 always on
 * that of its creation. All tests run in both modes.
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdlib.h>
#include <string.h>

enum { LISTS = 3 };
static PUMS_COMPLETION_LIST lists[LISTS]; /* workers are created with the first */
#define CREATION lists[0]
#define NEAR_LIST lists[1]
#define FAR_LIST lists[2]
static HANDLE event; /* what workers wait for */
static int running;  /* compute: it does */
static int stop;     /* and is to end */

static bool strict(void)
{
    const char *value = getenv("UMSSHIM_STRICT");

    return value && !strcmp(value, "1");
}

static void open_lists(void)
{
    for (int i = 0; i < LISTS; i++)
        ASSERT_OK(CreateUmsCompletionList(&lists[i]));
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_NE(event, NULL);
    flag_set(&running, 0);
    flag_set(&stop, 0);
}

/* Nothing was left on them. */
static void close_lists(void)
{
    for (int i = 0; i < LISTS; i++) {
        PUMS_CONTEXT first = NULL;

        if (lists[i]) {
            EXPECT_OK(DequeueUmsCompletionListItems(lists[i], 0, &first));
            EXPECT_EQ(first, NULL);
            EXPECT_OK(DeleteUmsCompletionList(lists[i]));
            lists[i] = NULL;
        }
    }
    EXPECT_OK(CloseHandle(event));
}

static void delete_list(PUMS_COMPLETION_LIST *list)
{
    EXPECT_OK(DeleteUmsCompletionList(*list));
    *list = NULL;
}

/* It arrives on the list that the rule says, on no other, and once. */
static void expect_arrival(PUMS_CONTEXT context, PUMS_COMPLETION_LIST last)
{
    PUMS_COMPLETION_LIST where = strict() ? CREATION : last;

    EXPECT_EQ(bare_arrival(where), context);
    for (int i = 0; i < LISTS; i++) {
        PUMS_CONTEXT first = NULL;

        if (lists[i]) {
            EXPECT_OK(DequeueUmsCompletionListItems(lists[i], 0, &first));
            EXPECT_EQ(first, NULL);
        }
    }
}

static void expect_no_arrival(void)
{
    for (int i = 0; i < LISTS; i++) {
        PUMS_CONTEXT first = NULL;

        if (lists[i]) {
            EXPECT_OK(DequeueUmsCompletionListItems(lists[i], 30, &first));
            EXPECT_EQ(first, NULL);
        }
    }
}

/* ---- a scheduler that executes one worker and leaves when that has left it ---- */

struct once {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT context;
    UMS_SCHEDULER_REASON reason; /* how the worker left */
};
static __thread struct once *once;

static VOID NTAPI once_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    if (reason == UmsSchedulerStartup)
        EXPECT_EQ(bare_execute(once->context), 0); /* comes back only on failure */
    once->reason = reason;
}

static DWORD WINAPI run_once(LPVOID param)
{
    once = param;
    EXPECT_OK(bare_enter(once->list, once_proc, NULL));
    return 0;
}

static void execute_on(PUMS_COMPLETION_LIST list, PUMS_CONTEXT context, UMS_SCHEDULER_REASON leaves)
{
    struct once run = {list, context, UmsSchedulerStartup};

    run_once(&run);
    EXPECT_EQ(run.reason, leaves);
}

#define BLOCKS UmsSchedulerThreadBlocked
#define YIELDS UmsSchedulerThreadYield

/* ---- workers ---- */

static DWORD WINAPI wait_often(LPVOID times)
{
    for (ULONG_PTR i = 0; i < (ULONG_PTR)times; i++)
        EXPECT_EQ(WaitForSingleObject(event, 10000), WAIT_OBJECT_0);
    return 0;
}

static DWORD WINAPI wait_yield_wait(LPVOID param)
{
    wait_often((LPVOID)1);
    EXPECT_OK(UmsThreadYield(param));
    return wait_often((LPVOID)1);
}

static DWORD WINAPI exit_thread(LPVOID code)
{
    ExitThread((DWORD)(ULONG_PTR)code);
}

static DWORD WINAPI compute(LPVOID param)
{
    (void)param;
    flag_set(&running, 1);
    while (!flag_get(&stop))
        YieldProcessor();
    return 0;
}

/* ---- unblocking ---- */

TEST(Arrival, unblocked_on_the_list_of_each_scheduler_in_turn_BL_4)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_often, (LPVOID)3));
    for (int i = 0; i < 3; i++) {
        PUMS_COMPLETION_LIST list = i == 1 ? FAR_LIST : NEAR_LIST;

        execute_on(list, worker.context, BLOCKS);
        expect_no_arrival();
        EXPECT_OK(SetEvent(event));
        expect_arrival(worker.context, list);
    }
    ASSERT_OK(bare_drive(CREATION, &worker.context, 1, 1));
    bare_delete(&worker);
    close_lists();
}

/* The last scheduler counts, also when the one before was left by a yield. */
TEST(Arrival, after_a_yield_the_next_scheduler_counts_BL_4)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_yield_wait, NULL));
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    EXPECT_OK(SetEvent(event));
    expect_arrival(worker.context, NEAR_LIST);
    execute_on(FAR_LIST, worker.context, YIELDS);
    expect_no_arrival();
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    EXPECT_OK(SetEvent(event));
    expect_arrival(worker.context, NEAR_LIST);
    execute_on(FAR_LIST, worker.context, BLOCKS); /* its end */
    expect_arrival(worker.context, FAR_LIST);
    bare_delete(&worker);
    close_lists();
}

static DWORD WINAPI sleep_twice(LPVOID param)
{
    (void)param;
    Sleep(5);
    Sleep(5);
    return 0;
}

TEST(Arrival, a_sleep_that_is_over_BL_4)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, sleep_twice, NULL));
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    expect_arrival(worker.context, NEAR_LIST);
    execute_on(FAR_LIST, worker.context, BLOCKS);
    expect_arrival(worker.context, FAR_LIST);
    ASSERT_OK(bare_drive(CREATION, &worker.context, 1, 1));
    bare_delete(&worker);
    close_lists();
}

TEST(Arrival, a_list_that_two_schedulers_share_CL_4)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, NEAR_LIST, wait_often, (LPVOID)2));
    for (int i = 0; i < 2; i++) {
        execute_on(NEAR_LIST, worker.context, BLOCKS);
        EXPECT_OK(SetEvent(event));
        EXPECT_EQ(bare_arrival(NEAR_LIST), worker.context);
    }
    expect_no_arrival();
    ASSERT_OK(bare_drive(NEAR_LIST, &worker.context, 1, 1));
    bare_delete(&worker);
    close_lists();
}

/* One that nobody dequeued is taken off the list where it is. */
TEST(Arrival, executed_while_it_is_on_a_scheduler_s_list)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create(&worker, CREATION, wait_often, (LPVOID)2, 0));
    ASSERT_OK(bare_has_arrived(CREATION)); /* takes the first arrival's signal, too */
    ASSERT_EQ(bare_arrival(CREATION), worker.context);
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    EXPECT_OK(SetEvent(event));
    ASSERT_OK(bare_has_arrived(strict() ? CREATION : NEAR_LIST));
    execute_on(FAR_LIST, worker.context, BLOCKS);
    expect_no_arrival();
    EXPECT_OK(SetEvent(event));
    expect_arrival(worker.context, FAR_LIST);
    ASSERT_OK(bare_drive(CREATION, &worker.context, 1, 1));
    bare_delete(&worker);
    close_lists();
}

/* ---- resuming ---- */

static void suspend_on(struct bare *worker, PUMS_COMPLETION_LIST list)
{
    struct once run = {list, worker->context, UmsSchedulerStartup};
    HANDLE thread;

    thread = CreateThread(NULL, 0, run_once, &run, 0, NULL);
    ASSERT_NE(thread, NULL);
    EXPECT_OK(wait_until(&running, 10000));
    EXPECT_EQ(SuspendThread(worker->thread), 0);
    ASSERT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0); /* Blocked, and has left */
    EXPECT_OK(CloseHandle(thread));
    EXPECT_EQ(run.reason, UmsSchedulerThreadBlocked);
    expect_no_arrival();
}

TEST(Arrival, resumed_on_the_list_where_it_was_stopped_SU_3)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, compute, NULL));
    suspend_on(&worker, NEAR_LIST);
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    expect_arrival(worker.context, NEAR_LIST);
    flag_set(&stop, 1);
    execute_on(FAR_LIST, worker.context, BLOCKS); /* its end */
    expect_arrival(worker.context, FAR_LIST);
    bare_delete(&worker);
    close_lists();
}

/* Not executed yet, so there is no scheduler whose list it could be. */
TEST(Arrival, created_suspended_on_its_first_list_CT_7)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create(&worker, CREATION, wait_often, (LPVOID)1, CREATE_SUSPENDED));
    expect_no_arrival();
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    EXPECT_EQ(bare_arrival(CREATION), worker.context);
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    EXPECT_EQ(SuspendThread(worker.thread), 0); /* SU-4: arrives, and is refused until resumed */
    EXPECT_OK(SetEvent(event));
    expect_arrival(worker.context, NEAR_LIST);
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    expect_no_arrival(); /* SU-2 */
    ASSERT_OK(bare_drive(CREATION, &worker.context, 1, 1));
    bare_delete(&worker);
    close_lists();
}

/* ---- ending ---- */

TEST(Arrival, ended_on_the_list_of_its_last_scheduler_LF_1)
{
    static const LPTHREAD_START_ROUTINE routines[] = {routine_return, exit_thread};

    for (int i = 0; i < 2; i++) {
        struct bare worker;

        open_lists();
        ASSERT_OK(bare_create_arrived(&worker, CREATION, routines[i], NULL));
        execute_on(NEAR_LIST, worker.context, BLOCKS);
        expect_arrival(worker.context, NEAR_LIST);
        EXPECT_EQ(is_terminated(worker.context), true);
        bare_delete(&worker);
        close_lists();
    }
}

TEST(Arrival, ended_from_outside_while_it_waits_LF_5)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_often, (LPVOID)1));
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    EXPECT_OK(TerminateThread(worker.thread, 7));
    expect_arrival(worker.context, NEAR_LIST);
    EXPECT_EQ(is_terminated(worker.context), true);
    bare_delete(&worker);
    close_lists();
}

TEST(Arrival, ended_from_outside_while_it_is_stopped_LF_5)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, compute, NULL));
    suspend_on(&worker, NEAR_LIST);
    EXPECT_OK(TerminateThread(worker.thread, 7));
    expect_arrival(worker.context, NEAR_LIST);
    EXPECT_EQ(is_terminated(worker.context), true);
    bare_delete(&worker);
    close_lists();
}

TEST(Arrival, ended_from_outside_before_it_was_executed_LF_5)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create(&worker, CREATION, wait_often, (LPVOID)1, 0));
    ASSERT_OK(bare_has_arrived(CREATION));
    EXPECT_OK(TerminateThread(worker.thread, 7));
    EXPECT_EQ(WaitForSingleObject(worker.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(bare_arrival(CREATION), worker.context);
    EXPECT_EQ(is_terminated(worker.context), true);
    expect_no_arrival();
    bare_delete(&worker);
    close_lists();
}

/* ---- schedulers that are not there any more ---- */

TEST(Arrival, after_its_scheduler_s_thread_has_ended_ES_9)
{
    struct bare worker;
    struct once run;
    HANDLE thread;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_often, (LPVOID)1));
    run = (struct once){NEAR_LIST, worker.context, UmsSchedulerStartup};
    thread = CreateThread(NULL, 0, run_once, &run, 0, NULL);
    ASSERT_NE(thread, NULL);
    ASSERT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    for (int i = 0; i < 20; i++) { /* others may have its context now */
        PUMS_CONTEXT other = NULL;

        EXPECT_OK(CreateUmsThreadContext(&other));
        EXPECT_OK(DeleteUmsThreadContext(other));
    }
    EXPECT_OK(SetEvent(event));
    expect_arrival(worker.context, NEAR_LIST);
    ASSERT_OK(bare_drive(FAR_LIST, &worker.context, 1, strict() ? 0 : 1));
    if (strict())
        EXPECT_EQ(bare_arrival(CREATION), worker.context);
    bare_delete(&worker);
    close_lists();
}

TEST(Arrival, when_its_scheduler_is_ended_ES_12)
{
    struct bare worker;
    struct once run;
    HANDLE thread;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, compute, NULL));
    run = (struct once){NEAR_LIST, worker.context, UmsSchedulerStartup};
    thread = CreateThread(NULL, 0, run_once, &run, 0, NULL);
    ASSERT_NE(thread, NULL);
    ASSERT_OK(wait_until(&running, 10000));
    EXPECT_OK(TerminateThread(thread, 3));
    ASSERT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    expect_arrival(worker.context, NEAR_LIST);
    flag_set(&stop, 1);
    execute_on(FAR_LIST, worker.context, BLOCKS);
    expect_arrival(worker.context, FAR_LIST);
    bare_delete(&worker);
    close_lists();
}

/* ---- lists that are not there any more ---- */

/* Then it arrives where it did first. */
TEST(Arrival, the_scheduler_s_list_was_deleted_DL_3)
{
    struct bare worker;
    PUMS_COMPLETION_LIST another = NULL;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_often, (LPVOID)2));
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    delete_list(&NEAR_LIST);
    EXPECT_OK(CreateUmsCompletionList(&another)); /* must not get what is not its */
    EXPECT_OK(SetEvent(event));
    expect_arrival(worker.context, CREATION);
    execute_on(another, worker.context, BLOCKS);
    EXPECT_OK(SetEvent(event));
    expect_arrival(worker.context, another);
    ASSERT_OK(bare_drive(CREATION, &worker.context, 1, 1));
    EXPECT_OK(DeleteUmsCompletionList(another));
    bare_delete(&worker);
    close_lists();
}

static DWORD WINAPI delete_then_wait(LPVOID times)
{
    delete_list(&NEAR_LIST);
    return wait_often(times);
}

/* Deleted while its scheduler is in it. */
TEST(Arrival, the_scheduler_s_list_was_deleted_before_the_wait_DL_3)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, delete_then_wait, (LPVOID)1));
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    EXPECT_OK(SetEvent(event));
    expect_arrival(worker.context, CREATION);
    ASSERT_OK(bare_drive(CREATION, &worker.context, 1, 1));
    bare_delete(&worker);
    close_lists();
}

static DWORD WINAPI delete_then_end(LPVOID param)
{
    delete_list(&NEAR_LIST);
    return (DWORD)(ULONG_PTR)param;
}

TEST(Arrival, ended_and_the_scheduler_s_list_was_deleted_DL_3)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, delete_then_end, NULL));
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    expect_arrival(worker.context, CREATION);
    EXPECT_EQ(is_terminated(worker.context), true);
    bare_delete(&worker);
    close_lists();
}

/* No list is left: it stays where nobody finds it, and a scheduler that has its context can execute it. */
TEST(Arrival, no_list_is_left_DL_3)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_often, (LPVOID)2));
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    delete_list(&NEAR_LIST);
    delete_list(&CREATION);
    EXPECT_OK(SetEvent(event));
    expect_no_arrival();
    execute_on(FAR_LIST, worker.context, BLOCKS);
    EXPECT_OK(SetEvent(event));
    if (!strict())
        EXPECT_EQ(bare_arrival(FAR_LIST), worker.context);
    expect_no_arrival();
    execute_on(FAR_LIST, worker.context, BLOCKS); /* its end */
    EXPECT_EQ(WaitForSingleObject(worker.thread, 10000), WAIT_OBJECT_0);
    if (!strict())
        EXPECT_EQ(bare_arrival(FAR_LIST), worker.context);
    EXPECT_EQ(is_terminated(worker.context), true);
    bare_delete(&worker);
    close_lists();
}

/* The list of the creation is not needed by workers that have been executed. */
TEST(Arrival, the_first_list_was_deleted_DL_3)
{
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_often, (LPVOID)1));
    delete_list(&CREATION);
    execute_on(NEAR_LIST, worker.context, BLOCKS);
    EXPECT_OK(SetEvent(event));
    if (!strict())
        EXPECT_EQ(bare_arrival(NEAR_LIST), worker.context);
    expect_no_arrival();
    execute_on(FAR_LIST, worker.context, BLOCKS); /* its end */
    EXPECT_EQ(WaitForSingleObject(worker.thread, 10000), WAIT_OBJECT_0);
    if (!strict())
        EXPECT_EQ(bare_arrival(FAR_LIST), worker.context);
    bare_delete(&worker);
    close_lists();
}

/* Many lists come and go below one worker that waits on each: none may be given back too early, or be
 * another worker's by the time it arrives. */
TEST(Arrival, a_new_list_for_each_wait)
{
    enum { ROUNDS = 2000 };
    struct bare worker;

    open_lists();
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_often, (LPVOID)ROUNDS));
    for (int i = 0; i < ROUNDS; i++) {
        PUMS_COMPLETION_LIST list = NULL;

        ASSERT_OK(CreateUmsCompletionList(&list));
        execute_on(list, worker.context, BLOCKS);
        if (i % 2)
            EXPECT_OK(DeleteUmsCompletionList(list));
        EXPECT_OK(SetEvent(event));
        ASSERT_EQ(bare_arrival(i % 2 || strict() ? CREATION : list), worker.context);
        if (i % 2 == 0)
            EXPECT_OK(DeleteUmsCompletionList(list));
    }
    ASSERT_OK(bare_drive(CREATION, &worker.context, 1, 1));
    bare_delete(&worker);
    close_lists();
}
