/* SPDX-License-Identifier: MIT
 *
 * activation_contexts.c - the activation context that a worker has put on its stack of them is in
 * force for it, and for nobody else.
 *
 * The hazard: that stack hangs on the thread's block; swapped for another worker's, activations
 * would be popped by somebody else, which the system punishes with an exception.
 *
 * modes: default
 * with: actctx.c
 */
#include "actctx.h"
#include "gtest_c.h"
#include "moving.h"

enum { ROUNDS = 30, WORKERS = 4 };

/* Worker 0 activates nothing. */
static void activate(struct worker *self)
{
    HANDLE mine[2] = {NULL, NULL};
    ULONG_PTR cookies[2];

    if (self->index)
        ASSERT_OK(actctx_create(mine, 2));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        EXPECT_EQ(actctx_in_force(), NULL);
        step_aside(self, i);
        for (int j = 0; j < 2 && self->index; j++) {
            ASSERT_OK(ActivateActCtx(mine[j], &cookies[j]));
            step_aside(self, i + j);
            EXPECT_EQ(actctx_in_force(), mine[j]);
        }
        for (int j = 1; j >= 0 && self->index; j--) {
            EXPECT_EQ(actctx_in_force(), mine[j]);
            ASSERT_OK(DeactivateActCtx(0, cookies[j]));
            step_aside(self, i + j);
        }
    }
    if (self->index)
        actctx_release(mine, 2);
}

static void schedulers_have_none(const struct activation *activation, void *arg)
{
    EXPECT_EQ(actctx_in_force(), NULL);
}

/* What a fiber does to its thread: another stack of contexts is led to. It goes with the worker, and with
 * nobody else. */
static volatile ULONG64 *stacks[WORKERS];

static ULONG64 stack_here(void)
{
    ULONG64 stack;

    __asm__ volatile("movq %%gs:0x2c8, %0" : "=r"(stack));
    return stack;
}

static void have_another_stack(struct worker *self)
{
    ULONG64 before = stack_here(), other[5] = {0, (ULONG64)&other[1], (ULONG64)&other[1], 0, 0};

    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        __asm__ volatile("movq %0, %%gs:0x2c8" : : "r"(other) : "memory");
        stacks[self->index] = other;
        step_aside(self, i);
        EXPECT_EQ(stack_here(), (ULONG64)other);
        __asm__ volatile("movq %0, %%gs:0x2c8" : : "r"(before) : "memory");
        stacks[self->index] = NULL;
    }
}

static void schedulers_have_another(const struct activation *activation, void *arg)
{
    ULONG64 here = stack_here();

    for (int i = 0; i < WORKERS; i++)
        EXPECT_OK(!here || here != (ULONG64)stacks[i]);
}

TEST(ActivationContexts, a_stack_of_its_own)
{
    ASSERT_OK(run_moving(2, WORKERS, have_another_stack, NULL, schedulers_have_another));
}

static void run(int schedulers)
{
    EXPECT_OK(run_moving(schedulers, WORKERS, activate, NULL, schedulers_have_none));
}

TEST(ActivationContexts, on_one_scheduler)
{
    run(1);
}

TEST(ActivationContexts, on_two_schedulers)
{
    run(2);
}
