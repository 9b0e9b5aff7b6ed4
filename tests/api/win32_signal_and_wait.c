/* SPDX-License-Identifier: MIT
 *
 * win32_signal_and_wait.c - SignalObjectAndWait is one step: no other thread acts between its two
 * parts.
 *
 * docs/windows.md, limits: SignalObjectAndWait of a worker.
 *
 * modes: win32
 * except: is_waiting_once_it_has_signalled
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

static void kinds_of_objects(void *arg)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    HANDLE semaphore = CreateSemaphoreA(NULL, 0, 2, NULL);
    HANDLE mutex = CreateMutexA(NULL, TRUE, NULL);

    EXPECT_EQ(SignalObjectAndWait(event, event, 0, FALSE), WAIT_OBJECT_0);
    EXPECT_EQ(SignalObjectAndWait(semaphore, event, 5000, FALSE), WAIT_OBJECT_0);
    EXPECT_EQ(SignalObjectAndWait(semaphore, semaphore, INFINITE, FALSE), WAIT_OBJECT_0);
    EXPECT_EQ(SignalObjectAndWait(mutex, semaphore, 0, FALSE), WAIT_OBJECT_0);
    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
    EXPECT_EQ(SignalObjectAndWait(event, mutex, 0, FALSE), WAIT_OBJECT_0);
    EXPECT_EQ(SignalObjectAndWait(event, semaphore, 10, FALSE), WAIT_TIMEOUT);
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(semaphore));
    EXPECT_OK(CloseHandle(mutex));
}

TEST(Win32SignalAndWait, events_semaphores_mutexes)
{
    in_each_kind(kinds_of_objects, NULL);
}

TEST(Win32SignalAndWait, failures)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE full = CreateSemaphoreA(NULL, 1, 1, NULL);
    HANDLE mutex = CreateMutexA(NULL, FALSE, NULL);
    HANDLE timer = CreateWaitableTimerA(NULL, FALSE, NULL);

    EXPECT_WAIT_FAILS(SignalObjectAndWait(full, event, 0, FALSE), ERROR_TOO_MANY_POSTS);
    EXPECT_WAIT_FAILS(SignalObjectAndWait(mutex, event, 0, FALSE), ERROR_NOT_OWNER);
    EXPECT_WAIT_FAILS(SignalObjectAndWait(timer, event, 0, FALSE), ERROR_INVALID_HANDLE);
    EXPECT_WAIT_FAILS(SignalObjectAndWait(NULL, event, 0, FALSE), ERROR_INVALID_HANDLE);
    EXPECT_WAIT_FAILS(SignalObjectAndWait((HANDLE)0x7777770, event, 0, FALSE),
                      ERROR_INVALID_HANDLE);
    /* What cannot be waited for is found out before anything is signalled. */
    EXPECT_WAIT_FAILS(SignalObjectAndWait(event, (HANDLE)0x7777770, 0, FALSE),
                      ERROR_INVALID_HANDLE);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(timer));
    EXPECT_OK(CloseHandle(mutex));
    EXPECT_OK(CloseHandle(full));
    EXPECT_OK(CloseHandle(event));
}

static VOID CALLBACK count_call(ULONG_PTR counter)
{
    flag_add((int *)counter, 1);
}

static void alertable(void *arg)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE never = CreateEventA(NULL, FALSE, FALSE, NULL);
    int calls = 0;

    EXPECT_OK(QueueUserAPC(count_call, GetCurrentThread(), (ULONG_PTR)&calls));
    EXPECT_EQ(SignalObjectAndWait(event, never, 5, FALSE), WAIT_TIMEOUT);
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(SignalObjectAndWait(event, never, 5000, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0); /* signalled all the same */
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(never));
}

TEST(Win32SignalAndWait, alertable)
{
    in_each_kind(alertable, NULL);
}

/* Ping-pong: with each step a turn is handed over, and neither side may ever miss one. */
struct table {
    HANDLE ball[2];
    int turns;
};

static struct table table;
/* So few that a loaded machine plays them well within kind_join's limit: what does not come is then
 * told by the side that waits for it, with the turn's number. */
enum { TURNS = 500 };

static void play(int side)
{
    for (int i = 0; i < TURNS; i++) {
        if (SignalObjectAndWait(table.ball[!side], table.ball[side], 8000, FALSE) !=
            WAIT_OBJECT_0) {
            FAIL("side %d: turn %d did not come", side, i);
            return;
        }
        table.turns++; /* only the one that has the turn */
    }
}

static void serve(void *arg)
{
    play(0);
    EXPECT_OK(SetEvent(table.ball[1]));
}

static void receive(void *arg)
{
    EXPECT_EQ(WaitForSingleObject(table.ball[1], 8000), WAIT_OBJECT_0);
    table.turns++;
    play(1);
}

TEST(Win32SignalAndWait, ping_pong_between_all_kinds)
{
    for (int pair = 0; pair < KINDS * KINDS; pair++) {
        struct kind_thread sides[2] = {0};

        table = (struct table){
            {CreateEventA(NULL, FALSE, FALSE, NULL), CreateEventA(NULL, FALSE, FALSE, NULL)}, 0};
        ASSERT_OK(kind_start(&sides[0], pair % KINDS, serve, NULL));
        ASSERT_OK(kind_start(&sides[1], pair / KINDS, receive, NULL));
        ASSERT_OK(kind_join(&sides[0]));
        ASSERT_OK(kind_join(&sides[1]));
        EXPECT_EQ(table.turns, 2 * TURNS + 1);
        EXPECT_OK(CloseHandle(table.ball[0]));
        EXPECT_OK(CloseHandle(table.ball[1]));
    }
}

/* On a plain event PulseEvent lets go the waiters; a thread that signalled and waits in one step is one. */
static struct {
    HANDLE waiting;
    HANDLE pulse;
} pulsed;

static void wait_for_pulse(void *arg)
{
    EXPECT_EQ(SignalObjectAndWait(pulsed.waiting, pulsed.pulse, 8000, FALSE), WAIT_OBJECT_0);
}

static void give_pulse(void *arg)
{
    EXPECT_EQ(WaitForSingleObject(pulsed.waiting, 5000), WAIT_OBJECT_0);
    EXPECT_OK(PulseEvent(pulsed.pulse));
}

TEST(Win32SignalAndWait, is_waiting_once_it_has_signalled)
{
    for (int manual = 0; manual < 2; manual++) {
        pulsed.waiting = CreateEventA(NULL, FALSE, FALSE, NULL);
        pulsed.pulse = CreateEventA(NULL, manual, FALSE, NULL);
        for (int i = 0; i < 50; i++)
            on_each_kind(wait_for_pulse, give_pulse, NULL);
        EXPECT_EQ(WaitForSingleObject(pulsed.pulse, 0), WAIT_TIMEOUT); /* a pulse leaves nothing */
        EXPECT_OK(PulseEvent(pulsed.pulse));
        EXPECT_EQ(WaitForSingleObject(pulsed.pulse, 0), WAIT_TIMEOUT);
        EXPECT_OK(CloseHandle(pulsed.waiting));
        EXPECT_OK(CloseHandle(pulsed.pulse));
    }
}
