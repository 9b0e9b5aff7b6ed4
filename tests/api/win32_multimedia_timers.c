/* SPDX-License-Identifier: MIT
 *
 * win32_multimedia_timers.c - winmm's timers: one callback or many, events, and how they are stopped.
 *
 * modes: win32
 * libraries: winmm
 * except: one_that_has_fired_is_gone, what_is_no_timer
 */
#include <windows.h>

#include <mmsystem.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"
#include "timer_shots.h"

enum { LATER_MS = 60000 };

struct timer {
    struct shots shots; /* first */
    UINT number;        /* which its callback was told */
    int killed;         /* what timeKillEvent said there */
};

static int under_way; /* callbacks of all timers */

static void CALLBACK on_timer(UINT number, UINT message, DWORD_PTR user, DWORD_PTR one,
                              DWORD_PTR two)
{
    struct timer *timer = (struct timer *)user;

    EXPECT_EQ(flag_add(&under_way, 1), 1);
    EXPECT_THAT(message == 0 && one == 0 && two == 0, "message %u", message);
    timer->number = number;
    shoot(&timer->shots);
    flag_add(&under_way, -1);
}

static UINT start(struct timer *timer, int wanted, UINT delay, UINT flags)
{
    UINT number;

    timer->killed = 4711;
    shots_init(&timer->shots, wanted);
    number = timeSetEvent(delay, 0, on_timer, (DWORD_PTR)timer, flags);
    EXPECT_NE(number, 0);
    return number;
}

TEST_IN_EACH_KIND(Win32MultimediaTimers, one_shot)
{
    ULONGLONG started = stopwatch();
    struct timer timer = {0};
    UINT number = start(&timer, 1, SOON_MS, TIME_ONESHOT | TIME_CALLBACK_FUNCTION);

    EXPECT_SIGNALLED(timer.shots.enough);
    EXPECT_GE(stopwatch() - started, SOON_MS - TICK_MS);
    EXPECT_EQ(timer.number, number);
    EXPECT_EQ(WaitForSingleObject(timer.shots.fired, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(timer.shots.fired, 2 * SOON_MS), WAIT_TIMEOUT);
    shots_clear(&timer.shots);
}

TEST(Win32MultimediaTimers, periodic_ones_take_turns_until_they_are_killed)
{
    struct timer one = {0}, other = {0};
    UINT number = start(&one, 5, 2, TIME_PERIODIC | TIME_KILL_SYNCHRONOUS);
    UINT other_number = start(&other, 5, 1, TIME_PERIODIC | TIME_KILL_SYNCHRONOUS);
    int count;

    EXPECT_NE(number, other_number);
    EXPECT_SIGNALLED(one.shots.enough);
    EXPECT_SIGNALLED(other.shots.enough);
    EXPECT_EQ(timeKillEvent(number), TIMERR_NOERROR);
    EXPECT_EQ(timeKillEvent(other_number), TIMERR_NOERROR);
    count = flag_get(&one.shots.count) + flag_get(&other.shots.count);
    EXPECT_THAT(one.number == number && other.number == other_number, "%u and %u", one.number,
                other.number);
    Sleep(20);
    EXPECT_EQ(flag_get(&one.shots.count) + flag_get(&other.shots.count), count);
    shots_clear(&one.shots);
    shots_clear(&other.shots);
}

TEST(Win32MultimediaTimers, killed_before_its_time)
{
    struct timer timer = {0};
    UINT number = start(&timer, 1, LATER_MS, TIME_ONESHOT | TIME_KILL_SYNCHRONOUS);

    EXPECT_EQ(timeKillEvent(number), TIMERR_NOERROR);
    EXPECT_NE(timeKillEvent(number), TIMERR_NOERROR);
    EXPECT_EQ(flag_get(&timer.shots.count), 0);
    shots_clear(&timer.shots);
}

static void CALLBACK kill_yourself(UINT number, UINT message, DWORD_PTR user, DWORD_PTR one,
                                   DWORD_PTR two)
{
    struct timer *timer = (struct timer *)user;

    timer->killed = (int)timeKillEvent(number);
    shoot(&timer->shots);
}

TEST(Win32MultimediaTimers, killed_by_its_own_callback)
{
    struct timer timer = {.killed = 4711};

    shots_init(&timer.shots, 1);
    EXPECT_NE(
        timeSetEvent(1, 0, kill_yourself, (DWORD_PTR)&timer, TIME_PERIODIC | TIME_KILL_SYNCHRONOUS),
        0);
    EXPECT_SIGNALLED(timer.shots.enough);
    EXPECT_EQ(timer.killed, TIMERR_NOERROR);
    Sleep(20);
    EXPECT_EQ(flag_get(&timer.shots.count), 1);
    shots_clear(&timer.shots);
}

static void kill_it(void *arg)
{
    struct timer *timer = arg;

    EXPECT_EQ(timeKillEvent(timer->number), TIMERR_NOERROR);
    timer->killed = flag_get(&timer->shots.count);
}

static void open_gate(void *arg)
{
    EXPECT_OK(SetEvent(((struct timer *)arg)->shots.gate));
}

static void start_gated(struct timer *timer, UINT flags)
{
    shots_init(&timer->shots, 1);
    timer->shots.gate = new_manual_event();
    EXPECT_NE(timeSetEvent(1, 0, on_timer, (DWORD_PTR)timer, flags), 0);
    EXPECT_SIGNALLED(timer->shots.fired); /* and does not return before the gate is open */
}

TEST(Win32MultimediaTimers, killing_waits_for_the_callback)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct timer timer = {0};

        start_gated(&timer, TIME_PERIODIC | TIME_KILL_SYNCHRONOUS);
        on_kind(kind, kill_it, open_gate, &timer);
        EXPECT_GE(timer.killed, 1);
        Sleep(5);
        EXPECT_EQ(flag_get(&timer.shots.count), timer.killed);
        shots_clear(&timer.shots);
    }
}

TEST(Win32MultimediaTimers, a_one_shot_can_be_killed_while_it_calls)
{
    struct timer timer = {0};

    start_gated(&timer, TIME_ONESHOT);
    EXPECT_EQ(timeKillEvent(timer.number), TIMERR_NOERROR);
    EXPECT_EQ(flag_get(&timer.shots.count), 0);
    open_gate(&timer);
    EXPECT_SIGNALLED(timer.shots.enough);
    shots_clear(&timer.shots);
}

TEST(Win32MultimediaTimers, events)
{
    HANDLE set = new_auto_event(), pulsed = new_manual_event();
    UINT number = timeSetEvent(1, 0, (LPTIMECALLBACK)set, 0, TIME_CALLBACK_EVENT_SET);

    EXPECT_NE(number, 0);
    EXPECT_SIGNALLED(set);
    number = timeSetEvent(1, 0, (LPTIMECALLBACK)set, 0, TIME_PERIODIC | TIME_CALLBACK_EVENT_SET);
    EXPECT_NE(number, 0);
    EXPECT_SIGNALLED(set);
    EXPECT_SIGNALLED(set);
    EXPECT_EQ(timeKillEvent(number), TIMERR_NOERROR);
    number = timeSetEvent(1, 0, (LPTIMECALLBACK)pulsed, 0,
                          TIME_PERIODIC | TIME_CALLBACK_EVENT_PULSE | TIME_KILL_SYNCHRONOUS);
    EXPECT_NE(number, 0);
    EXPECT_SIGNALLED(pulsed);
    EXPECT_SIGNALLED(pulsed);
    EXPECT_EQ(WaitForSingleObject(pulsed, 0), WAIT_TIMEOUT);
    EXPECT_EQ(timeKillEvent(number), TIMERR_NOERROR);
    EXPECT_OK(CloseHandle(set));
    EXPECT_OK(CloseHandle(pulsed));
}

TEST(Win32MultimediaTimers, delays_out_of_range)
{
    TIMECAPS caps = {0, 0};

    EXPECT_EQ(timeGetDevCaps(&caps, sizeof caps), TIMERR_NOERROR);
    EXPECT_EQ(timeSetEvent(0, 0, on_timer, 0, TIME_ONESHOT), 0);
    EXPECT_EQ(timeSetEvent(caps.wPeriodMax + 1, 0, on_timer, 0, TIME_ONESHOT), 0);
}

TEST(Win32MultimediaTimers, looked_up_by_name)
{
    HMODULE winmm = GetModuleHandleA("winmm.dll");

    EXPECT_THAT(GetProcAddress(winmm, "timeSetEvent"), "timeSetEvent");
    EXPECT_THAT(GetProcAddress(winmm, "timeKillEvent"), "timeKillEvent");
}

TEST_IN_EACH_KIND(Win32MultimediaTimers, what_is_no_timer)
{
    HANDLE mutex = CreateMutexA(NULL, FALSE, NULL);

    EXPECT_EQ(timeKillEvent(0), MMSYSERR_INVALPARAM);
    EXPECT_EQ(timeKillEvent(0x7fffffff), MMSYSERR_INVALPARAM);
    EXPECT_EQ(timeSetEvent(1, 0, NULL, 0, TIME_ONESHOT), 0);
    EXPECT_EQ(timeSetEvent(1, 0, (LPTIMECALLBACK)mutex, 0, TIME_CALLBACK_EVENT_SET), 0);
    EXPECT_EQ(timeSetEvent(1, 0, (LPTIMECALLBACK)0x7777770, 0, TIME_CALLBACK_EVENT_PULSE), 0);
    EXPECT_EQ(timeSetEvent(1, 0, on_timer, 0, TIME_CALLBACK_EVENT_SET | TIME_CALLBACK_EVENT_PULSE),
              0);
    EXPECT_EQ(timeSetEvent(1, 0, on_timer, 0, 0x8000), 0);
    EXPECT_OK(CloseHandle(mutex));
}

/* All callbacks are one thread's, so the second timer's event comes when the first is over. */
TEST_IN_EACH_KIND(Win32MultimediaTimers, one_that_has_fired_is_gone)
{
    HANDLE over = new_auto_event();
    struct timer timer = {0};
    UINT number = start(&timer, 1, 1, TIME_ONESHOT);

    EXPECT_SIGNALLED(timer.shots.enough);
    EXPECT_NE(timeSetEvent(1, 0, (LPTIMECALLBACK)over, 0, TIME_CALLBACK_EVENT_SET), 0);
    EXPECT_SIGNALLED(over);
    EXPECT_EQ(timeKillEvent(number), MMSYSERR_INVALPARAM);
    EXPECT_OK(CloseHandle(over));
    shots_clear(&timer.shots);
}
