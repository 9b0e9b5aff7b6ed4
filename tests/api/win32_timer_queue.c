/* SPDX-License-Identifier: MIT
 *
 * win32_timer_queue.c - timer queues: their timers, and the ends of both.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"
#include "timer_shots.h"

static VOID CALLBACK on_timer(PVOID context, BOOLEAN timed_out)
{
    EXPECT_EQ(timed_out, TRUE);
    shoot(context);
}

static HANDLE start_timer(HANDLE queue, struct shots *shots, DWORD due, DWORD period, ULONG flags)
{
    HANDLE timer = NULL;

    EXPECT_OK(CreateTimerQueueTimer(&timer, queue, on_timer, shots, due, period, flags));
    EXPECT_NE(timer, NULL);
    return timer;
}

TEST(Win32TimerQueue, one_shot_fires_once_and_not_early)
{
    struct shots shots;
    ULONGLONG started = stopwatch();
    HANDLE timer;

    shots_init(&shots, 1);
    timer = start_timer(NULL, &shots, SOON_MS, 0, WT_EXECUTEDEFAULT);
    EXPECT_SIGNALLED(shots.fired);
    EXPECT_GE(stopwatch() - started, SOON_MS - TICK_MS);
    /* It has expired: setting it again does nothing. */
    EXPECT_OK(ChangeTimerQueueTimer(NULL, timer, 0, 0));
    EXPECT_OK(DeleteTimerQueueTimer(NULL, timer, INVALID_HANDLE_VALUE));
    EXPECT_EQ(flag_get(&shots.count), 1);
    shots_clear(&shots);
}

TEST(Win32TimerQueue, periodic_fires_again_until_it_is_deleted)
{
    struct shots shots;
    HANDLE queue = CreateTimerQueue(), timer;
    int count;

    ASSERT_NE(queue, NULL);
    shots_init(&shots, 10);
    timer = start_timer(queue, &shots, 0, 2, WT_EXECUTEINTIMERTHREAD);
    EXPECT_SIGNALLED(shots.enough);
    EXPECT_OK(DeleteTimerQueueTimer(queue, timer, INVALID_HANDLE_VALUE));
    count = flag_get(&shots.count);
    EXPECT_GE(count, 10);
    EXPECT_OK(ResetEvent(shots.fired));
    EXPECT_EQ(WaitForSingleObject(shots.fired, 20), WAIT_TIMEOUT);
    EXPECT_EQ(flag_get(&shots.count), count);
    EXPECT_OK(DeleteTimerQueue(queue));
    shots_clear(&shots);
}

TEST(Win32TimerQueue, once_flag_overrules_the_period)
{
    struct shots shots;
    HANDLE timer;

    shots_init(&shots, 1);
    timer = start_timer(NULL, &shots, 0, 1, WT_EXECUTEONLYONCE);
    EXPECT_SIGNALLED(shots.fired);
    EXPECT_EQ(WaitForSingleObject(shots.fired, 20), WAIT_TIMEOUT);
    EXPECT_OK(DeleteTimerQueueTimer(NULL, timer, INVALID_HANDLE_VALUE));
    EXPECT_EQ(flag_get(&shots.count), 1);
    shots_clear(&shots);
}

TEST(Win32TimerQueue, a_timer_can_be_changed_before_it_fires)
{
    struct shots shots;
    HANDLE timer;

    shots_init(&shots, 3);
    timer = start_timer(NULL, &shots, NEVER_MS, 0, WT_EXECUTEDEFAULT);
    EXPECT_OK(ChangeTimerQueueTimer(NULL, timer, 1, 1));
    EXPECT_SIGNALLED(shots.enough);
    EXPECT_OK(ChangeTimerQueueTimer(NULL, timer, NEVER_MS, 0));
    EXPECT_OK(DeleteTimerQueueTimer(NULL, timer, INVALID_HANDLE_VALUE));
    shots_clear(&shots);
}

TEST(Win32TimerQueue, callbacks_overlap_when_the_period_is_shorter)
{
    struct shots shots;
    HANDLE timer;

    shots_init(&shots, 3);
    shots.gate = new_manual_event();
    timer = start_timer(NULL, &shots, 0, 5, WT_EXECUTEDEFAULT);
    EXPECT_SIGNALLED(shots.fired); /* the first has not returned */
    EXPECT_SIGNALLED(shots.fired);
    EXPECT_EQ(flag_get(&shots.count), 0);
    EXPECT_OK(SetEvent(shots.gate));
    EXPECT_SIGNALLED(shots.enough);
    EXPECT_OK(DeleteTimerQueueTimer(NULL, timer, INVALID_HANDLE_VALUE));
    shots_clear(&shots);
}

TEST(Win32TimerQueue, due_at_once_is_called_though_it_is_deleted_at_once)
{
    struct shots shots;
    HANDLE done = new_auto_event();

    shots_init(&shots, 2 * AT_ONCE);
    for (int i = 0; i < AT_ONCE; i++) {
        HANDLE timer = start_timer(NULL, &shots, 0, i % 2 ? NEVER_MS : 0, WT_EXECUTEDEFAULT);

        EXPECT_OK(DeleteTimerQueueTimer(NULL, timer, INVALID_HANDLE_VALUE));
        EXPECT_EQ(flag_get(&shots.count), 2 * i + 1);
        timer = start_timer(NULL, &shots, NEVER_MS, 0, WT_EXECUTEDEFAULT);
        EXPECT_OK(ChangeTimerQueueTimer(NULL, timer, 0, 0));
        if (!DeleteTimerQueueTimer(NULL, timer, done))
            EXPECT_EQ(GetLastError(), ERROR_IO_PENDING);
        EXPECT_SIGNALLED(done);
        EXPECT_EQ(flag_get(&shots.count), 2 * i + 2);
    }
    EXPECT_OK(CloseHandle(done));
    shots_clear(&shots);
}

TEST(Win32TimerQueue, bad_arguments)
{
    struct shots shots;
    HANDLE timer = NULL, semaphore = CreateSemaphoreA(NULL, 0, 1, NULL);

    shots_init(&shots, 1);
    EXPECT_FAILS(CreateTimerQueueTimer(&timer, INVALID_HANDLE_VALUE, on_timer, NULL, 0, 0, 0),
                 ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CreateTimerQueueTimer(NULL, NULL, on_timer, NULL, 0, 0, 0),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateTimerQueueTimer(&timer, NULL, NULL, NULL, 0, 0, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ChangeTimerQueueTimer(NULL, NULL, 0, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteTimerQueueTimer(NULL, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DeleteTimerQueueEx(NULL, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(DeleteTimerQueue(INVALID_HANDLE_VALUE), ERROR_INVALID_HANDLE);
    /* A failed deletion deletes nothing. */
    timer = start_timer(NULL, &shots, NEVER_MS, 0, WT_EXECUTEDEFAULT);
    EXPECT_FAILS(DeleteTimerQueueTimer(NULL, timer, (HANDLE)(ULONG_PTR)0x7ffff0),
                 ERROR_INVALID_HANDLE);
    EXPECT_FAILS(DeleteTimerQueueTimer(NULL, timer, semaphore), ERROR_INVALID_HANDLE);
    EXPECT_OK(ChangeTimerQueueTimer(NULL, timer, 0, 0));
    EXPECT_SIGNALLED(shots.fired);
    EXPECT_OK(DeleteTimerQueueTimer(NULL, timer, INVALID_HANDLE_VALUE));
    EXPECT_OK(CloseHandle(semaphore));
    shots_clear(&shots);
}

TEST(Win32TimerQueue, deletion_with_an_event)
{
    struct shots shots;
    HANDLE done = new_manual_event();
    HANDLE timer;

    shots_init(&shots, 1);
    timer = start_timer(NULL, &shots, NEVER_MS, 0, WT_EXECUTEDEFAULT);
    EXPECT_OK(DeleteTimerQueueTimer(NULL, timer, done)); /* no callback runs */
    EXPECT_SIGNALLED(done);
    EXPECT_OK(ResetEvent(done));

    shots.gate = new_manual_event();
    timer = start_timer(NULL, &shots, 0, 0, WT_EXECUTEDEFAULT);
    EXPECT_SIGNALLED(shots.fired);
    EXPECT_FAILS(DeleteTimerQueueTimer(NULL, timer, done), ERROR_IO_PENDING);
    EXPECT_EQ(WaitForSingleObject(done, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(shots.gate));
    EXPECT_SIGNALLED(done);
    EXPECT_EQ(flag_get(&shots.count), 1);
    EXPECT_OK(CloseHandle(done));
    shots_clear(&shots);
}

static VOID CALLBACK delete_self(PVOID context, BOOLEAN timed_out)
{
    struct shots *shots = context;

    EXPECT_SIGNALLED(shots->gate); /* shots->timer is written */
    EXPECT_FAILS(DeleteTimerQueueTimer(shots->queue, shots->timer, NULL), ERROR_IO_PENDING);
    shots->count += timed_out;
    EXPECT_OK(SetEvent(shots->enough));
}

TEST(Win32TimerQueue, a_callback_deletes_its_own_timer)
{
    struct shots shots;
    HANDLE done = new_manual_event();

    shots_init(&shots, 1);
    shots.gate = new_manual_event();
    shots.queue = CreateTimerQueue();
    EXPECT_OK(CreateTimerQueueTimer(&shots.timer, shots.queue, delete_self, &shots, 0, 0, 0));
    EXPECT_OK(SetEvent(shots.gate));
    EXPECT_SIGNALLED(shots.enough);
    /* Deletes the queue while its last callback may still run. The queue ends after the callback.
     * */
    DeleteTimerQueueEx(shots.queue, done);
    EXPECT_SIGNALLED(done);
    EXPECT_EQ(shots.count, 1);
    EXPECT_OK(CloseHandle(done));
    shots_clear(&shots);
}

/* ---- queues ---- */

static HANDLE busy_queue(struct shots *shots)
{
    HANDLE queue = CreateTimerQueue();

    shots->gate = new_manual_event();
    for (int i = 0; i < 3; i++) {
        start_timer(queue, shots, NEVER_MS, 0, WT_EXECUTEDEFAULT);
        start_timer(queue, shots, 0, 0, WT_EXECUTEDEFAULT);
        EXPECT_SIGNALLED(shots->fired);
    }
    return queue;
}

TEST(Win32TimerQueue, queue_deleted_while_callbacks_run)
{
    struct shots shots;
    HANDLE queue, done = new_manual_event();

    shots_init(&shots, 3);
    queue = busy_queue(&shots);
    EXPECT_FAILS(DeleteTimerQueueEx(queue, done), ERROR_IO_PENDING);
    EXPECT_EQ(WaitForSingleObject(done, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(shots.gate));
    EXPECT_SIGNALLED(done);
    EXPECT_EQ(flag_get(&shots.count), 3);
    EXPECT_OK(CloseHandle(done));
    shots_clear(&shots);
}

static void delete_queue(void *arg)
{
    struct shots *shots = arg;

    EXPECT_OK(DeleteTimerQueueEx(shots->queue, INVALID_HANDLE_VALUE));
    EXPECT_EQ(flag_get(&shots->count), 3);
}

static void open_shots(void *arg)
{
    EXPECT_OK(SetEvent(((struct shots *)arg)->gate));
}

static void run_delete_case(enum kind kind)
{
    struct shots shots;

    shots_init(&shots, 3);
    shots.queue = busy_queue(&shots);
    on_kind(kind, delete_queue, open_shots, &shots);
    shots_clear(&shots);
}

CALL_TEST(Win32TimerQueue, deletion_waits_in_a_worker_BL_1, run_delete_case(KIND_WORKER))
CALL_TEST(Win32TimerQueue, deletion_waits_in_a_scheduler, run_delete_case(KIND_SCHEDULER))
CALL_TEST(Win32TimerQueue, deletion_waits_in_a_plain_thread, run_delete_case(KIND_PLAIN))

enum { MANY = 500 };

TEST(Win32TimerQueue, many_timers_set_and_deleted_while_they_fire)
{
    struct shots shots;
    HANDLE queue = CreateTimerQueue(), done = new_manual_event();

    shots_init(&shots, MANY);
    for (int i = 0; i < MANY; i++) {
        HANDLE timer = start_timer(queue, &shots, (DWORD)i % 3, 1, WT_EXECUTEDEFAULT);

        EXPECT_OK(ChangeTimerQueueTimer(queue, timer, 0, 1));
        if (i % 2)
            DeleteTimerQueueTimer(queue, timer, NULL);
    }
    EXPECT_SIGNALLED(shots.enough);
    DeleteTimerQueueEx(queue, done);
    EXPECT_SIGNALLED(done);
    EXPECT_OK(CloseHandle(done));
    shots_clear(&shots);
}
