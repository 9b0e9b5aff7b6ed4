/* SPDX-License-Identifier: MIT
 *
 * win32_pool_timers.c - the timers of the thread pool.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "pool_job.h"
#include "stopwatch.h"
#include "timer_shots.h"

static VOID CALLBACK on_pool_timer(PTP_CALLBACK_INSTANCE instance, PVOID context, PTP_TIMER timer)
{
    EXPECT_NE(instance, NULL);
    EXPECT_NE(timer, NULL);
    shoot(context);
}

TEST(Win32PoolTimers, once_periodic_and_not)
{
    struct shots shots;
    FILETIME time;
    ULONGLONG started = stopwatch();
    PTP_TIMER timer = CreateThreadpoolTimer(on_pool_timer, &shots, NULL);

    ASSERT_NE(timer, NULL);
    shots_init(&shots, 5);
    EXPECT_EQ(IsThreadpoolTimerSet(timer), FALSE);
    SetThreadpoolTimer(timer, in_ms(&time, SOON_MS), 0, 0);
    EXPECT_EQ(IsThreadpoolTimerSet(timer), TRUE);
    EXPECT_SIGNALLED(shots.fired);
    EXPECT_GE(stopwatch() - started, SOON_MS - TICK_MS);
    SetThreadpoolTimer(timer, in_ms(&time, 0), 1, 100);
    EXPECT_SIGNALLED(shots.enough);
    SetThreadpoolTimer(timer, NULL, 0, 0);
    EXPECT_EQ(IsThreadpoolTimerSet(timer), FALSE);
    WaitForThreadpoolTimerCallbacks(timer, TRUE);
    EXPECT_OK(ResetEvent(shots.fired));
    EXPECT_EQ(WaitForSingleObject(shots.fired, 20), WAIT_TIMEOUT);
    CloseThreadpoolTimer(timer);
    EXPECT_FAILS(CreateThreadpoolTimer(NULL, NULL, NULL), ERROR_INVALID_PARAMETER);
    shots_clear(&shots);
}

TEST(Win32PoolTimers, closed_while_set_and_while_it_runs)
{
    struct shots shots;
    FILETIME time;
    PTP_TIMER timer = CreateThreadpoolTimer(on_pool_timer, &shots, NULL);

    shots_init(&shots, 1);
    SetThreadpoolTimer(timer, in_ms(&time, NEVER_MS), 0, 0);
    CloseThreadpoolTimer(timer);
    shots.gate = new_manual_event();
    timer = CreateThreadpoolTimer(on_pool_timer, &shots, NULL);
    SetThreadpoolTimer(timer, in_ms(&time, 0), NEVER_MS, 0);
    EXPECT_SIGNALLED(shots.fired);
    CloseThreadpoolTimer(timer);
    EXPECT_OK(SetEvent(shots.gate));
    EXPECT_SIGNALLED(shots.enough);
    EXPECT_EQ(flag_get(&shots.count), 1);
    shots_clear(&shots);
}

TEST(Win32PoolTimers, due_at_once_is_called_though_it_is_stopped_at_once)
{
    struct shots shots;
    FILETIME time;
    PTP_TIMER timer;

    shots_init(&shots, 3 * AT_ONCE);
    for (int i = 0; i < AT_ONCE; i++) {
        timer = CreateThreadpoolTimer(on_pool_timer, &shots, NULL);
        SetThreadpoolTimer(timer, in_ms(&time, 0), 0, 0);
        WaitForThreadpoolTimerCallbacks(timer, FALSE);
        EXPECT_EQ(flag_get(&shots.count), 2 * i + 1);
        time = (FILETIME){1, 0}; /* in 1601 */
        SetThreadpoolTimer(timer, &time, NEVER_MS, 0);
        SetThreadpoolTimer(timer, NULL, 0, 0);
        WaitForThreadpoolTimerCallbacks(timer, FALSE);
        EXPECT_EQ(flag_get(&shots.count), 2 * i + 2);
        CloseThreadpoolTimer(timer);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        timer = CreateThreadpoolTimer(on_pool_timer, &shots, NULL);
        SetThreadpoolTimer(timer, in_ms(&time, 0), 0, 0);
        CloseThreadpoolTimer(timer);
    }
    EXPECT_SIGNALLED(shots.enough);
    shots_clear(&shots);
}

TEST(Win32PoolTimers, told_what_became_of_the_time_before)
{
    struct shots shots;
    FILETIME time;
    PTP_TIMER timer = CreateThreadpoolTimer(on_pool_timer, &shots, NULL);

    ASSERT_NE(timer, NULL);
    shots_init(&shots, 1);
    EXPECT_EQ(SetThreadpoolTimerEx(timer, in_ms(&time, NEVER_MS), 0, 0), FALSE);
    EXPECT_EQ(SetThreadpoolTimerEx(timer, in_ms(&time, NEVER_MS), 0, 0), TRUE);
    EXPECT_EQ(SetThreadpoolTimerEx(timer, NULL, 0, 0), TRUE);
    EXPECT_EQ(SetThreadpoolTimerEx(timer, NULL, 0, 0), FALSE);
    EXPECT_EQ(SetThreadpoolTimerEx(timer, in_ms(&time, 0), 0, 0), FALSE);
    EXPECT_SIGNALLED(shots.fired);
    EXPECT_EQ(SetThreadpoolTimerEx(timer, NULL, 0, 0), FALSE); /* it has come */
    WaitForThreadpoolTimerCallbacks(timer, FALSE);
    CloseThreadpoolTimer(timer);
    shots_clear(&shots);
}
