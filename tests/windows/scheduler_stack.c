/* SPDX-License-Identifier: MIT
 *
 * scheduler_stack.c - a scheduler's stack that has to grow within ExecuteUmsThread.
 *
 * In place, there is a moment when the thread's block tells of the worker's stack while the thread is
 * still on its own. A guard page hit then would be nobody's. So the scheduler goes a little deeper with
 * each activation, on a stack that was never used so deep: wherever the boundary of a page falls, one of
 * them has it there.
 *
 * modes: default
 */
#include "bare.h"
#include "gtest_c.h"

enum { PAGES = 24, PAGE = 4096, STEP = 16, TURNS = PAGES * PAGE / STEP, LIMIT_MS = 10000 };

static struct bare worker;
static PUMS_COMPLETION_LIST list;
static int turn;

static DWORD WINAPI yield_often(LPVOID param)
{
    for (int i = 0; i < TURNS; i++)
        UmsThreadYield(NULL);
    return 0;
}

/* A page for each level and the rest at the last, none of it touched but by the calls. */
static __attribute__((noinline)) void execute_below(unsigned bytes)
{
    volatile char room[PAGE - 256];

    room[sizeof room - 1] = 0;
    if (bytes > PAGE) {
        execute_below(bytes - PAGE);
    } else {
        volatile char *rest = __builtin_alloca(bytes + 1);

        rest[bytes] = 0;
        ExecuteUmsThread(worker.context);
    }
    room[0] = 0;
}

static VOID NTAPI go_deeper(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadBlocked)
        return; /* its end */
    execute_below((unsigned)turn++ * STEP);
    FAIL("execute failed: last error %u", (unsigned)GetLastError());
}

static DWORD WINAPI be_scheduler(LPVOID param)
{
    EXPECT_OK(ums_enter(list, go_deeper, NULL));
    return 0;
}

TEST(SchedulerStack, grows_at_every_depth)
{
    HANDLE thread;

    if (!EXPECT_OK(CreateUmsCompletionList(&list)) ||
        !bare_create_arrived(&worker, list, yield_often, NULL))
        return;
    thread = CreateThread(NULL, 0, be_scheduler, NULL, 0, NULL); /* its stack is fresh */
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_EQ(turn, TURNS + 1);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_EQ(bare_arrival(list), worker.context);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
