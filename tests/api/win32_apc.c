/* SPDX-License-Identifier: MIT
 *
 * win32_apc.c - asynchronous procedure calls: run by their thread, in its alertable waits only.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

static struct {
    int calls;
    DWORD thread;
    ULONG_PTR order[16];
} seen;

static VOID CALLBACK note_call(ULONG_PTR data)
{
    int call = flag_add(&seen.calls, 1) - 1;

    seen.thread = GetCurrentThreadId();
    if (call < 16)
        seen.order[call] = data;
}

static void queue_to_self(void *arg)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    HANDLE two[2] = {event, event};

    seen.calls = 0;
    for (ULONG_PTR i = 0; i < 3; i++)
        EXPECT_OK(QueueUserAPC(note_call, GetCurrentThread(), 100 + i));
    EXPECT_EQ(WaitForSingleObject(event, 5), WAIT_TIMEOUT); /* not alertable: nothing */
    EXPECT_EQ(SleepEx(1, FALSE), 0);
    EXPECT_EQ(seen.calls, 0);
    EXPECT_EQ(SleepEx(INFINITE, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(seen.calls, 3); /* all of them, in order, on this thread */
    for (ULONG_PTR i = 0; i < 3; i++)
        EXPECT_EQ(seen.order[i], 100 + i);
    EXPECT_EQ(seen.thread, GetCurrentThreadId());
    EXPECT_EQ(SleepEx(0, TRUE), 0);

    EXPECT_OK(QueueUserAPC(note_call, GetCurrentThread(), 1));
    EXPECT_EQ(SleepEx(0, TRUE), WAIT_IO_COMPLETION);
    EXPECT_OK(QueueUserAPC(note_call, GetCurrentThread(), 1));
    EXPECT_EQ(WaitForSingleObjectEx(event, 5000, TRUE), WAIT_IO_COMPLETION);
    EXPECT_OK(QueueUserAPC(note_call, GetCurrentThread(), 1));
    EXPECT_EQ(WaitForMultipleObjectsEx(2, two, FALSE, 5000, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(seen.calls, 6);
    EXPECT_EQ(WaitForSingleObjectEx(event, 5, TRUE), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(event));
}

CALL_TEST(Win32Apc, queued_to_itself, in_each_kind(queue_to_self, NULL))

static VOID CALLBACK queue_another(ULONG_PTR left)
{
    flag_add(&seen.calls, 1);
    if (left > 0)
        EXPECT_OK(QueueUserAPC(queue_another, GetCurrentThread(), left - 1));
}

static void chain(void *arg)
{
    seen.calls = 0;
    EXPECT_OK(QueueUserAPC(queue_another, GetCurrentThread(), 4));
    for (int i = 0; i < 5 && seen.calls < 5; i++)
        EXPECT_EQ(SleepEx(1000, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(seen.calls, 5);
}

CALL_TEST(Win32Apc, that_queues_the_next, in_each_kind(chain, NULL))

/* ---- from outside ---- */

struct target {
    HANDLE event;
    HANDLE thread;
};

static void wait_alertable(void *arg)
{
    struct target *target = arg;

    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                              &target->thread, 0, FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_OK(QueueUserAPC(note_call, target->thread, 7));
    EXPECT_EQ(SleepEx(0, TRUE), WAIT_IO_COMPLETION);
    seen.calls = 0;
    SetEvent(target->event); /* the handle is there */
    EXPECT_EQ(WaitForSingleObjectEx(GetCurrentThread(), 5000, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(seen.calls, 1);
    EXPECT_EQ(seen.thread, GetCurrentThreadId());
}

static void queue_to_target(void *arg)
{
    struct target *target = arg;

    EXPECT_EQ(WaitForSingleObject(target->event, 5000), WAIT_OBJECT_0);
    EXPECT_OK(QueueUserAPC(note_call, target->thread, 8));
    EXPECT_OK(CloseHandle(target->thread));
}

TEST(Win32Apc, ends_a_wait)
{
    struct target target = {CreateEventA(NULL, FALSE, FALSE, NULL), NULL};

    on_each_kind(wait_alertable, queue_to_target, &target);
    EXPECT_OK(CloseHandle(target.event));
}

/* An alertable wait for all takes nothing when a call ends it. */
static void wait_all_alertable(void *arg)
{
    HANDLE two[2] = {CreateSemaphoreA(NULL, 1, 1, NULL), CreateEventA(NULL, FALSE, FALSE, NULL)};

    EXPECT_OK(QueueUserAPC(note_call, GetCurrentThread(), 1));
    EXPECT_EQ(WaitForMultipleObjectsEx(2, two, TRUE, 5000, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(WaitForSingleObject(two[0], 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(two[0]));
    EXPECT_OK(CloseHandle(two[1]));
}

CALL_TEST(Win32Apc, takes_no_object, in_each_kind(wait_all_alertable, NULL))

static void wait_for_three(void *arg)
{
    while (flag_get(&seen.calls) < 300) {
        if (SleepEx(8000, TRUE) != WAIT_IO_COMPLETION) {
            FAIL("%d of 300 calls came", flag_get(&seen.calls));
            return;
        }
    }
}

static DWORD WINAPI queue_hundred(LPVOID thread)
{
    for (int i = 0; i < 100; i++)
        EXPECT_OK(QueueUserAPC(note_call, thread, (ULONG_PTR)i));
    return 0;
}

TEST(Win32Apc, none_is_lost)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct kind_thread target = {0};
        HANDLE senders[3];

        seen.calls = 0;
        ASSERT_OK(kind_start(&target, kind, wait_for_three, NULL));
        for (int i = 0; i < 3; i++) {
            senders[i] = CreateThread(NULL, 0, queue_hundred, target.thread, 0, NULL);
            ASSERT_OK(senders[i] != NULL);
        }
        EXPECT_EQ(WaitForMultipleObjects(3, senders, TRUE, 8000), WAIT_OBJECT_0);
        ASSERT_OK(kind_join(&target));
        EXPECT_EQ(seen.calls, 300);
        for (int i = 0; i < 3; i++)
            EXPECT_OK(CloseHandle(senders[i]));
    }
}

TEST(Win32Apc, bad_targets)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    EXPECT_FAILS(QueueUserAPC(note_call, (HANDLE)0x7777770, 1), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(QueueUserAPC(note_call, event, 1), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
}

static DWORD WINAPI never_alertable(LPVOID param)
{
    EXPECT_EQ(WaitForSingleObject(param, 5000), WAIT_OBJECT_0);
    return 0;
}

TEST(Win32Apc, thread_that_ends_without_asking)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE thread = CreateThread(NULL, 0, never_alertable, event, 0, NULL);
    HANDLE started = CreateThread(NULL, 0, never_alertable, event, CREATE_SUSPENDED, NULL);

    seen.calls = 0;
    EXPECT_OK(SetEvent(event));
    ASSERT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(QueueUserAPC(note_call, thread, 1), 0);
    EXPECT_EQ(seen.calls, 0);
    /* A thread that has not begun runs its APC before anything else. */
    EXPECT_OK(QueueUserAPC(note_call, started, 1));
    EXPECT_EQ(ResumeThread(started), 1);
    EXPECT_OK(SetEvent(event));
    ASSERT_EQ(WaitForSingleObject(started, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(seen.calls, 1);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(started));
    EXPECT_OK(CloseHandle(event));
}
