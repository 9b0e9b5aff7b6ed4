/* SPDX-License-Identifier: MIT
 *
 * win32_registered_waits.c - callbacks when an object is signalled: registered waits, and the
 * thread pool's own.
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "meanwhile.h"
#include "pool_job.h"

enum { SOON_MS = 20 };

struct calls {
    HANDLE object; /* what is waited for */
    HANDLE begun;  /* auto: set by each callback */
    HANDLE gate;   /* manual, or NULL: what callbacks wait for */
    HANDLE wait;   /* the wait handle */
    int signalled, timed_out;
    PTP_WAIT again; /* set to wait again by its callback */
};

static void calls_init(struct calls *calls)
{
    *calls = (struct calls){.object = new_auto_event(), .begun = new_auto_event()};
}

static void calls_clear(struct calls *calls)
{
    EXPECT_OK(CloseHandle(calls->object));
    EXPECT_OK(CloseHandle(calls->begun));
    if (calls->gate)
        EXPECT_OK(CloseHandle(calls->gate));
}

static void called(struct calls *calls, BOOL timed_out)
{
    HANDLE gate = calls->gate; /* without one, the test may be over once `begun` is set */

    flag_add(timed_out ? &calls->timed_out : &calls->signalled, 1);
    EXPECT_OK(SetEvent(calls->begun));
    if (gate)
        EXPECT_SIGNALLED(gate);
}

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
    SetLastError(TC_SENTINEL);
    EXPECT_OK(
        UnregisterWait(calls->wait)); /* its own thread: there is nothing that it could wait for */
    EXPECT_EQ(GetLastError(), TC_SENTINEL);
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

static void open_calls(void *arg)
{
    EXPECT_OK(SetEvent(((struct calls *)arg)->gate));
}

static void run_unregister_case(void (*where)(meanwhile_step, meanwhile_step, void *))
{
    struct calls calls;

    calls_init(&calls);
    calls.gate = new_manual_event();
    start_wait(&calls, calls.object, INFINITE, WT_EXECUTEDEFAULT);
    EXPECT_OK(SetEvent(calls.object));
    EXPECT_SIGNALLED(calls.begun);
    where(unregister, open_calls, &calls);
    EXPECT_EQ(flag_get(&calls.signalled), 1);
    calls_clear(&calls);
}

TEST(Win32RegisteredWaits, unregistering_waits_in_a_worker_BL_1)
{
    run_unregister_case(wait_in_worker);
}

TEST(Win32RegisteredWaits, unregistering_waits_in_a_scheduler)
{
    run_unregister_case(wait_in_scheduler);
}

TEST(Win32RegisteredWaits, unregistering_waits_in_a_plain_thread)
{
    run_unregister_case(wait_in_thread);
}

/* ---- waits of the thread pool ---- */

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

TEST(Win32RegisteredWaits, pool_wait_is_for_once_and_set_again_by_its_callback)
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

TEST(Win32RegisteredWaits, pool_wait_times_out_is_replaced_and_forgotten)
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

TEST(Win32RegisteredWaits, pool_wait_closed_while_its_callback_runs_and_a_worker_waits_BL_1)
{
    struct pool_wait_case c;

    calls_init(&c.calls);
    c.calls.gate = new_manual_event();
    c.wait = CreateThreadpoolWait(on_pool_wait, &c.calls, NULL);
    SetThreadpoolWait(c.wait, c.calls.object, NULL);
    EXPECT_OK(SetEvent(c.calls.object));
    EXPECT_SIGNALLED(c.calls.begun);
    wait_in_worker(wait_for_callbacks, open_calls, &c);
    EXPECT_EQ(flag_get(&c.calls.signalled), 1);
    CloseThreadpoolWait(c.wait);
    calls_clear(&c.calls);
}
