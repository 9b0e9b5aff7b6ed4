/* SPDX-License-Identifier: MIT
 *
 * arrival_deleted_lists.c - on which completion list a worker arrives after the list of its last
 * scheduler, the list of its creation, or both were deleted (DL-3). All tests run in both modes.
 *
 * modes: ums, UMSSHIM_STRICT=1
 * with: arrival_lists.c
 */
#include <windows.h>

#include "arrival_lists.h"
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

/* The scheduler's list is deleted while the worker is blocked. The worker arrives on the list of
 * its creation. */
TEST(ArrivalDeletedLists, the_scheduler_s_list_was_deleted_DL_3)
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
TEST(ArrivalDeletedLists, the_scheduler_s_list_was_deleted_before_the_wait_DL_3)
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

TEST(ArrivalDeletedLists, ended_and_the_scheduler_s_list_was_deleted_DL_3)
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
TEST(ArrivalDeletedLists, no_list_is_left_DL_3)
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

/* A worker that has been executed does not need the list of its creation any more. */
TEST(ArrivalDeletedLists, the_first_list_was_deleted_DL_3)
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

static LONG enough;

static DWORD WINAPI wait_until_enough(LPVOID param)
{
    while (!*(volatile LONG *)&enough)
        EXPECT_EQ(WaitForSingleObject(event, INFINITE), WAIT_OBJECT_0);
    return 0;
}

/* Many lists come and go below one worker that waits on each: none may be given back too early, or
 * be another worker's by the time it arrives. How many these are is the machine's business: a round
 * waits for turns of the processor. */
TEST(ArrivalDeletedLists, a_new_list_for_each_wait)
{
    enum { ROUNDS = 2000, ROUNDS_MS = 4000 };
    struct bare worker;
    ULONGLONG end = GetTickCount64() + ROUNDS_MS;

    open_lists();
    InterlockedExchange(&enough, 0);
    ASSERT_OK(bare_create_arrived(&worker, CREATION, wait_until_enough, NULL));
    for (int i = 0; i < ROUNDS && (i < 2 || GetTickCount64() < end); i++) {
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
    InterlockedExchange(&enough, 1);
    ASSERT_OK(bare_drive(CREATION, &worker.context, 1, 1));
    bare_delete(&worker);
    close_lists();
}
