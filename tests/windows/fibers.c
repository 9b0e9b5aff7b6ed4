/* SPDX-License-Identifier: MIT
 *
 * fibers.c - a worker that makes itself a fiber and switches to others, between yields and within
 * them.
 *
 * The hazard: SwitchToFiber exchanges the stack's bounds and the fiber's data in the thread's
 * block, as a switch of workers does; neither may undo the other's work.
 */
#include "gtest_c.h"
#include "moving.h"

enum { ROUNDS = 30, WORKERS = 3 };

struct pair {
    struct worker *self;
    void *base;  /* the fiber that the worker is */
    void *other; /* the one it has made */
    int switches;
    DWORD fls;
};

static bool within_stack(void)
{
    NT_TIB *tib = (NT_TIB *)NtCurrentTeb();
    char here;

    return &here >= (char *)tib->StackLimit && &here < (char *)tib->StackBase;
}

static void check_fiber(struct pair *pair, void *fiber, void *data)
{
    EXPECT_EQ(GetCurrentFiber(), fiber);
    EXPECT_EQ(GetFiberData(), data);
    EXPECT_EQ(GetCurrentThreadId(), pair->self->id);
    EXPECT_EQ(FlsGetValue(pair->fls), fiber); /* FLS is the fiber's */
    EXPECT_OK(IsThreadAFiber());
    EXPECT_OK(within_stack());
}

static void CALLBACK other_fiber(void *param)
{
    struct pair *pair = param;

    EXPECT_OK(FlsSetValue(pair->fls, pair->other));
    for (;;) {
        check_fiber(pair, pair->other, pair);
        step_aside(pair->self, pair->switches++);
        check_fiber(pair, pair->other, pair);
        SwitchToFiber(pair->base);
    }
}

static void be_two_fibers(struct worker *self)
{
    struct pair pair = {.self = self, .fls = *(DWORD *)self->arg};

    EXPECT_EQ(IsThreadAFiber(), FALSE);
    for (int round = 0; round < 2 && !tc_failures(); round++) {
        pair.base = ConvertThreadToFiber(self);
        ASSERT_OK(pair.base != NULL);
        EXPECT_OK(FlsSetValue(pair.fls, pair.base));
        pair.other = CreateFiber(64 * 1024, other_fiber, &pair);
        ASSERT_OK(pair.other != NULL);
        for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
            int before = pair.switches;

            SwitchToFiber(pair.other);
            EXPECT_EQ(pair.switches, before + 1);
            check_fiber(&pair, pair.base, self);
            step_aside(self, i);
            check_fiber(&pair, pair.base, self);
        }
        DeleteFiber(pair.other);
        EXPECT_OK(FlsSetValue(pair.fls, NULL));
        EXPECT_OK(ConvertFiberToThread());
        EXPECT_EQ(IsThreadAFiber(), FALSE);
        move_on(self);
        EXPECT_OK(within_stack());
    }
}

static void schedulers_are_none(const struct activation *activation, void *arg)
{
    (void)activation;
    (void)arg;
    EXPECT_EQ(IsThreadAFiber(), FALSE);
    EXPECT_OK(within_stack());
}

static void run(int schedulers)
{
    DWORD fls = FlsAlloc(NULL);

    ASSERT_NE(fls, FLS_OUT_OF_INDEXES);
    EXPECT_OK(run_moving(schedulers, WORKERS, be_two_fibers, &fls, schedulers_are_none));
    EXPECT_OK(FlsFree(fls));
}

TEST(Fibers, on_one_scheduler)
{
    run(1);
}

TEST(Fibers, on_two_schedulers)
{
    run(2);
}
