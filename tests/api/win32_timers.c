/* SPDX-License-Identifier: MIT
 *
 * win32_timers.c - waitable timers: when they fire, for whom, and how they are stopped.
 *
 * modes: win32
 * except: bad_arguments
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"

enum { TICK_MS = 16 };

static LARGE_INTEGER in_ms(LONGLONG milliseconds)
{
    LARGE_INTEGER due;

    due.QuadPart = -milliseconds * 10000;
    return due;
}

static void expect_elapsed(ULONGLONG since, ULONGLONG least)
{
    ULONGLONG took = stopwatch() - since;

    EXPECT_THAT(took + TICK_MS >= least && took < least + 5000, "%u ms passed, not %u",
                (unsigned)took, (unsigned)least);
}

/* So late that a worker waits before, on a busy machine, too. */
enum { DUE_MS = 250 };

static void wait_until_due(void *timer)
{
    ULONGLONG started = stopwatch();
    LARGE_INTEGER due = in_ms(DUE_MS);

    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(timer, 5000), WAIT_OBJECT_0);
    expect_elapsed(started, DUE_MS);
}

TEST(Win32Timers, auto_reset)
{
    HANDLE timer = CreateWaitableTimerA(NULL, FALSE, NULL);

    ASSERT_OK(timer != NULL);
    EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_TIMEOUT);
    on_each_kind(wait_until_due, NULL, timer);
    EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(timer));
}

TEST(Win32Timers, manual_reset_stays_until_set_anew)
{
    HANDLE timer = CreateWaitableTimerW(NULL, TRUE, NULL);
    LARGE_INTEGER soon = in_ms(5);
    LARGE_INTEGER late = in_ms(60000);

    EXPECT_OK(SetWaitableTimer(timer, &soon, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_OBJECT_0);
    EXPECT_OK(CancelWaitableTimer(timer)); /* does not change the state */
    EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_OBJECT_0);
    EXPECT_OK(SetWaitableTimer(timer, &late, 0, NULL, NULL, FALSE)); /* does */
    EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(timer));
}

TEST(Win32Timers, due_at_once_is_signalled_at_once)
{
    static const LONGLONG past[] = {0, 1}; /* from now; in 1601 */
    HANDLE timer = CreateWaitableTimerA(NULL, FALSE, NULL);

    for (int i = 0; i < 200; i++) {
        LARGE_INTEGER due = {.QuadPart = past[i % 2]};

        EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
        EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_OBJECT_0);
        EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_TIMEOUT);
    }
    EXPECT_OK(CloseHandle(timer));
}

TEST(Win32Timers, periodic)
{
    HANDLE timer = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
    ULONGLONG started = stopwatch();
    LARGE_INTEGER due = in_ms(20);

    EXPECT_OK(SetWaitableTimer(timer, &due, 20, NULL, NULL, FALSE));
    for (int i = 0; i < 5; i++)
        ASSERT_EQ(WaitForSingleObject(timer, 5000), WAIT_OBJECT_0);
    expect_elapsed(started, 100);
    EXPECT_OK(CancelWaitableTimer(timer));
    WaitForSingleObject(timer, 0); /* it may have fired once more */
    EXPECT_EQ(WaitForSingleObject(timer, 80), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(timer));
}

TEST(Win32Timers, cancelled_before_it_is_due)
{
    HANDLE timer = CreateWaitableTimerA(NULL, FALSE, NULL);
    LARGE_INTEGER due = in_ms(30);

    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_OK(CancelWaitableTimer(timer));
    EXPECT_OK(CancelWaitableTimer(timer)); /* nothing to cancel */
    EXPECT_EQ(WaitForSingleObject(timer, 100), WAIT_TIMEOUT);
    due = in_ms(5);
    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(timer));
}

TEST(Win32Timers, set_anew_while_running)
{
    HANDLE timer = CreateWaitableTimerA(NULL, TRUE, NULL);
    ULONGLONG started = stopwatch();
    LARGE_INTEGER due = in_ms(60000);

    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    due = in_ms(40);
    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 5000), WAIT_OBJECT_0);
    expect_elapsed(started, 40);
    for (int i = 0; i < 2000; i++) { /* while it fires, too */
        due.QuadPart = i % 3 ? -1 : -500;
        if (!EXPECT_OK(SetWaitableTimer(timer, &due, i % 2, NULL, NULL, FALSE)))
            break;
    }
    EXPECT_EQ(WaitForSingleObject(timer, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(timer));
}

/* A date: now and 50 ms, as system time. */
TEST(Win32Timers, absolute_time)
{
    HANDLE timer = CreateWaitableTimerA(NULL, FALSE, NULL);
    LARGE_INTEGER due;

    due.QuadPart = 1; /* long ago: at once */
    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 5000), WAIT_OBJECT_0);
    due.QuadPart = 0;
    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 5000), WAIT_OBJECT_0);
    /* The year 2300, and the end of time. */
    due.QuadPart = 220000000000000000;
    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 30), WAIT_TIMEOUT);
    due.QuadPart = 0x7fffffffffffffff;
    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 30), WAIT_TIMEOUT);
    due.QuadPart = -0x7fffffffffffffff;
    EXPECT_OK(SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(timer, 30), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(timer));
}

TEST(Win32Timers, bad_arguments)
{
    HANDLE timer = CreateWaitableTimerA(NULL, FALSE, NULL);
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    LARGE_INTEGER due = in_ms(5);

    EXPECT_FAILS(SetWaitableTimer(timer, &due, -1, NULL, NULL, FALSE), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetWaitableTimer(event, &due, 0, NULL, NULL, FALSE), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetWaitableTimer(NULL, &due, 0, NULL, NULL, FALSE), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CancelWaitableTimer(event), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetEvent(timer), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(timer));
}

/* ---- completion routines ---- */

struct routine {
    HANDLE timer;
    DWORD thread; /* that must call it */
    int calls;
    FILETIME when;
};

static VOID CALLBACK completed(LPVOID arg, DWORD low, DWORD high)
{
    struct routine *routine = arg;

    routine->calls++;
    routine->when.dwLowDateTime = low;
    routine->when.dwHighDateTime = high;
    EXPECT_EQ(GetCurrentThreadId(), routine->thread);
}

static void only_when_alertable(void *arg)
{
    struct routine routine = {
        CreateWaitableTimerA(NULL, TRUE, NULL), GetCurrentThreadId(), 0, {0, 0}};
    LARGE_INTEGER due = in_ms(5);

    EXPECT_OK(SetWaitableTimer(routine.timer, &due, 0, completed, &routine, FALSE));
    EXPECT_EQ(WaitForSingleObject(routine.timer, 5000), WAIT_OBJECT_0);
    Sleep(1);
    EXPECT_EQ(WaitForSingleObjectEx(routine.timer, 0, FALSE), WAIT_OBJECT_0);
    EXPECT_EQ(routine.calls, 0);
    EXPECT_EQ(SleepEx(5000, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(routine.calls, 1);
    EXPECT_NE(routine.when.dwHighDateTime, 0);
    EXPECT_EQ(SleepEx(1, TRUE), 0);
    /* A routine runs, too, that becomes due while the thread sleeps alertably. */
    EXPECT_OK(SetWaitableTimer(routine.timer, &due, 0, completed, &routine, FALSE));
    EXPECT_EQ(SleepEx(5000, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(routine.calls, 2);
    EXPECT_OK(CloseHandle(routine.timer));
}

TEST(Win32Timers, completion_routine)
{
    in_each_kind(only_when_alertable, NULL);
}

static void not_after_cancel(void *arg)
{
    struct routine routine = {
        CreateWaitableTimerA(NULL, TRUE, NULL), GetCurrentThreadId(), 0, {0, 0}};
    LARGE_INTEGER due = in_ms(1);
    LARGE_INTEGER late = in_ms(60000);

    EXPECT_OK(SetWaitableTimer(routine.timer, &due, 0, completed, &routine, FALSE));
    EXPECT_EQ(WaitForSingleObject(routine.timer, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CancelWaitableTimer(routine.timer)); /* cancels the outstanding call */
    EXPECT_EQ(SleepEx(0, TRUE), 0);
    EXPECT_OK(SetWaitableTimer(routine.timer, &due, 0, completed, &routine, FALSE));
    EXPECT_EQ(WaitForSingleObject(routine.timer, 5000), WAIT_OBJECT_0);
    EXPECT_OK(SetWaitableTimer(routine.timer, &late, 0, NULL, NULL, FALSE));
    EXPECT_EQ(SleepEx(0, TRUE), 0);
    EXPECT_EQ(routine.calls, 0);
    EXPECT_OK(CloseHandle(routine.timer));
}

TEST(Win32Timers, no_routine_after_it_was_stopped)
{
    in_each_kind(not_after_cancel, NULL);
}

static VOID CALLBACK count_call(ULONG_PTR calls)
{
    ++*(int *)calls;
}

/* The timer's routine was the last in the queue. After it is cancelled a new one stands behind
 * those before it. */
static void between_others(void *arg)
{
    struct routine routine = {
        CreateWaitableTimerA(NULL, TRUE, NULL), GetCurrentThreadId(), 0, {0, 0}};
    LARGE_INTEGER due = in_ms(1);
    HANDLE self = OpenThread(THREAD_ALL_ACCESS, FALSE, GetCurrentThreadId());
    int calls = 0;

    EXPECT_NE(QueueUserAPC(count_call, self, (ULONG_PTR)&calls), 0);
    EXPECT_OK(SetWaitableTimer(routine.timer, &due, 0, completed, &routine, FALSE));
    EXPECT_EQ(WaitForSingleObject(routine.timer, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CancelWaitableTimer(routine.timer));
    EXPECT_NE(QueueUserAPC(count_call, self, (ULONG_PTR)&calls), 0);
    EXPECT_EQ(SleepEx(0, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(routine.calls, 0);
    EXPECT_OK(CloseHandle(self));
    EXPECT_OK(CloseHandle(routine.timer));
}

CALL_TEST(Win32Timers, a_routine_that_was_stopped_leaves_no_gap, in_each_kind(between_others, NULL))

TEST(Win32Timers, periodic_routine_is_not_queued_twice)
{
    struct routine routine = {
        CreateWaitableTimerA(NULL, FALSE, NULL), GetCurrentThreadId(), 0, {0, 0}};
    LARGE_INTEGER due = in_ms(20);

    EXPECT_OK(SetWaitableTimer(routine.timer, &due, 20, completed, &routine, FALSE));
    for (int i = 0; i < 8; i++)
        ASSERT_EQ(WaitForSingleObject(routine.timer, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(routine.calls, 0);
    EXPECT_EQ(SleepEx(0, TRUE), WAIT_IO_COMPLETION);
    EXPECT_LE(routine.calls, 2); /* the one that was due, and perhaps one that came just now */
    EXPECT_GE(routine.calls, 1);
    EXPECT_OK(CancelWaitableTimer(routine.timer));
    EXPECT_OK(CloseHandle(routine.timer));
}

/* The timer has queued calls to this thread, which ends without having made them. */
static void leave_outstanding(void *arg)
{
    struct routine *routine = arg;
    LARGE_INTEGER due = in_ms(1);

    EXPECT_OK(SetWaitableTimer(routine->timer, &due, 1, completed, routine, FALSE));
    EXPECT_EQ(WaitForSingleObject(routine->timer, 5000), WAIT_OBJECT_0);
}

TEST(Win32Timers, thread_that_ends_before_its_routine)
{
    struct routine routine = {CreateWaitableTimerA(NULL, FALSE, NULL), 0, 0, {0, 0}};

    in_each_kind(leave_outstanding, &routine);
    EXPECT_EQ(WaitForSingleObject(routine.timer, 5000), WAIT_OBJECT_0); /* it goes on firing */
    EXPECT_EQ(routine.calls, 0);
    EXPECT_OK(CloseHandle(routine.timer));
}

TEST(Win32Timers, many)
{
    enum { MANY = 60 };
    HANDLE timers[MANY];
    ULONGLONG started = stopwatch();

    for (int i = 0; i < MANY; i++) {
        LARGE_INTEGER due = in_ms(1 + i * 37 % 50);

        timers[i] = CreateWaitableTimerA(NULL, TRUE, NULL);
        ASSERT_OK(timers[i] != NULL);
        EXPECT_OK(SetWaitableTimer(timers[i], &due, 0, NULL, NULL, FALSE));
    }
    EXPECT_EQ(WaitForMultipleObjects(MANY, timers, TRUE, 5000), WAIT_OBJECT_0);
    expect_elapsed(started, 50);
    for (int i = 0; i < MANY; i++)
        EXPECT_OK(CloseHandle(timers[i]));
}
