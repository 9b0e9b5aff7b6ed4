/* SPDX-License-Identifier: MIT
 *
 * token.c - a worker that impersonates does so alone, until it reverts.
 *
 * The hazard: the token hangs on a kernel thread. Left there when the worker moves on, it would
 * serve the scheduler and every other worker with somebody else's rights.
 */
#include "gtest_c.h"
#include "moving.h"

enum { ROUNDS = 30 };

static bool has_token(HANDLE thread)
{
    HANDLE token;

    if (OpenThreadToken(thread, TOKEN_QUERY, TRUE, &token)) {
        EXPECT_OK(CloseHandle(token));
        return true;
    }
    EXPECT_EQ(GetLastError(), ERROR_NO_TOKEN);
    return false;
}

static void schedulers_have_none(const struct activation *activation, void *arg)
{
    (void)activation;
    (void)arg;
    EXPECT_EQ(has_token(GetCurrentThread()), false);
}

/* Even workers impersonate, the others look on. */
static void impersonate_or_not(struct worker *self)
{
    bool impersonates = self->index % 2 == 0;

    EXPECT_EQ(has_token(GetCurrentThread()), false);
    for (int round = 0; round < 2; round++) {
        if (impersonates) {
            ASSERT_OK(ImpersonateSelf(SecurityImpersonation));
        }
        for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
            EXPECT_EQ(has_token(GetCurrentThread()), impersonates);
            EXPECT_EQ(has_token(self->thread), impersonates);
            step_aside(self, i);
        }
        if (impersonates) {
            EXPECT_OK(RevertToSelf());
        }
        move_on(self);
        EXPECT_EQ(has_token(GetCurrentThread()), false);
    }
}

TEST(Token, impersonation_on_one_scheduler)
{
    ASSERT_OK(run_moving(1, 4, impersonate_or_not, NULL, schedulers_have_none));
}

TEST(Token, impersonation_on_two_schedulers)
{
    ASSERT_OK(run_moving(2, 4, impersonate_or_not, NULL, schedulers_have_none));
}

/* The worker's own thread may be given a token from outside, by its handle. */
static void set_by_handle(struct worker *self)
{
    HANDLE own, token = NULL;

    ASSERT_OK(OpenProcessToken(GetCurrentProcess(), TOKEN_DUPLICATE | TOKEN_QUERY, &own));
    ASSERT_OK(DuplicateTokenEx(own, TOKEN_IMPERSONATE | TOKEN_QUERY, NULL, SecurityImpersonation,
                               TokenImpersonation, &token));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        HANDLE thread = self->thread;

        EXPECT_OK(SetThreadToken(i % 2 ? &thread : NULL, token));
        step_aside(self, i);
        EXPECT_EQ(has_token(GetCurrentThread()), true);
        EXPECT_OK(SetThreadToken(i % 2 ? NULL : &thread, NULL));
        step_aside(self, i + 1);
        EXPECT_EQ(has_token(GetCurrentThread()), false);
    }
    EXPECT_OK(CloseHandle(token));
    EXPECT_OK(CloseHandle(own));
}

TEST(Token, set_and_taken_away)
{
    ASSERT_OK(run_moving(2, 3, set_by_handle, NULL, schedulers_have_none));
}

/* What a worker leaves on at its end is not left to anybody. */
static void end_impersonating(struct worker *self)
{
    ASSERT_OK(ImpersonateSelf(SecurityImpersonation));
    step_aside(self, self->index);
    EXPECT_EQ(has_token(GetCurrentThread()), true);
}

TEST(Token, of_a_worker_that_ended)
{
    ASSERT_OK(run_moving(2, 4, end_impersonating, NULL, schedulers_have_none));
    EXPECT_EQ(has_token(GetCurrentThread()), false);
}
