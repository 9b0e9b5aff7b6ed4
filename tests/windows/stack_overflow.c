/* SPDX-License-Identifier: MIT
 *
 * stack_overflow.c - a worker whose stack runs over is told so, on its own stack, and can go on.
 *
 * The hazard: the system compares the fault's address with the bounds in the thread's block. With
 * another's, what comes is an access violation, or the end of the process.
 *
 * Left out: that an overflow which nobody handles ends the process. Wine 8 ends the thread, without
 * a word and for plain threads too.
 *
 * modes: default
 */
#include "again.h"
#include "gtest_c.h"
#include "moving.h"

#include <malloc.h>

enum { WORKERS = 3, CAUGHT = 42, SOMEBODY_ELSES = 43, ANOTHER_CODE = 44 };

static ULONG_PTR low, high; /* the worker's bounds */
static DWORD who;

/* In small steps, so that little of the guard page is used when it is first touched. Wine leaves one page
 * for telling of it, all of which the processor's registers and its search for handlers may need: Wine 10
 * ends any thread, plain or worker, whose stack pointer is more than some 400 bytes into the page by then,
 * and Wine 8 one that is 2,000 bytes into it. */
__attribute__((noinline)) static int run_over(volatile char *above, int depth)
{
    volatile char frame[64];

    frame[0] = *above;
    if (depth < 0) /* never */
        return 0;
    return run_over(frame, depth + 1) + frame[0];
}

static int own_overflow(const EXCEPTION_POINTERS *pointers)
{
    if (pointers->ExceptionRecord->ExceptionCode != EXCEPTION_STACK_OVERFLOW)
        return ANOTHER_CODE;
    return GetCurrentThreadId() == who && pointers->ContextRecord->Rsp >= low &&
                   pointers->ContextRecord->Rsp < high
               ? CAUGHT
               : SOMEBODY_ELSES;
}

/* ---- It is told ---------------------------------------------------------------------------- */

static LONG CALLBACK end_with_what_it_was(EXCEPTION_POINTERS *pointers)
{
    TerminateProcess(GetCurrentProcess(), (UINT)own_overflow(pointers));
    return EXCEPTION_CONTINUE_SEARCH;
}

static void overflow_once(struct worker *self)
{
    volatile char zero = 0;

    for (int i = 0; i < 6; i++)
        step_aside(self, i);
    if (self->index == 1) {
        GetCurrentThreadStackLimits(&low, &high);
        who = self->id;
        run_over(&zero, 0);
    }
    for (;;)
        UmsThreadYield(NULL);
}

TEST(StackOverflow, is_told_on_the_workers_own_stack)
{
    if (again_part()) {
        AddVectoredExceptionHandler(1, end_with_what_it_was);
        run_moving(2, WORKERS, overflow_once, NULL, NULL);
        return;
    }
    EXPECT_EQ(again_run("StackOverflow.is_told_on_the_workers_own_stack", "overflow"), CAUGHT);
}

/* ---- It can go on -------------------------------------------------------------------------- */

static CONTEXT before;
static volatile int caught;

static LONG CALLBACK go_back(EXCEPTION_POINTERS *pointers)
{
    EXPECT_EQ(own_overflow(pointers), CAUGHT);
    caught++;
    *pointers->ContextRecord = before;
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void overflow_and_go_on(struct worker *self)
{
    static volatile int round; /* no register holds it: the context goes back to old ones */
    volatile char zero = 0;

    if (self->index != 1) {
        for (int i = 0; i < 30; i++)
            step_aside(self, i);
        return;
    }
    GetCurrentThreadStackLimits(&low, &high);
    who = self->id;
    for (round = 0; round < 3; round++) {
        caught = 0;
        RtlCaptureContext(&before);
        if (!caught)
            run_over(&zero, 0);
        EXPECT_EQ(caught, 1);
        ASSERT_OK(_resetstkoflw()); /* the guard page is there again */
        step_aside(self, round);
        move_on(self);
    }
}

TEST(StackOverflow, guard_page_is_set_again)
{
    void *handler = AddVectoredExceptionHandler(1, go_back);

    EXPECT_OK(run_moving(2, WORKERS, overflow_and_go_on, NULL, NULL));
    EXPECT_OK(RemoveVectoredExceptionHandler(handler));
}
