/* SPDX-License-Identifier: MIT
 *
 * window_waits.c - a worker that waits for messages lets its scheduler go on, and the wait is as
 * documented.
 *
 * The hazard: such a wait is not one of ntdll's calls. Unseen it holds up the scheduler, and with
 * it whoever would send the message.
 *
 * modes: default
 */
#include "gtest_c.h"
#include "moving.h"
#include "stopwatch.h"

enum { ROUNDS = 20, LIMIT_MS = 5000, NO_TIME_MS = 30 };

static struct worker *waiter;
static int turn;            /* the waiter is about to wait for the turn-th time */
static long blocked_before; /* that turn */
static HANDLE event;

/* Yields until the waiter has been seen blocking in its turn. */
static bool waiter_blocks(int wanted)
{
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;

    while (flag_get(&turn) < wanted ||
           __atomic_load_n(&waiter->blocked, __ATOMIC_ACQUIRE) == blocked_before) {
        UmsThreadYield(NULL);
        if (GetTickCount64() > deadline) {
            FAIL("turn %d, wanted %d; blocked %ld times", flag_get(&turn), wanted, waiter->blocked);
            return false;
        }
    }
    return true;
}

/* It changes the last error in the middle of the wait, as a window procedure may. */
static void CALLBACK apc(ULONG_PTR number)
{
    SetLastError((DWORD)number);
}

/* By turns a message, the event and an APC, or messages only: when the waiter has left its scheduler.
 */
static void wake_it(struct worker *self)
{
    for (int i = 1; i <= ROUNDS && !tc_failures(); i++) {
        if (!waiter_blocks(i))
            return;
        if (event && i % 3 == 1)
            EXPECT_OK(SetEvent(event));
        else if (event && i % 3 == 2)
            EXPECT_OK(QueueUserAPC(apc, waiter->thread, (ULONG_PTR)i));
        else
            EXPECT_OK(PostThreadMessageA(waiter->id, WM_USER + 1, 0, i));
    }
}

static void next_turn(struct worker *self)
{
    blocked_before = self->blocked;
    flag_add(&turn, 1);
}

static void expect_message(int turn_wanted)
{
    MSG message;

    ASSERT_OK(PeekMessageA(&message, NULL, 0, 0, PM_REMOVE));
    EXPECT_EQ(message.message, WM_USER + 1);
    EXPECT_EQ(message.lParam, turn_wanted);
}

static void wait_for_objects(struct worker *self)
{
    MSG message;

    PeekMessageA(&message, NULL, WM_USER, WM_USER, PM_NOREMOVE); /* makes the queue */
    for (int i = 1; i <= ROUNDS && !tc_failures(); i++) {
        DWORD got;

        next_turn(self);
        SetLastError(4711);
        got = MsgWaitForMultipleObjectsEx(1, &event, LIMIT_MS, QS_ALLINPUT, MWMO_ALERTABLE);
        EXPECT_EQ(GetLastError(), i % 3 == 2 ? i : 4711);
        EXPECT_EQ(GetCurrentThreadId(), self->id);
        if (i % 3 == 1) {
            EXPECT_EQ(got, WAIT_OBJECT_0);
        } else if (i % 3 == 2) {
            EXPECT_EQ(got, WAIT_IO_COMPLETION);
        } else {
            EXPECT_EQ(got, WAIT_OBJECT_0 + 1);
            expect_message(i);
        }
        EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT); /* used up */
    }
}

/* A timer ends the wait for a message that does not come. */
static void wait_for_messages(struct worker *self)
{
    UINT_PTR timer = SetTimer(NULL, 0, LIMIT_MS, NULL);

    ASSERT_OK(timer);
    for (int i = 1; i <= ROUNDS && !tc_failures(); i++) {
        next_turn(self);
        EXPECT_OK(WaitMessage());
        EXPECT_EQ(GetCurrentThreadId(), self->id);
        expect_message(i);
    }
    EXPECT_OK(KillTimer(NULL, timer));
}

static void wait_or_wake(struct worker *self)
{
    worker_body wait = event ? wait_for_objects : wait_for_messages;

    if (self->index == 0) {
        __atomic_store_n(&waiter, self, __ATOMIC_RELEASE);
        wait(self);
    } else {
        while (!__atomic_load_n(&waiter, __ATOMIC_ACQUIRE))
            UmsThreadYield(NULL);
        wake_it(self);
    }
}

TEST(WindowWaits, message_or_object)
{
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_OK(run_moving(1, 2, wait_or_wake, NULL, NULL));
    EXPECT_OK(CloseHandle(event));
}

TEST(WindowWaits, message)
{
    ASSERT_OK(run_moving(1, 2, wait_or_wake, NULL, NULL));
}

/* What needs no wait is not reported; what fails or comes to nothing says so. */
static void do_not_wait(struct worker *self)
{
    HANDLE closed = CreateEventA(NULL, FALSE, FALSE, NULL);
    ULONGLONG start;
    long before;
    MSG message;

    PeekMessageA(&message, NULL, WM_USER, WM_USER, PM_NOREMOVE);
    before = self->blocked;
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(MsgWaitForMultipleObjectsEx(1, &event, LIMIT_MS, QS_ALLINPUT, 0), WAIT_OBJECT_0);
    EXPECT_EQ(MsgWaitForMultipleObjectsEx(1, &event, 0, QS_ALLINPUT, 0), WAIT_TIMEOUT);
    EXPECT_OK(PostThreadMessageA(self->id, WM_USER + 1, 0, 1));
    EXPECT_EQ(MsgWaitForMultipleObjectsEx(0, NULL, LIMIT_MS, QS_ALLINPUT, 0), WAIT_OBJECT_0);
    expect_message(1);
    EXPECT_OK(CloseHandle(closed));
    SetLastError(0);
    EXPECT_EQ(MsgWaitForMultipleObjectsEx(1, &closed, LIMIT_MS, QS_ALLINPUT, 0), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
    EXPECT_EQ(self->blocked, before);

    start = stopwatch();
    EXPECT_EQ(MsgWaitForMultipleObjectsEx(1, &event, NO_TIME_MS, QS_ALLINPUT, 0), WAIT_TIMEOUT);
    EXPECT_GE(stopwatch() - start + 16, NO_TIME_MS); /* a tick of its clock */
    EXPECT_EQ(self->blocked, before + 1);
}

TEST(WindowWaits, that_need_no_wait)
{
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_OK(run_moving(1, 1, do_not_wait, NULL, NULL));
    EXPECT_OK(CloseHandle(event));
}
