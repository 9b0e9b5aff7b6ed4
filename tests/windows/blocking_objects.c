/* SPDX-License-Identifier: MIT
 *
 * blocking_objects.c - waits for objects, for time and for locks of user mode: another worker of the same scheduler
 * runs meanwhile and ends the wait.
 *
 * modes: default, umsrun
 * with: meeting.c
 * libraries: synchronization, ws2_32
 */
#include <winsock2.h>

#include "fleet.h"
#include "gtest_c.h"
#include "meeting.h"
#include "stopwatch.h"

enum { PORT_KEY = 77 };

/* ---- Objects ------------------------------------------------------------------------------------- */

static void take_mutex(struct meeting *meeting)
{
    EXPECT_EQ(WaitForSingleObject(meeting->a, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(meeting->a)); /* fails for whoever is not the owner */
}

static void free_mutex(struct meeting *meeting)
{
    EXPECT_OK(SetEvent(meeting->b));
}

static DWORD WINAPI own_mutex(LPVOID param)
{
    struct meeting *meeting = param;

    EXPECT_EQ(WaitForSingleObject(meeting->a, LIMIT_MS), WAIT_OBJECT_0);
    flag_set((int *)(void *)&meeting->word, 1);
    EXPECT_EQ(WaitForSingleObject(meeting->b, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(ReleaseMutex(meeting->a));
    return 0;
}

TEST(BlockingObjects, mutex_of_another_thread)
{
    struct meeting meeting = {.block = take_mutex, .complete = free_mutex};
    HANDLE thread;

    meeting.a = CreateMutexA(NULL, FALSE, NULL);
    meeting.b = CreateEventA(NULL, FALSE, FALSE, NULL);
    thread = CreateThread(NULL, 0, own_mutex, &meeting, 0, NULL);
    ASSERT_OK(wait_until((const int *)(const void *)&meeting.word, LIMIT_MS));
    meet(&meeting);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

static void signal_and_wait(struct meeting *meeting)
{
    EXPECT_EQ(SignalObjectAndWait(meeting->a, meeting->b, LIMIT_MS, FALSE), WAIT_OBJECT_0);
}

static void answer_signal(struct meeting *meeting)
{
    EXPECT_EQ(WaitForSingleObject(meeting->a, 0), WAIT_OBJECT_0); /* given before the wait */
    EXPECT_EQ(WaitForSingleObject(meeting->a, 0), WAIT_TIMEOUT);  /* and once */
    EXPECT_OK(SetEvent(meeting->b));
}

TEST(BlockingObjects, signal_and_wait)
{
    struct meeting meeting = {.block = signal_and_wait, .complete = answer_signal};

    meeting.a = CreateEventA(NULL, FALSE, FALSE, NULL);
    meeting.b = CreateEventA(NULL, FALSE, FALSE, NULL);
    meet(&meeting);
}

static void take_packet(struct meeting *meeting)
{
    OVERLAPPED *overlapped = NULL;
    ULONG_PTR key = 0;
    DWORD bytes = 0;

    EXPECT_OK(GetQueuedCompletionStatus(meeting->a, &bytes, &key, &overlapped, LIMIT_MS));
    EXPECT_EQ(bytes, 5);
    EXPECT_EQ(key, PORT_KEY);
    EXPECT_EQ(overlapped, (OVERLAPPED *)16);
}

static void post_packet(struct meeting *meeting)
{
    EXPECT_OK(PostQueuedCompletionStatus(meeting->a, 5, PORT_KEY, (OVERLAPPED *)16));
}

TEST(BlockingObjects, completion_port)
{
    struct meeting meeting = {.block = take_packet, .complete = post_packet};

    meeting.a = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    ASSERT_OK(meeting.a != NULL);
    meet(&meeting);
}

/* ---- Time ---------------------------------------------------------------------------------------- */

static void sleep_a_little(struct meeting *meeting)
{
    ULONGLONG start = stopwatch();

    SetLastError(SENTINEL);
    Sleep(50);
    EXPECT_EQ(GetLastError(), SENTINEL);
    EXPECT_GE(stopwatch() - start, 50 - 16);
}

TEST(BlockingObjects, sleep_and_the_last_error)
{
    struct meeting meeting = {.block = sleep_a_little};

    meet(&meeting);
}

static VOID NTAPI note_apc(ULONG_PTR meeting)
{
    ((struct meeting *)meeting)->word = 2;
}

static void sleep_alertable(struct meeting *meeting)
{
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                              &meeting->a, 0, FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_EQ(SleepEx(LIMIT_MS, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(meeting->word, 2);
}

static void queue_apc(struct meeting *meeting)
{
    EXPECT_OK(QueueUserAPC(note_apc, meeting->a, (ULONG_PTR)meeting));
}

TEST(BlockingObjects, alertable_sleep_ended_by_an_apc)
{
    struct meeting meeting = {.block = sleep_alertable, .complete = queue_apc};

    meet(&meeting);
}

/* ---- Locks of user mode -------------------------------------------------------------------------- */

static void wait_on_address(struct meeting *meeting)
{
    LONG zero = 0;

    while (meeting->word == 0)
        EXPECT_OK(WaitOnAddress(&meeting->word, &zero, sizeof zero, LIMIT_MS));
}

static void wake_address(struct meeting *meeting)
{
    meeting->word = 1;
    WakeByAddressSingle((void *)&meeting->word);
}

TEST(BlockingObjects, address)
{
    struct meeting meeting = {.block = wait_on_address, .complete = wake_address};

    meet(&meeting);
}

static void wait_on_address_in_vain(struct meeting *meeting)
{
    LONG zero = 0;

    EXPECT_FAILS(WaitOnAddress(&meeting->word, &zero, sizeof zero, 20), ERROR_TIMEOUT);
}

TEST(BlockingObjects, address_that_times_out)
{
    struct meeting meeting = {.block = wait_on_address_in_vain};

    meet(&meeting);
}

static SRWLOCK srw = SRWLOCK_INIT;
static CONDITION_VARIABLE condition = CONDITION_VARIABLE_INIT;

static void wait_for_condition(struct meeting *meeting)
{
    AcquireSRWLockExclusive(&srw);
    while (meeting->word == 0)
        EXPECT_OK(SleepConditionVariableSRW(&condition, &srw, LIMIT_MS, 0));
    ReleaseSRWLockExclusive(&srw);
}

static void wake_condition(struct meeting *meeting)
{
    AcquireSRWLockExclusive(&srw);
    meeting->word = 1;
    ReleaseSRWLockExclusive(&srw);
    WakeConditionVariable(&condition);
}

TEST(BlockingObjects, condition_variable)
{
    struct meeting meeting = {.block = wait_for_condition, .complete = wake_condition};

    meet(&meeting);
}

/* Two that want one lock, and each gives it up only after a while that it sleeps with it. */
static void take_srw_often(struct worker *self)
{
    int *inside = self->arg;

    for (int i = 0; i < 20; i++) {
        AcquireSRWLockExclusive(&srw);
        EXPECT_EQ(flag_add(inside, 1), 1);
        Sleep(1);
        EXPECT_EQ(flag_add(inside, -1), 0);
        ReleaseSRWLockExclusive(&srw);
    }
}

TEST(BlockingObjects, contended_srw_lock_among_eight)
{
    int inside = 0;

    ASSERT_OK(FLEET_RUN(2, FLEET_SHARED_READY, {8, take_srw_often, &inside}));
}
