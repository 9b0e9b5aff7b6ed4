/* SPDX-License-Identifier: MIT
 *
 * life_cycle.c - how workers end, and how a program leaves scheduling mode, beside the kit's
 * clauses LF-*.
 *
 * modes: ums
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

static PUMS_COMPLETION_LIST make_list(void)
{
    PUMS_COMPLETION_LIST list = NULL;

    EXPECT_OK(CreateUmsCompletionList(&list));
    return list;
}

static DWORD WINAPI exit_after_blocking(LPVOID param)
{
    Sleep(2);
    ExitThread((DWORD)(ULONG_PTR)param);
}

static DWORD WINAPI terminate_itself(LPVOID param)
{
    TerminateThread(GetCurrentThread(), (DWORD)(ULONG_PTR)param);
    FAIL("the worker lives on");
    return 1;
}

static VOID NTAPI execute_param(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup)
        bare_execute(param);
}

static void ends_by(LPTHREAD_START_ROUTINE routine)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;
    DWORD code = 0;

    ASSERT_OK(bare_create(&worker, list, routine, (void *)321, 0));
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    EXPECT_EQ(is_terminated(worker.context), true);
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, 321);
    EXPECT_OK(ums_enter(list, execute_param, worker.context)); /* EX-8: fails, comes back */
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(LifeCycle, by_exit_thread_after_blocking_LF_1)
{
    ends_by(exit_after_blocking);
}

TEST(LifeCycle, by_terminating_itself_LF_5)
{
    ends_by(terminate_itself);
}

static void end_at_once(struct worker *self)
{
    flag_add(self->arg, 1);
}

static void many(int schedulers, int workers, unsigned flags)
{
    struct fleet *fleet = fleet_create(schedulers, workers, flags);
    int ended = 0;

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < workers; i++)
        fleet_add(fleet, end_at_once, &ended);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(ended, workers);
    fleet_destroy(fleet); /* LF-6: contexts, handles and lists can all be deleted */
}

TEST(LifeCycle, five_hundred_workers_LF_6)
{
    many(1, 500, 0);
}

TEST(LifeCycle, five_hundred_workers_three_schedulers_LF_6)
{
    many(3, 500, FLEET_SHARED_READY | FLEET_OWN_LISTS);
}

TEST(LifeCycle, generations_of_workers)
{
    for (int i = 0; i < 50; i++)
        many(2, 8, FLEET_SHARED_READY);
}

/* LF-7 is what CTest sees of this one: the process must end though workers are parked, blocked
 * and suspended. */
static HANDLE never;

static DWORD WINAPI wait_for_ever(LPVOID param)
{
    WaitForSingleObject(never, INFINITE);
    return 0;
}

TEST(LifeCycle, process_ends_with_workers_left_LF_7)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare workers[3];

    never = CreateEventA(NULL, TRUE, FALSE, NULL);
    ASSERT_OK(bare_create_arrived(&workers[0], list, wait_for_ever, NULL));
    EXPECT_OK(ums_enter(list, execute_param, workers[0].context));
    ASSERT_OK(bare_create(&workers[1], list, wait_for_ever, NULL, CREATE_SUSPENDED));
    ASSERT_OK(bare_create(&workers[2], list, wait_for_ever, NULL, 0));
    EXPECT_EQ(is_terminated(workers[0].context), false);
}

static void start_suspended(struct worker *self)
{
    flag_add(self->arg, 1);
}

static void resume_others(struct worker *self)
{
    for (int i = 1; i <= 3; i++) {
        struct worker *other = fleet_worker(self->fleet, i);

        EXPECT_EQ(is_suspended(other->context), true);
        EXPECT_EQ(ResumeThread(other->thread), 1);
        EXPECT_EQ(is_suspended(other->context), false);
        EXPECT_OK(UmsThreadYield(NULL));
    }
}

TEST(LifeCycle, suspended_workers_resumed_by_a_worker_CT_7)
{
    struct fleet *fleet = fleet_create(1, 4, FLEET_NO_GATHER);
    int started = 0;

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, resume_others, NULL);
    for (int i = 0; i < 3; i++)
        fleet_add_suspended(fleet, start_suspended, &started);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(started, 3);
    fleet_destroy(fleet);
}
