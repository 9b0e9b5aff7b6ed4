/* SPDX-License-Identifier: MIT
 *
 * arrival.c - on which completion list a worker arrives: the first time on its creation's list,
 * then on the list of the scheduler that executed it last (BL-4, EX-13, LF-1, SU-3). With
 * UMSSHIM_STRICT=1 always on its creation's list. All tests run in both modes.
 *
 * modes: ums, UMSSHIM_STRICT=1
 * with: arrival_lists.c
 * options: APART
 */
#include <windows.h>

#include "arrival_lists.h"
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

/* So long that the sleep is under way when its scheduler runs, also beside busy programs. */
enum { SLEEP_MS = 150 };

static int running; /* compute: it does */
static int stop;    /* and is to end */

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
    Sleep(SLEEP_MS);
    Sleep(SLEEP_MS);
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

/* ExecuteUmsThread takes a worker that nobody has dequeued off the list that it is on. */
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
