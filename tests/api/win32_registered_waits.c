/* SPDX-License-Identifier: MIT
 *
 * win32_registered_waits.c - registered waits: callbacks when an object is signalled.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "wait_calls.h"

static VOID CALLBACK on_wait(PVOID context, BOOLEAN timed_out)
{
    called(context, timed_out);
}

static void start_wait(struct calls *calls, HANDLE object, ULONG milliseconds, ULONG flags)
{
    EXPECT_OK(
        RegisterWaitForSingleObject(&calls->wait, object, on_wait, calls, milliseconds, flags));
    EXPECT_NE(calls->wait, NULL);
}

TEST(Win32RegisteredWaits, each_signal_is_a_callback_until_it_is_unregistered)
{
    struct calls calls;

    calls_init(&calls);
    start_wait(&calls, calls.object, INFINITE, WT_EXECUTEDEFAULT);
    for (int i = 1; i <= 20; i++) {
        EXPECT_OK(SetEvent(calls.object));
        EXPECT_SIGNALLED(calls.begun);
        EXPECT_EQ(flag_get(&calls.signalled), i);
    }
    EXPECT_OK(UnregisterWaitEx(calls.wait, INVALID_HANDLE_VALUE));
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_EQ(WaitForSingleObject(calls.object, 0), WAIT_OBJECT_0); /* nobody took it */
    EXPECT_EQ(flag_get(&calls.timed_out), 0);
    calls_clear(&calls);
}

TEST(Win32RegisteredWaits, once_means_once)
{
    struct calls calls;

    calls_init(&calls);
    start_wait(&calls, calls.object, INFINITE, WT_EXECUTEONLYONCE);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_EQ(WaitForSingleObject(calls.begun, SOON_MS), WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(calls.object, 0), WAIT_OBJECT_0);
    EXPECT_OK(UnregisterWaitEx(calls.wait, INVALID_HANDLE_VALUE));
    EXPECT_EQ(flag_get(&calls.signalled), 1);
    calls_clear(&calls);
}

TEST(Win32RegisteredWaits, time_outs_come_again_and_signals_between_them)
{
    struct calls calls;

    calls_init(&calls);
    start_wait(&calls, calls.object, SOON_MS, WT_EXECUTEDEFAULT);
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_GE(flag_get(&calls.timed_out), 2);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_OK(wait_until(&calls.signalled, MEANWHILE_MS));
    EXPECT_OK(UnregisterWaitEx(calls.wait, INVALID_HANDLE_VALUE));
    EXPECT_EQ(flag_get(&calls.signalled), 1);
    calls_clear(&calls);
}

TEST(Win32RegisteredWaits, all_kinds_of_objects)
{
    struct calls calls;
    HANDLE semaphore = CreateSemaphoreA(NULL, 3, 3, NULL);
    HANDLE timer = CreateWaitableTimerA(NULL, TRUE, NULL);
    LARGE_INTEGER now = {.QuadPart = -1};

    calls_init(&calls);
    start_wait(&calls, semaphore, INFINITE, WT_EXECUTELONGFUNCTION);
    for (int i = 0; i < 3 && flag_get(&calls.signalled) < 3; i++) /* two may set it once */
        EXPECT_SIGNALLED(calls.begun);
    EXPECT_OK(UnregisterWaitEx(calls.wait, INVALID_HANDLE_VALUE));
    EXPECT_EQ(flag_get(&calls.signalled), 3);
    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);

    start_wait(&calls, timer, INFINITE, WT_EXECUTEONLYONCE | WT_EXECUTEINWAITTHREAD);
    EXPECT_OK(SetWaitableTimer(timer, &now, 0, NULL, NULL, FALSE));
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_OK(UnregisterWaitEx(calls.wait, INVALID_HANDLE_VALUE));
    EXPECT_OK(CloseHandle(semaphore));
    EXPECT_OK(CloseHandle(timer));
    calls_clear(&calls);
}

static DWORD WINAPI end_after(LPVOID event)
{
    EXPECT_SIGNALLED(event);
    return 0;
}

TEST(Win32RegisteredWaits, the_end_of_a_thread)
{
    struct calls calls;
    HANDLE thread;

    calls_init(&calls);
    thread = CreateThread(NULL, 0, end_after, calls.object, 0, NULL);
    start_wait(&calls, thread, INFINITE, WT_EXECUTEONLYONCE);
    EXPECT_OK(CloseHandle(thread)); /* the wait has the object */
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_OK(UnregisterWaitEx(calls.wait, INVALID_HANDLE_VALUE));
    calls_clear(&calls);
}

TEST(Win32RegisteredWaits, bad_arguments)
{
    struct calls calls;
    HANDLE mutex = CreateMutexA(NULL, FALSE, NULL), wait;

    calls_init(&calls);
    EXPECT_FAILS(
        RegisterWaitForSingleObject(&wait, (HANDLE)(ULONG_PTR)0x7ffff0, on_wait, NULL, INFINITE, 0),
        ERROR_INVALID_HANDLE);
    EXPECT_FAILS(RegisterWaitForSingleObject(&wait, NULL, on_wait, NULL, INFINITE, 0),
                 ERROR_INVALID_HANDLE);
    EXPECT_FAILS(RegisterWaitForSingleObject(&wait, mutex, on_wait, NULL, INFINITE, 0),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(RegisterWaitForSingleObject(&wait, calls.object, NULL, NULL, INFINITE, 0),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(RegisterWaitForSingleObject(NULL, calls.object, on_wait, NULL, INFINITE, 0),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(UnregisterWait(NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(UnregisterWaitEx(INVALID_HANDLE_VALUE, NULL), ERROR_INVALID_HANDLE);
    start_wait(&calls, calls.object, INFINITE, 0);
    EXPECT_FAILS(UnregisterWaitEx(calls.wait, mutex), ERROR_INVALID_HANDLE);
    EXPECT_OK(UnregisterWaitEx(calls.wait, NULL));
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(mutex));
    calls_clear(&calls);
}

TEST(Win32RegisteredWaits, unregistered_while_the_callback_runs)
{
    struct calls calls;
    HANDLE done = new_auto_event();

    calls_init(&calls);
    calls.gate = new_manual_event();
    EXPECT_OK(SetEvent(calls.object)); /* signalled before */
    start_wait(&calls, calls.object, INFINITE, WT_EXECUTEDEFAULT);
    EXPECT_SIGNALLED(calls.begun);
    EXPECT_FAILS(UnregisterWaitEx(calls.wait, done), ERROR_IO_PENDING);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_EQ(WaitForSingleObject(done, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(calls.gate));
    EXPECT_SIGNALLED(done);
    EXPECT_EQ(flag_get(&calls.signalled), 1); /* not set again */
    EXPECT_OK(CloseHandle(done));
    calls_clear(&calls);
}

static VOID CALLBACK unregister_self(PVOID context, BOOLEAN timed_out)
{
    struct calls *calls = context;

    EXPECT_EQ(timed_out, FALSE);
    EXPECT_FAILS(UnregisterWait(calls->wait), ERROR_IO_PENDING);
    EXPECT_OK(SetEvent(calls->begun));
}

TEST(Win32RegisteredWaits, a_callback_unregisters_its_own_wait)
{
    struct calls calls;

    calls_init(&calls);
    EXPECT_OK(RegisterWaitForSingleObject(&calls.wait, calls.object, unregister_self, &calls,
                                          INFINITE, WT_EXECUTEDEFAULT));
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_SIGNALLED(calls.begun);
    calls_clear(&calls);
}

static VOID CALLBACK unregister_in_wait_thread(PVOID context, BOOLEAN timed_out)
{
    struct calls *calls = context;

    EXPECT_EQ(timed_out, FALSE);
    SetLastError(SENTINEL);
    EXPECT_OK(
        UnregisterWait(calls->wait)); /* its own thread: there is nothing that it could wait for */
    EXPECT_EQ(GetLastError(), SENTINEL);
    EXPECT_OK(SetEvent(calls->begun));
}

static VOID CALLBACK unregister_ex_in_wait_thread(PVOID context, BOOLEAN timed_out)
{
    struct calls *calls = context;

    EXPECT_EQ(timed_out, FALSE);
    EXPECT_OK(UnregisterWaitEx(calls->wait, INVALID_HANDLE_VALUE));
    EXPECT_OK(SetEvent(calls->begun));
}

TEST(Win32RegisteredWaits, a_callback_of_the_wait_thread_unregisters_its_own_wait)
{
    struct calls calls;

    for (int i = 0; i < 4; i++) {
        calls_init(&calls);
        EXPECT_OK(RegisterWaitForSingleObject(
            &calls.wait, calls.object,
            i & 1 ? unregister_ex_in_wait_thread : unregister_in_wait_thread, &calls, INFINITE,
            WT_EXECUTEINWAITTHREAD | (i & 2 ? WT_EXECUTEONLYONCE : 0)));
        EXPECT_OK(SetEvent(calls.object));
        EXPECT_SIGNALLED(calls.begun);
        EXPECT_OK(SetEvent(calls.object));
        EXPECT_EQ(WaitForSingleObject(calls.begun, SOON_MS), WAIT_TIMEOUT);
        calls_clear(&calls);
    }
}

static void unregister(void *arg)
{
    struct calls *calls = arg;

    EXPECT_OK(UnregisterWaitEx(calls->wait, INVALID_HANDLE_VALUE));
}

static void run_unregister_case(enum kind kind)
{
    struct calls calls;

    calls_init(&calls);
    calls.gate = new_manual_event();
    start_wait(&calls, calls.object, INFINITE, WT_EXECUTEDEFAULT);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_SIGNALLED(calls.begun);
    on_kind(kind, unregister, open_calls, &calls);
    EXPECT_EQ(flag_get(&calls.signalled), 1);
    calls_clear(&calls);
}

CALL_TEST(Win32RegisteredWaits, unregistering_waits_in_a_worker_BL_1,
          run_unregister_case(KIND_WORKER))
CALL_TEST(Win32RegisteredWaits, unregistering_waits_in_a_scheduler,
          run_unregister_case(KIND_SCHEDULER))
CALL_TEST(Win32RegisteredWaits, unregistering_waits_in_a_plain_thread,
          run_unregister_case(KIND_PLAIN))
