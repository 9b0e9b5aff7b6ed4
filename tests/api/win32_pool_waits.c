/* SPDX-License-Identifier: MIT
 *
 * win32_pool_waits.c - the waits of the thread pool.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "pool_job.h"
#include "wait_calls.h"

static VOID CALLBACK on_pool_wait(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WAIT wait,
                                  TP_WAIT_RESULT result)
{
    struct calls *calls = context;

    EXPECT_NE(instance, NULL);
    EXPECT_THAT(result == WAIT_OBJECT_0 || result == WAIT_TIMEOUT, "result %lu",
                (unsigned long)result);
    if (calls->again) {
        EXPECT_EQ(wait, calls->again);
        SetThreadpoolWait(wait, calls->object, NULL);
    }
    called(calls, result == WAIT_TIMEOUT);
}

TEST(Win32PoolWaits, is_for_once_and_set_again_by_its_callback)
{
    struct calls calls;
    PTP_WAIT wait = CreateThreadpoolWait(on_pool_wait, &calls, NULL);

    ASSERT_NE(wait, NULL);
    calls_init(&calls);
    SetThreadpoolWait(wait, calls.object, NULL);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_EQ(WaitForSingleObject(calls.begun, SOON_MS), WAIT_TIMEOUT);
    calls.again = wait;
    SetThreadpoolWait(wait, calls.object, NULL); /* it is signalled */
    for (int i = 2; i < 20; i++) {
        EXPECT_SIGNALLED(calls.begun);
        EXPECT_EQ(flag_get(&calls.signalled), i);
        EXPECT_OK(SetEvent(calls.object));
    }
    EXPECT_SIGNALLED(calls.begun);
    SetThreadpoolWait(wait, NULL, NULL);
    WaitForThreadpoolWaitCallbacks(wait, TRUE);
    CloseThreadpoolWait(wait);
    EXPECT_FAILS(CreateThreadpoolWait(NULL, NULL, NULL), ERROR_INVALID_PARAMETER);
    calls_clear(&calls);
}

TEST(Win32PoolWaits, times_out_is_replaced_and_forgotten)
{
    struct calls calls;
    HANDLE other = new_auto_event();
    FILETIME time;
    PTP_WAIT wait = CreateThreadpoolWait(on_pool_wait, &calls, NULL);

    calls_init(&calls);
    SetThreadpoolWait(wait, calls.object, in_ms(&time, SOON_MS));
    EXPECT_SIGNALLED(calls.begun);
    SetThreadpoolWait(wait, calls.object, in_ms(&time, 0));
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_EQ(flag_get(&calls.timed_out), 2);

    SetThreadpoolWait(wait, calls.object, NULL);
    SetThreadpoolWait(wait, other, NULL);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_EQ(WaitForSingleObject(calls.object, 0), WAIT_OBJECT_0); /* not waited for any more */
    EXPECT_OK(SetEvent(other));
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_EQ(flag_get(&calls.signalled), 1);

    SetThreadpoolWait(wait, other, NULL);
    SetThreadpoolWait(wait, NULL, NULL);
    EXPECT_OK(SetEvent(other));
    EXPECT_EQ(WaitForSingleObject(other, 0), WAIT_OBJECT_0);
    SetThreadpoolWait(wait, other, NULL);
    CloseThreadpoolWait(wait); /* while it waits */
    EXPECT_OK(SetEvent(other));
    EXPECT_EQ(WaitForSingleObject(other, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(other));
    calls_clear(&calls);
}

struct pool_wait_case {
    struct calls calls;
    PTP_WAIT wait;
};

static void wait_for_callbacks(void *arg)
{
    WaitForThreadpoolWaitCallbacks(((struct pool_wait_case *)arg)->wait, FALSE);
}

TEST(Win32PoolWaits, closed_while_its_callback_runs_and_a_worker_waits_BL_1)
{
    struct pool_wait_case c;

    calls_init(&c.calls);
    c.calls.gate = new_manual_event();
    c.wait = CreateThreadpoolWait(on_pool_wait, &c.calls, NULL);
    SetThreadpoolWait(c.wait, c.calls.object, NULL);
    EXPECT_OK(SetEvent(c.calls.object));
    EXPECT_SIGNALLED(c.calls.begun);
    on_kind(KIND_WORKER, wait_for_callbacks, open_calls, &c);
    EXPECT_EQ(flag_get(&c.calls.signalled), 1);
    CloseThreadpoolWait(c.wait);
    calls_clear(&c.calls);
}

static VOID CALLBACK on_no_wait(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_WAIT wait,
                                TP_WAIT_RESULT result)
{
}

TEST(Win32PoolWaits, told_what_became_of_the_wait_before)
{
    HANDLE event = new_manual_event();
    PTP_WAIT wait = CreateThreadpoolWait(on_no_wait, NULL, NULL);

    ASSERT_NE(wait, NULL);
    EXPECT_EQ(SetThreadpoolWaitEx(wait, event, NULL, NULL), FALSE);
    EXPECT_EQ(SetThreadpoolWaitEx(wait, event, NULL, NULL), TRUE);
    EXPECT_EQ(SetThreadpoolWaitEx(wait, NULL, NULL, NULL), TRUE);
    EXPECT_EQ(SetThreadpoolWaitEx(wait, NULL, NULL, NULL), FALSE);
    CloseThreadpoolWait(wait);
    EXPECT_OK(CloseHandle(event));
}
