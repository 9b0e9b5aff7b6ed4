/* SPDX-License-Identifier: MIT
 *
 * user_wait_objects.c - waits of a worker for time to pass and for objects of every kind, completed
 * by whatever completes such a wait of a thread's.
 *
 * modes: default
 * libraries: synchronization
 */
#include "fleet.h"
#include "gtest_c.h"
#include "own_name.h"
#include "waiters.h"

#include <stdio.h>

enum { LIMIT_MS = 10000, SLEEPERS = 1000 };

static void run_one(worker_body body, void *arg, long blocked)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, body, arg);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_GE(fleet_worker(fleet, 0)->blocked, blocked + 1);
    fleet_destroy(fleet);
}

static void run_two(worker_body first, worker_body second)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, first, NULL);
    fleet_add(fleet, second, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_GE(fleet_worker(fleet, 0)->blocked, 2);
    fleet_destroy(fleet);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static const DWORD times[] = {1, 2, 15, 100};

/* Threads' waits may be a little early by this clock. */
static void expect_not_early(double elapsed, DWORD milliseconds)
{
    double slack = in_place() ? 0 : 1;

    EXPECT_THAT(elapsed >= milliseconds - slack, "%u ms took %.3f", (unsigned)milliseconds,
                elapsed);
}

static void expect_elapsed(double since, DWORD milliseconds)
{
    double elapsed = now_ms() - since;

    expect_not_early(elapsed, milliseconds);
    EXPECT_THAT(elapsed < milliseconds + 2000, "%u ms took %.3f", (unsigned)milliseconds, elapsed);
}

static void sleep_and_look(struct worker *self)
{
    for (int i = 0; i < 4; i++) {
        double start = now_ms();

        SetLastError(SENTINEL);
        Sleep(times[i]);
        expect_elapsed(start, times[i]);
        EXPECT_EQ(GetLastError(), SENTINEL);
    }
}

CALL_TEST(UserWaitObjects, sleep_is_not_early, run_one(sleep_and_look, NULL, 4))

static void time_out_and_look(struct worker *self)
{
    for (int i = 0; i < 4; i++) {
        double start = now_ms();

        EXPECT_EQ(WaitForSingleObject(self->arg, times[i]), WAIT_TIMEOUT);
        expect_elapsed(start, times[i]);
    }
}

TEST(UserWaitObjects, time_outs_on_a_private_event)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    run_one(time_out_and_look, event, 4);
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(event));
}

TEST(UserWaitObjects, time_outs_on_a_named_event)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, OWN_NAME("umsshim-test-times"));

    run_one(time_out_and_look, event, 4);
    EXPECT_OK(CloseHandle(event));
}

/* Sleep gives intervals only; below it there are points in time. */
static void sleep_until(struct worker *self)
{
    LONG(NTAPI * delay)
    (BOOLEAN, LARGE_INTEGER *) =
        (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtDelayExecution");
    FILETIME now;
    LARGE_INTEGER when;

    for (int past = 0; past < 2; past++) {
        double start = now_ms();

        GetSystemTimeAsFileTime(&now);
        when.LowPart = now.dwLowDateTime;
        when.HighPart = (LONG)now.dwHighDateTime;
        when.QuadPart += past ? -100000 : 300000;
        EXPECT_EQ(delay(FALSE, &when), 0);
        EXPECT_GE((int)(now_ms() - start), past ? 0 : 10); /* the clock's steps may be of 16 ms */
        GetSystemTimeAsFileTime(&now);
        EXPECT_GE(((LONGLONG)now.dwHighDateTime << 32 | now.dwLowDateTime) - when.QuadPart, 0);
    }
}

CALL_TEST(UserWaitObjects, sleep_until_a_time_of_the_clock, run_one(sleep_until, NULL, 1))

static int slept;

static void sleep_long(struct worker *self)
{
    double start = now_ms();
    DWORD milliseconds = 300 + (DWORD)self->index % 100;

    Sleep(milliseconds);
    expect_not_early(now_ms() - start,
                     milliseconds); /* a thousand others are due at the same time */
    flag_add(&slept, 1);
}

TEST(UserWaitObjects, a_thousand_sleepers)
{
    struct fleet *fleet = fleet_create(1, SLEEPERS, 0);
    double start;

    ASSERT_NE(fleet, NULL);
    fleet_set_stack(fleet, 64 << 10);
    for (int i = 0; i < SLEEPERS; i++)
        fleet_add(fleet, sleep_long, NULL);
    start = now_ms();
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(slept, SLEEPERS);
    EXPECT_LT((int)(now_ms() - start), 25000); /* one after the other they would take 350,000 */
    fleet_destroy(fleet);
}

/* ---- Waitable timers ------------------------------------------------------------------------- */

static void wait_for_timer(struct worker *self)
{
    LARGE_INTEGER due = {.QuadPart = -200000};
    double start = now_ms();

    ASSERT_OK(SetWaitableTimer(self->arg, &due, 0, NULL, NULL, FALSE));
    EXPECT_EQ(WaitForSingleObject(self->arg, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_GE((int)(now_ms() - start), 19);
}

TEST(UserWaitObjects, waitable_timer_that_stays_set)
{
    HANDLE timer = CreateWaitableTimerA(NULL, TRUE, NULL);

    run_one(wait_for_timer, timer, 1);
    EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(timer));
}

TEST(UserWaitObjects, waitable_timer_that_a_wait_resets)
{
    HANDLE timer = CreateWaitableTimerA(NULL, FALSE, NULL);

    run_one(wait_for_timer, timer, 1);
    EXPECT_EQ(WaitForSingleObject(timer, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(timer));
}

/* ---- Threads and processes ------------------------------------------------------------------- */

static HANDLE event;
static int entered, returned;

static DWORD WINAPI end_when_told(LPVOID param)
{
    EXPECT_EQ(WaitForSingleObject(event, LIMIT_MS), WAIT_OBJECT_0);
    return 7;
}

static void wait_for_thread(struct worker *self)
{
    HANDLE thread = CreateThread(NULL, 0, end_when_told, NULL, 0, NULL);
    DWORD code = 0;

    flag_set(&entered, 1);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 7);
    EXPECT_OK(CloseHandle(thread));
}

static void tell(struct worker *self)
{
    ASSERT_OK(reaches(&entered, 1));
    EXPECT_OK(SetEvent(event));
}

TEST(UserWaitObjects, thread)
{
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
    run_two(wait_for_thread, tell);
    EXPECT_OK(CloseHandle(event));
}

static void wait_for_process(struct worker *self)
{
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION process;
    char command[] = "cmd.exe /c exit 5";
    DWORD code = 0;

    ASSERT_OK(CreateProcessA(NULL, command, NULL, NULL, FALSE, 0, NULL, NULL, &start, &process));
    EXPECT_EQ(WaitForSingleObject(process.hProcess, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeProcess(process.hProcess, &code));
    EXPECT_EQ(code, 5);
    EXPECT_OK(CloseHandle(process.hProcess));
    EXPECT_OK(CloseHandle(process.hThread));
}

CALL_TEST(UserWaitObjects, process, run_one(wait_for_process, NULL, 1))

/* ---- Mutexes have an owner ------------------------------------------------------------------- */

static HANDLE mutex;

static DWORD WINAPI abandon(LPVOID param)
{
    EXPECT_EQ(WaitForSingleObject(mutex, LIMIT_MS), WAIT_OBJECT_0);
    flag_set(&returned, 1);
    EXPECT_EQ(WaitForSingleObject(event, LIMIT_MS), WAIT_OBJECT_0);
    return 0;
}

static void wait_for_mutex(struct worker *self)
{
    EXPECT_EQ(WaitForSingleObject(mutex, 20), WAIT_TIMEOUT);
    flag_set(&entered, 1);
    EXPECT_EQ(WaitForSingleObject(mutex, LIMIT_MS), WAIT_ABANDONED);
    EXPECT_EQ(WaitForSingleObject(mutex, 0), WAIT_OBJECT_0); /* it is the owner */
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_OK(ReleaseMutex(mutex));
    EXPECT_FAILS(ReleaseMutex(mutex), ERROR_NOT_OWNER);
}

TEST(UserWaitObjects, mutex_that_is_abandoned)
{
    HANDLE thread;

    mutex = CreateMutexA(NULL, FALSE, NULL);
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
    thread = CreateThread(NULL, 0, abandon, NULL, 0, NULL);
    ASSERT_OK(wait_until(&returned, LIMIT_MS));
    run_two(wait_for_mutex, tell);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(mutex));
}

/* ---- Overlapped input ------------------------------------------------------------------------ */

static HANDLE server, client;

/* The event is private at first, a worker waits for it, and then it belongs to an operation. */
static void read_overlapped(struct worker *self)
{
    OVERLAPPED overlapped = {.hEvent = event};
    char text[8] = "";
    DWORD got = 0;

    EXPECT_EQ(WaitForSingleObject(event, 1), WAIT_TIMEOUT);
    for (int i = 0; i < 3; i++) {
        EXPECT_FAILS(ReadFile(server, text, sizeof text, &got, &overlapped), ERROR_IO_PENDING);
        flag_add(&entered, 1);
        EXPECT_EQ(WaitForSingleObject(event, LIMIT_MS), WAIT_OBJECT_0);
        EXPECT_OK(GetOverlappedResult(server, &overlapped, &got, FALSE));
        EXPECT_EQ(got, 5);
        EXPECT_STREQ(text, "hello");
        flag_add(&returned, 1);
    }
}

static void write_thrice(struct worker *self)
{
    DWORD written;

    for (int i = 1; i <= 3; i++) {
        ASSERT_OK(reaches(&entered, i));
        EXPECT_EQ(flag_get(&returned), i - 1);
        EXPECT_OK(WriteFile(client, "hello", 5, &written, NULL));
        ASSERT_OK(reaches(&returned, i));
    }
}

TEST(UserWaitObjects, event_of_an_overlapped_read)
{
    char name[64];

    snprintf(name, sizeof name, "\\\\.\\pipe\\umsshim-test-%lu", GetCurrentProcessId());
    event = CreateEventA(NULL, TRUE, FALSE, NULL);
    server = CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED, PIPE_TYPE_BYTE, 1,
                              4096, 4096, 0, NULL);
    client = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_OK(server != INVALID_HANDLE_VALUE && client != INVALID_HANDLE_VALUE);
    run_two(read_overlapped, write_thrice);
    EXPECT_OK(CloseHandle(server));
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(event));
}

/* ---- A signal and a wait in one call --------------------------------------------------------- */

static HANDLE ping, pong;

static void ask_often(struct worker *self)
{
    for (int i = 0; i < 200; i++)
        EXPECT_EQ(SignalObjectAndWait(ping, pong, LIMIT_MS, FALSE), WAIT_OBJECT_0);
    EXPECT_OK(SetEvent(ping));
}

static void answer_often(struct worker *self)
{
    for (int i = 0; i < 200; i++) {
        EXPECT_EQ(WaitForSingleObject(ping, LIMIT_MS), WAIT_OBJECT_0);
        EXPECT_EQ(WaitForSingleObject(ping, 0), WAIT_TIMEOUT);
        EXPECT_OK(ReleaseSemaphore(pong, 1, NULL));
    }
    EXPECT_EQ(WaitForSingleObject(ping, LIMIT_MS), WAIT_OBJECT_0);
}

TEST(UserWaitObjects, signal_and_wait)
{
    ping = CreateEventA(NULL, FALSE, FALSE, NULL);
    pong = CreateSemaphoreA(NULL, 0, 1, NULL);
    run_two(ask_often, answer_often);
    EXPECT_EQ(WaitForSingleObject(pong, 0), WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(ping, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(ping));
    EXPECT_OK(CloseHandle(pong));
}
