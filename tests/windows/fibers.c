/* SPDX-License-Identifier: MIT
 *
 * fibers.c - a worker that makes itself a fiber and switches to others, between yields and within
 * them.
 *
 * The hazard: SwitchToFiber exchanges the stack's bounds and the fiber's data in the thread's
 * block, as a switch of workers does; neither may undo the other's work. The same goes for the stack of
 * activation contexts: each fiber has one, and remembers where the one was that it came with.
 *
 * modes: default
 * with: actctx.c
 */
#include "actctx.h"
#include "gtest_c.h"
#include "moving.h"

enum { ROUNDS = 30, WORKERS = 3 };

struct pair {
    struct worker *self;
    void *base;  /* the fiber that the worker is */
    void *other; /* the one it has made */
    int switches;
    DWORD fls;
    HANDLE contexts[2]; /* of activation: for the base, for the other */
};

/* Not so in Wine before version 9: there a thread's fibers share them. */
static bool each_has_its_contexts;

static void CALLBACK look_and_return(void *base)
{
    each_has_its_contexts = actctx_in_force() == NULL;
    SwitchToFiber(base);
}

static DWORD WINAPI find_out(LPVOID param)
{
    ULONG_PTR cookie;
    HANDLE context;
    void *base = ConvertThreadToFiber(NULL), *other = CreateFiber(64 * 1024, look_and_return, base);

    if (EXPECT_OK(actctx_create(&context, 1)) && EXPECT_OK(ActivateActCtx(context, &cookie))) {
        SwitchToFiber(other);
        EXPECT_OK(DeactivateActCtx(0, cookie));
        actctx_release(&context, 1);
    }
    DeleteFiber(other);
    EXPECT_OK(ConvertFiberToThread());
    return 0;
}

static void expect_in_force(HANDLE context)
{
    if (each_has_its_contexts)
        EXPECT_EQ(actctx_in_force(), context);
}

static void activate(HANDLE context, ULONG_PTR *cookie)
{
    if (each_has_its_contexts)
        EXPECT_OK(ActivateActCtx(context, cookie));
}

static void deactivate(ULONG_PTR cookie)
{
    if (each_has_its_contexts)
        EXPECT_OK(DeactivateActCtx(0, cookie));
}

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
    ULONG_PTR cookie = 0;

    EXPECT_OK(FlsSetValue(pair->fls, pair->other));
    expect_in_force(NULL);
    for (;;) {
        check_fiber(pair, pair->other, pair);
        activate(pair->contexts[1], &cookie);
        step_aside(pair->self, pair->switches++);
        check_fiber(pair, pair->other, pair);
        SwitchToFiber(pair->base);
        expect_in_force(pair->contexts[1]);
        step_aside(pair->self, pair->switches);
        deactivate(cookie);
        expect_in_force(NULL);
    }
}

static void be_two_fibers(struct worker *self)
{
    struct pair pair = {.self = self, .fls = *(DWORD *)self->arg};
    ULONG_PTR cookie = 0, outer = 0;

    ASSERT_OK(actctx_create(pair.contexts, 2));
    activate(pair.contexts[0], &outer);
    EXPECT_EQ(IsThreadAFiber(), FALSE);
    for (int round = 0; round < 2 && !tc_failures(); round++) {
        pair.base = ConvertThreadToFiber(self);
        ASSERT_OK(pair.base != NULL);
        EXPECT_OK(FlsSetValue(pair.fls, pair.base));
        pair.other = CreateFiber(64 * 1024, other_fiber, &pair);
        ASSERT_OK(pair.other != NULL);
        for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
            int before = pair.switches;

            activate(pair.contexts[0], &cookie);
            SwitchToFiber(pair.other);
            EXPECT_EQ(pair.switches, before + 1);
            check_fiber(&pair, pair.base, self);
            expect_in_force(pair.contexts[0]);
            step_aside(self, i);
            check_fiber(&pair, pair.base, self);
            deactivate(cookie);
            expect_in_force(pair.contexts[0]);
        }
        DeleteFiber(pair.other);
        EXPECT_OK(FlsSetValue(pair.fls, NULL));
        EXPECT_OK(ConvertFiberToThread());
        EXPECT_EQ(IsThreadAFiber(), FALSE);
        move_on(self);
        EXPECT_OK(within_stack());
        expect_in_force(pair.contexts[0]);
    }
    deactivate(outer);
    expect_in_force(NULL);
    actctx_release(pair.contexts, 2);
}

static void schedulers_are_none(const struct activation *activation, void *arg)
{
    EXPECT_EQ(IsThreadAFiber(), FALSE);
    EXPECT_OK(within_stack());
    EXPECT_EQ(actctx_in_force(), NULL);
}

static void run(int schedulers)
{
    DWORD fls = FlsAlloc(NULL);
    HANDLE thread = CreateThread(NULL, 0, find_out, NULL, 0, NULL);

    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
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
