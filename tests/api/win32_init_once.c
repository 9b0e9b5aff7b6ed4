/* SPDX-License-Identifier: MIT
 *
 * win32_init_once.c - one-time initialisation: it runs once, however many threads call.
 *
 * modes: win32
 * except: begin_and_complete
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
    if (flag_add(&fail_first, -1) >= 0)
        return FALSE;
    *context = &object;
    return TRUE;
}

static int failed;

static void ask(void *arg)
{
    PVOID context = NULL;

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
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, ask, NULL));
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
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

/* The function gets the caller's variable, with what is in it; what it leaves there counts. */
static BOOL CALLBACK look_at_context(PINIT_ONCE which, PVOID parameter, PVOID *context)
{
    PVOID **wanted = parameter;

    EXPECT_EQ(context, wanted[0]);
    if (wanted[2] && context)
        *context = wanted[2];
    return wanted[1] != NULL;
}

static void run_context_case(PVOID before, PVOID written, int succeeds, PVOID after)
{
    INIT_ONCE own = INIT_ONCE_STATIC_INIT;
    PVOID context = before;
    PVOID stored = NULL;
    PVOID *wanted[3] = {&context, succeeds ? &context : NULL, written};
    BOOL pending = 7;

    SetLastError(SENTINEL);
    EXPECT_EQ(InitOnceExecuteOnce(&own, look_at_context, wanted, &context), succeeds);
    EXPECT_EQ(GetLastError(), SENTINEL); /* nothing is wrong but what the function says */
    EXPECT_EQ(context, after);
    if (succeeds) {
        EXPECT_OK(InitOnceExecuteOnce(&own, NULL, NULL, &stored));
        EXPECT_EQ(stored, after);
    } else {
        EXPECT_OK(InitOnceBeginInitialize(&own, 0, &pending, NULL));
        EXPECT_EQ(pending, TRUE);
    }
}

TEST(Win32InitOnce, the_context_is_the_callers)
{
    static int other __attribute__((aligned(8)));

    run_context_case(&object, NULL, FALSE, &object);  /* left as it was */
    run_context_case(&object, &other, FALSE, &other); /* the function's own doing */
    run_context_case(&object, NULL, TRUE, &object);
    run_context_case(&object, &other, TRUE, &other);
    run_context_case(NULL, &other, TRUE, &other);
}

TEST(Win32InitOnce, no_context_is_asked_for)
{
    INIT_ONCE own = INIT_ONCE_STATIC_INIT;
    PVOID *wanted[3] = {NULL, (PVOID *)&object, (PVOID *)&object};
    PVOID stored = &object;

    EXPECT_OK(InitOnceExecuteOnce(&own, look_at_context, wanted, NULL));
    EXPECT_OK(InitOnceExecuteOnce(&own, NULL, NULL, &stored));
    EXPECT_EQ(stored, NULL);
}

TEST(Win32InitOnce, failing_is_for_one_who_is_alone)
{
    INIT_ONCE own = INIT_ONCE_STATIC_INIT;
    BOOL pending = 7;

    EXPECT_OK(InitOnceBeginInitialize(&own, INIT_ONCE_ASYNC, &pending, NULL));
    EXPECT_FAILS(InitOnceComplete(&own, INIT_ONCE_ASYNC | INIT_ONCE_INIT_FAILED, NULL),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(InitOnceComplete(&own, INIT_ONCE_INIT_FAILED, &object), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(InitOnceComplete(&own, INIT_ONCE_ASYNC, (char *)&object + 1),
                 ERROR_INVALID_PARAMETER);
    EXPECT_OK(InitOnceComplete(&own, INIT_ONCE_ASYNC, &object));
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
