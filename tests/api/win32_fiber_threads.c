/* SPDX-License-Identifier: MIT
 *
 * win32_fiber_threads.c - one fiber that runs on several threads in turn, and workers in their fibers: they block, yield,
 * are suspended and are ended there.
 *
 * modes: win32
 */
#include <windows.h>

#include "counted_values.h"
#include "fiber_stack.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "loose.h"

/* ---- One fiber, several threads ------------------------------------------------------------------- */

static void *wanderer, *back;
static DWORD wanderer_index, seen_on[4];
static int visits;

static VOID CALLBACK wander(LPVOID param)
{
    volatile double kept = 1.5;

    EXPECT_OK(FlsSetValue(wanderer_index, param));
    for (;;) {
        seen_on[visits] = GetCurrentThreadId();
        EXPECT_EQ(FlsGetValue(wanderer_index), param);
        EXPECT_OK(within_stack((void *)&kept));
        if (visits) {
            Sleep(1); /* a wait, of whichever thread it is */
            EXPECT_EQ(seen_on[visits], GetCurrentThreadId());
        }
        visits++;
        kept += 1;
        EXPECT_THAT(kept == 1.5 + visits, "kept is not");
        SwitchToFiber(back);
    }
}

static DWORD WINAPI visit(LPVOID place)
{
    back = ConvertThreadToFiber(NULL);
    *(DWORD *)place = GetCurrentThreadId();
    SwitchToFiber(wanderer);
    EXPECT_EQ(GetCurrentFiber(), back);
    EXPECT_OK(ConvertFiberToThread());
    return 0;
}

static void visit_in_worker(struct worker *self)
{
    visit(self->arg);
}

TEST(Win32FiberThreads, runs_on_one_thread_after_the_other)
{
    DWORD expected[4] = {0};
    int mark;
    HANDLE thread;
    struct fleet *fleet;

    wanderer_index = counted_index();
    visits = 0;
    wanderer = CreateFiber(STACK, wander, &mark);
    ASSERT_OK(wanderer != NULL);
    visit(&expected[0]);
    thread = CreateThread(NULL, 0, visit, &expected[1], 0, NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    fleet = fleet_create(1, 2, 0);
    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, visit_in_worker, &expected[2]);
    fleet_run(fleet);
    fleet_destroy(fleet);
    visit(&expected[3]);
    EXPECT_EQ(visits, 4);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(seen_on[i], expected[i]);
    EXPECT_EQ(called, 0);
    DeleteFiber(wanderer);
    EXPECT_EQ(called, 1);
    EXPECT_OK(FlsFree(wanderer_index));
}

/* ---- A worker in its fibers ---------------------------------------------------------------------- */

struct waiter {
    HANDLE event;
    void *base;
    struct worker *self;
    int waited;
};

static VOID CALLBACK wait_in_fiber(LPVOID param)
{
    struct waiter *waiter = param;

    for (;;) {
        EXPECT_EQ(GetCurrentUmsThread(), waiter->self->context);
        EXPECT_EQ(WaitForSingleObject(waiter->event, 5000), WAIT_OBJECT_0);
        EXPECT_OK(UmsThreadYield(NULL));
        waiter->waited++;
        SwitchToFiber(waiter->base);
    }
}

static void waits_in_a_fiber(struct worker *self)
{
    struct waiter *waiter = self->arg;
    void *fiber = CreateFiber(STACK, wait_in_fiber, waiter);

    waiter->self = self;
    waiter->base = ConvertThreadToFiber(NULL);
    ASSERT_OK(fiber && waiter->base);
    for (int i = 1; i <= 20; i++) {
        SwitchToFiber(fiber);
        EXPECT_EQ(waiter->waited, i);
        EXPECT_OK(UmsThreadYield(NULL));
    }
    DeleteFiber(fiber);
    EXPECT_OK(ConvertFiberToThread());
}

static void signals(struct worker *self)
{
    struct waiter *waiters = self->arg;

    for (int i = 0; i < 20; i++)
        for (int w = 0; w < 4; w++) {
            int before = waiters[w].waited;
            EXPECT_OK(SetEvent(waiters[w].event));
            for (int spin = 0; waiters[w].waited == before && spin < 100000; spin++)
                UmsThreadYield(NULL);
        }
}

/* Four workers wait in fibers of theirs, and a fifth on the same scheduler signals them: it could not, if
 * they kept the scheduler. */
TEST(Win32FiberThreads, a_worker_blocks_and_yields_in_a_fiber)
{
    struct fleet *fleet = fleet_create(1, 5, 0);
    struct waiter waiters[4] = {{0}};

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < 4; i++) {
        waiters[i].event = CreateEventA(NULL, FALSE, FALSE, NULL);
        fleet_add(fleet, waits_in_a_fiber, &waiters[i]);
    }
    fleet_add(fleet, signals, waiters);
    fleet_run(fleet);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(waiters[i].waited, 20);
        EXPECT_GE(fleet_worker(fleet, i)->blocked, 20);
        EXPECT_OK(CloseHandle(waiters[i].event));
    }
    fleet_destroy(fleet);
}

static int counter, stop_counting;
static void *counting_base;

static VOID CALLBACK count(LPVOID param)
{
    while (!flag_get(&stop_counting))
        flag_add(&counter, 1);
    SwitchToFiber(counting_base);
}

static DWORD WINAPI count_in_a_fiber(LPVOID param)
{
    void *fiber = CreateFiber(STACK, count, NULL);

    counting_base = ConvertThreadToFiber(NULL);
    SwitchToFiber(fiber);
    DeleteFiber(fiber);
    return ConvertFiberToThread() ? 3 : 4;
}

static struct loose_worker *start_counting(struct loose *loose)
{
    flag_set(&counter, 0);
    flag_set(&stop_counting, 0);
    return EXPECT_OK(loose_start(loose, NULL)) ? loose_add(loose, count_in_a_fiber, NULL, 0) : NULL;
}

static void ends_with(struct loose *loose, struct loose_worker *worker, DWORD wanted)
{
    DWORD code = 0;

    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 8000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker->bare.thread, &code));
    EXPECT_EQ(code, wanted);
    EXPECT_OK(loose_finish(loose));
}

/* A worker that is suspended while it computes in a fiber leaves its scheduler. When it is resumed
 * it goes on where it was. */
TEST(Win32FiberThreads, a_worker_is_suspended_in_a_fiber)
{
    static struct loose loose;
    struct loose_worker *worker;

    worker = start_counting(&loose);
    ASSERT_NE(worker, NULL);
    ASSERT_REACHES(counter, 1000);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    EXPECT_OK(loose_suspended(worker));
    EXPECT_OK(loose_stands_still(&counter));
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    ASSERT_REACHES(counter, flag_get(&counter) + 1000);
    flag_set(&stop_counting, 1);
    ends_with(&loose, worker, 3);
}

TEST(Win32FiberThreads, a_worker_is_ended_in_a_fiber)
{
    static struct loose loose;
    struct loose_worker *worker;

    worker = start_counting(&loose);
    ASSERT_NE(worker, NULL);
    ASSERT_REACHES(counter, 1000);
    EXPECT_OK(TerminateThread(worker->bare.thread, 42));
    ends_with(&loose, worker, 42);
}
