/* SPDX-License-Identifier: MIT
 *
 * win32_init_once.c - one-time initialisation: once, however many come.
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
static int runs;
static int fail_first;
static int object __attribute__((aligned(8)));

static BOOL CALLBACK initialise(PINIT_ONCE which, PVOID parameter, PVOID *context)
{
    EXPECT_EQ(which, &once);
    EXPECT_EQ(parameter, &runs);
    flag_add(&runs, 1);
    Sleep(5); /* the others come meanwhile */
    if (flag_add(&fail_first, -1) >= 0) {
        return FALSE;
    }
    *context = &object;
    return TRUE;
}

static int failed;

static void ask(void *arg)
{
    PVOID context = NULL;

    (void)arg;
    if (!InitOnceExecuteOnce(&once, initialise, &runs, &context)) {
        flag_add(&failed, 1);
        EXPECT_OK(InitOnceExecuteOnce(&once, initialise, &runs, &context));
    }
    EXPECT_EQ(context, &object);
    EXPECT_OK(InitOnceExecuteOnce(&once, initialise, &runs, NULL));
}

static void many_ask(int failures)
{
    enum { THREADS = 9 };
    struct kind_thread threads[THREADS] = {0};

    InitOnceInitialize(&once);
    runs = failed = 0;
    fail_first = failures;
    for (int i = 0; i < THREADS; i++) {
        ASSERT_OK(kind_start(&threads[i], i % KINDS, ask, NULL));
    }
    for (int i = 0; i < THREADS; i++) {
        ASSERT_OK(kind_join(&threads[i]));
    }
    EXPECT_EQ(runs, 1 + failures);
    EXPECT_EQ(failed, failures);
}

TEST(Win32InitOnce, for_all_kinds)
{
    many_ask(0);
}

TEST(Win32InitOnce, failing_at_first)
{
    many_ask(1);
}

static void by_hand(void *arg)
{
    INIT_ONCE own = INIT_ONCE_STATIC_INIT;
    BOOL pending = 7;
    PVOID context = NULL;

    (void)arg;
    EXPECT_EQ(InitOnceBeginInitialize(&own, INIT_ONCE_CHECK_ONLY, &pending, NULL), 0);
    EXPECT_OK(InitOnceBeginInitialize(&own, 0, &pending, &context));
    EXPECT_EQ(pending, TRUE);
    EXPECT_EQ(InitOnceComplete(&own, INIT_ONCE_ASYNC, &object), 0); /* it is synchronous */
    EXPECT_OK(InitOnceComplete(&own, INIT_ONCE_INIT_FAILED, NULL));
    EXPECT_OK(InitOnceBeginInitialize(&own, 0, &pending, &context));
    EXPECT_EQ(pending, TRUE);
    EXPECT_OK(InitOnceComplete(&own, 0, &object));
    EXPECT_EQ(InitOnceComplete(&own, 0, &object), 0);
    EXPECT_OK(InitOnceBeginInitialize(&own, INIT_ONCE_CHECK_ONLY, &pending, &context));
    EXPECT_EQ(pending, FALSE);
    EXPECT_EQ(context, &object);
}

TEST(Win32InitOnce, begin_and_complete)
{
    in_each_kind(by_hand, NULL);
}

TEST(Win32InitOnce, asynchronous_first_to_complete_wins)
{
    INIT_ONCE own = INIT_ONCE_STATIC_INIT;
    BOOL pending = 7;
    PVOID context = NULL;
    int other __attribute__((aligned(8)));

    EXPECT_OK(InitOnceBeginInitialize(&own, INIT_ONCE_ASYNC, &pending, NULL));
    EXPECT_EQ(pending, TRUE);
    EXPECT_OK(InitOnceBeginInitialize(&own, INIT_ONCE_ASYNC, &pending, NULL));
    EXPECT_EQ(pending, TRUE);
    EXPECT_OK(InitOnceComplete(&own, INIT_ONCE_ASYNC, &object));
    EXPECT_EQ(InitOnceComplete(&own, INIT_ONCE_ASYNC, &other), 0);
    EXPECT_OK(InitOnceBeginInitialize(&own, INIT_ONCE_ASYNC, &pending, &context));
    EXPECT_EQ(pending, FALSE);
    EXPECT_EQ(context, &object);
}
