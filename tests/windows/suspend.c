/* SPDX-License-Identifier: MIT
 *
 * suspend.c - workers stopped, resumed and ended from outside, wherever they are (SU-1 to SU-4, LF-5).
 *
 * modes: default, umsrun
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

static int ticks;
static int stop_ticking;

static void tick(struct worker *self)
{
    while (!flag_get(&stop_ticking))
        flag_add(&ticks, 1);
}

/* What the plain thread does to the worker that runs. */
struct outside {
    struct worker *worker;
    struct fleet *fleet;
    int cycles;
    DWORD rights; /* of the handle that it is done by; 0: all */
    HANDLE handle;
};

static bool open_handle(struct outside *outside)
{
    HANDLE process = GetCurrentProcess();

    return EXPECT_OK(DuplicateHandle(process, outside->worker->thread, process, &outside->handle,
                                     outside->rights, FALSE,
                                     outside->rights ? 0 : DUPLICATE_SAME_ACCESS));
}

static DWORD WINAPI suspend_and_resume(LPVOID param)
{
    struct outside *outside = param;

    for (int i = 0; i < outside->cycles && !tc_failures(); i++) {
        ULONGLONG deadline = GetTickCount64() + 5000;
        int before = flag_get(&ticks);

        while (flag_get(&ticks) == before && GetTickCount64() < deadline)
            SwitchToThread();
        EXPECT_NE(flag_get(&ticks), before);
        EXPECT_EQ(SuspendThread(outside->handle), 0);
        while (!is_suspended(outside->worker->context) && GetTickCount64() < deadline)
            SwitchToThread();
        EXPECT_LT(GetTickCount64(), deadline);
        before = flag_get(&ticks);
        Sleep(2);
        EXPECT_EQ(flag_get(&ticks), before);
        EXPECT_EQ(SuspendThread(outside->handle), 1);
        EXPECT_EQ(ResumeThread(outside->handle), 2);
        EXPECT_EQ(ResumeThread(outside->handle), 1);
    }
    flag_set(&stop_ticking, 1);
    fleet_release(outside->fleet);
    return 0;
}

static void suspend_often(worker_body body, bool always_runs, DWORD rights)
{
    struct outside outside = {.fleet = fleet_create(1, 1, 0), .cycles = 100, .rights = rights};
    HANDLE thread;
    ASSERT_NE(outside.fleet, NULL);
    flag_set(&ticks, 0);
    flag_set(&stop_ticking, 0);
    outside.worker = fleet_add(outside.fleet, body, NULL);
    ASSERT_OK(open_handle(&outside));
    fleet_hold(outside.fleet);
    thread = CreateThread(NULL, 0, suspend_and_resume, &outside, 0, NULL);
    ASSERT_OK(fleet_run(outside.fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    if (always_runs)
        EXPECT_EQ(fleet_counts(outside.fleet).traps, outside.cycles);
    EXPECT_OK(CloseHandle(outside.handle));
    fleet_destroy(outside.fleet);
}

CALL_TEST(Suspend, running_worker_SU_3, suspend_often(tick, true, 0))

/* Not the right to ask whose thread it is. */
CALL_TEST(Suspend, running_worker_by_a_handle_that_may_do_nothing_else_SU_3,
          suspend_often(tick, true, THREAD_SUSPEND_RESUME))

/* The same with a worker that is in the engine most of the time. */
static void yield_all_the_time(struct worker *self)
{
    while (!flag_get(&stop_ticking)) {
        flag_add(&ticks, 1);
        UmsThreadYield(NULL);
    }
}

CALL_TEST(Suspend, yielding_worker_SU_3, suspend_often(yield_all_the_time, false, 0))

static DWORD WINAPI end_it(LPVOID param)
{
    struct outside *outside = param;
    ULONGLONG deadline = GetTickCount64() + 5000;

    while (!flag_get(&ticks) && GetTickCount64() < deadline)
        SwitchToThread();
    EXPECT_OK(TerminateThread(outside->handle, 77));
    fleet_release(outside->fleet);
    return 0;
}

static void wait_for_ever(struct worker *self)
{
    flag_set(&ticks, 1);
    WaitForSingleObject(self->arg, INFINITE);
    FAIL("the wait came back");
}

static void terminate(worker_body body, DWORD rights)
{
    struct outside outside = {.fleet = fleet_create(1, 1, 0), .rights = rights};
    HANDLE never = CreateEventA(NULL, TRUE, FALSE, NULL);
    HANDLE thread;
    DWORD code = 0;

    ASSERT_NE(outside.fleet, NULL);
    flag_set(&ticks, 0);
    flag_set(&stop_ticking, 0);
    outside.worker = fleet_add(outside.fleet, body, never);
    ASSERT_OK(open_handle(&outside));
    fleet_hold(outside.fleet);
    thread = CreateThread(NULL, 0, end_it, &outside, 0, NULL);
    ASSERT_OK(fleet_run(outside.fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(GetExitCodeThread(outside.worker->thread, &code));
    EXPECT_EQ(code, 77);
    EXPECT_OK(CloseHandle(outside.handle));
    fleet_destroy(outside.fleet);
    EXPECT_OK(CloseHandle(never));
}

CALL_TEST(Suspend, running_worker_is_ended_LF_5, terminate(tick, 0))
CALL_TEST(Suspend, running_worker_is_ended_by_a_handle_that_may_do_nothing_else_LF_5,
          terminate(tick, THREAD_TERMINATE))
CALL_TEST(Suspend, blocked_worker_is_ended_LF_5, terminate(wait_for_ever, 0))
