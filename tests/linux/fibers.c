/* SPDX-License-Identifier: MIT
 *
 * fibers.c - fibers together with Linux's own: system calls that block, signals, a scheduler whose
 * fiber runs elsewhere, a thread that goes on where a fiber was.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "bare.h"
#include "bare_call.h"
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"
#include "in_fiber.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

/* ---- Blocking ------------------------------------------------------------------------------------ */

static void read_a_byte(void)
{
    char byte = 0;

    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
    EXPECT_EQ(usleep(1000), 0);
}

/* Reads by a bare call. The filter sees it, and the carrier stands in it on the fiber's stack. */
static void read_barely(void)
{
    char byte = 0;

    EXPECT_EQ(bare_call(SYS_read, ends[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

static void reads(struct worker *self)
{
    in_fiber((void (*)(void))self->arg);
}

static void writes(struct worker *self)
{
    EXPECT_EQ(write(ends[1], "x", 1), 1);
}

static void blocks(void (*body)(void), bool seen)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    ASSERT_EQ(pipe(ends), 0);
    if (!seen)
        EXPECT_EQ(write(ends[1], "x", 1), 1);
    fleet_add(fleet, reads, (void *)body);
    fleet_add(fleet, writes, NULL); /* on the same scheduler */
    fleet_run(fleet);
    if (seen)
        EXPECT_GE(fleet_worker(fleet, 0)->blocked, 1);
    fleet_destroy(fleet);
    close(ends[0]);
    close(ends[1]);
}

TEST(Fibers, a_worker_reads_in_a_fiber)
{
    blocks(read_a_byte, true);
}

TEST(Fibers, a_worker_makes_a_bare_call_in_a_fiber)
{
    blocks(read_barely, !is_set("UMSSHIM_DETECT", "0")); /* without a filter nobody sees it */
}

/* ---- Signals ------------------------------------------------------------------------------------ */

static int handled, in_whose_stack;

static void on_signal(int number)
{
    ULONG_PTR low, high;

    GetCurrentThreadStackLimits(&low, &high);
    flag_set(&in_whose_stack, (ULONG_PTR)&low >= low && (ULONG_PTR)&low < high);
    flag_add(&handled, 1);
}

static void raise_and_compute(void)
{
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(handled, 1);
    EXPECT_OK(in_whose_stack);
    for (int i = 0; i < 1000 && flag_get(&handled) < 2; i++) {
        if (i == 5)
            pthread_kill(pthread_self(), SIGUSR1);
        usleep(100);
    }
    EXPECT_EQ(handled, 2);
}

static void signals(struct worker *self)
{
    in_fiber(raise_and_compute);
}

TEST(Fibers, handlers_run_on_the_fibers_stack)
{
    signal(SIGUSR1, on_signal);
    FLEET_RUN(1, 0, {1, signals, NULL});
    handled = 0;
    in_fiber(raise_and_compute); /* of a plain thread */
    signal(SIGUSR1, SIG_DFL);
}

/* ---- A scheduler ------------------------------------------------------------------------------------ */

static PUMS_CONTEXT executed;
static DWORD refusal;
static int activations;

static void execute_from_elsewhere(void)
{
    SetLastError(ERROR_SUCCESS);
    if (!ExecuteUmsThread(executed))
        refusal = GetLastError();
}

static VOID NTAPI refused_then_executes(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    void *fiber;

    activations++;
    if (reason != UmsSchedulerStartup)
        return;
    fiber_body = execute_from_elsewhere;
    fiber = CreateFiber(FIBER_STACK, run_body, NULL);
    base = IsThreadAFiber() ? GetCurrentFiber() : ConvertThreadToFiber(NULL);
    SwitchToFiber(fiber);
    DeleteFiber(fiber);
    ExecuteUmsThread(executed);
}

static void enter_here(void)
{
    struct bare worker;
    PUMS_COMPLETION_LIST list = NULL;
    DWORD code = 0;

    activations = 0;
    refusal = 0;
    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&worker, list, routine_return, (void *)7));
    executed = worker.context;
    EXPECT_OK(ums_enter(list, refused_then_executes, NULL));
    EXPECT_EQ(refusal, ERROR_NOT_SUPPORTED);
    EXPECT_EQ(activations, 2);
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker.thread, &code));
    EXPECT_EQ(code, 7);
    EXPECT_EQ(bare_arrival(list), worker.context);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static VOID CALLBACK enter_in_fiber(LPVOID thread)
{
    enter_here();
    SwitchToFiber(thread);
}

/* A scheduler's activations begin where it entered: on the thread's stack, or on a fiber's. From
 * another fiber the scheduler would never come back, so it cannot execute there. */
TEST(Fibers, a_scheduler_executes_where_it_entered_only)
{
    void *thread, *fiber;

    enter_here();
    EXPECT_OK(ConvertFiberToThread());
    thread = ConvertThreadToFiber(NULL);
    fiber = CreateFiber(FIBER_STACK, enter_in_fiber, thread);
    ASSERT_OK(thread && fiber);
    SwitchToFiber(fiber);
    EXPECT_EQ(GetCurrentFiber(), thread);
    DeleteFiber(fiber);
    EXPECT_OK(ConvertFiberToThread());
}

/* ---- A thread that goes on where a fiber was ------------------------------------------------------- */

static int gone_on;

static VOID CALLBACK become_the_thread(LPVOID unused)
{
    void *again;

    EXPECT_OK(ConvertFiberToThread());
    EXPECT_EQ(IsThreadAFiber(), FALSE);
    again = ConvertThreadToFiber(&gone_on);
    EXPECT_EQ(GetFiberData(), &gone_on);
    EXPECT_OK(again != NULL);
    EXPECT_OK(ConvertFiberToThread());
    gone_on++;
}

static DWORD WINAPI convert_elsewhere(LPVOID unused)
{
    ConvertThreadToFiber(NULL);
    SwitchToFiber(CreateFiber(FIBER_STACK, become_the_thread, NULL));
    FAIL("nobody switches back");
    return 0;
}

static void convert_in_worker(struct worker *self)
{
    convert_elsewhere(NULL);
}

/* Twenty threads and twenty workers become threads again on another fiber's stack, and keep that
 * stack. */
TEST(Fibers, a_thread_keeps_the_stack_it_is_converted_on)
{
    for (int i = 0; i < 20; i++) {
        HANDLE thread = CreateThread(NULL, 0, convert_elsewhere, NULL, 0, NULL);
        EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(thread));
    }
    EXPECT_EQ(gone_on, 20);
    FLEET_RUN(1, 0, {20, convert_in_worker, NULL});
    EXPECT_EQ(gone_on, 40);
}
