/* SPDX-License-Identifier: MIT
 *
 * suspend.c - workers stopped, resumed and ended from outside, wherever they are (SU-1 to SU-4, LF-5).
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

static int ticks;
static int stop_ticking;

static void tick(struct worker *self)
{
    (void)self;
    while (!flag_get(&stop_ticking)) {
        flag_add(&ticks, 1);
    }
}

/* What the plain thread does to the worker that runs. */
struct outside {
    struct worker *worker;
    struct fleet *fleet;
    int cycles;
};

static DWORD WINAPI suspend_and_resume(LPVOID param)
{
    struct outside *outside = param;

    for (int i = 0; i < outside->cycles && !tc_failures(); i++) {
        ULONGLONG deadline = GetTickCount64() + 5000;
        int before = flag_get(&ticks);

        while (flag_get(&ticks) == before && GetTickCount64() < deadline) {
            SwitchToThread();
        }
        EXPECT_NE(flag_get(&ticks), before);
        EXPECT_EQ(SuspendThread(outside->worker->thread), 0);
        while (!is_suspended(outside->worker->context) && GetTickCount64() < deadline) {
            SwitchToThread();
        }
        EXPECT_LT(GetTickCount64(), deadline);
        before = flag_get(&ticks);
        Sleep(2);
        EXPECT_EQ(flag_get(&ticks), before);
        EXPECT_EQ(SuspendThread(outside->worker->thread), 1);
        EXPECT_EQ(ResumeThread(outside->worker->thread), 2);
        EXPECT_EQ(ResumeThread(outside->worker->thread), 1);
    }
    flag_set(&stop_ticking, 1);
    fleet_release(outside->fleet);
    return 0;
}

static void suspend_often(worker_body body, bool always_runs)
{
    struct outside outside = {.fleet = fleet_create(1, 1, 0), .cycles = 100};
    HANDLE thread;

    ASSERT_NE(outside.fleet, NULL);
    flag_set(&ticks, 0);
    flag_set(&stop_ticking, 0);
    outside.worker = fleet_add(outside.fleet, body, NULL);
    fleet_hold(outside.fleet);
    thread = CreateThread(NULL, 0, suspend_and_resume, &outside, 0, NULL);
    ASSERT_OK(fleet_run(outside.fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    if (always_runs) {
        EXPECT_EQ(fleet_counts(outside.fleet).traps, outside.cycles);
    }
    fleet_destroy(outside.fleet);
}

TEST(Suspend, running_worker_SU_3)
{
    suspend_often(tick, true);
}

/* The same with a worker that is in the engine most of the time. */
static void yield_all_the_time(struct worker *self)
{
    (void)self;
    while (!flag_get(&stop_ticking)) {
        flag_add(&ticks, 1);
        UmsThreadYield(NULL);
    }
}

TEST(Suspend, yielding_worker_SU_3)
{
    suspend_often(yield_all_the_time, false);
}

static DWORD WINAPI end_it(LPVOID param)
{
    struct outside *outside = param;
    ULONGLONG deadline = GetTickCount64() + 5000;

    while (!flag_get(&ticks) && GetTickCount64() < deadline) {
        SwitchToThread();
    }
    EXPECT_OK(TerminateThread(outside->worker->thread, 77));
    fleet_release(outside->fleet);
    return 0;
}

static void wait_for_ever(struct worker *self)
{
    flag_set(&ticks, 1);
    WaitForSingleObject(self->arg, INFINITE);
    FAIL("the wait came back");
}

static void terminate(worker_body body)
{
    struct outside outside = {.fleet = fleet_create(1, 1, 0)};
    HANDLE never = CreateEventA(NULL, TRUE, FALSE, NULL);
    HANDLE thread;
    DWORD code = 0;

    ASSERT_NE(outside.fleet, NULL);
    flag_set(&ticks, 0);
    flag_set(&stop_ticking, 0);
    outside.worker = fleet_add(outside.fleet, body, never);
    fleet_hold(outside.fleet);
    thread = CreateThread(NULL, 0, end_it, &outside, 0, NULL);
    ASSERT_OK(fleet_run(outside.fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(GetExitCodeThread(outside.worker->thread, &code));
    EXPECT_EQ(code, 77);
    fleet_destroy(outside.fleet);
    EXPECT_OK(CloseHandle(never));
}

TEST(Suspend, running_worker_is_ended_LF_5)
{
    terminate(tick);
}

TEST(Suspend, blocked_worker_is_ended_LF_5)
{
    terminate(wait_for_ever);
}
