/* SPDX-License-Identifier: MIT
 *
 * process_end.c - a worker ends the process: exit handlers and DLLs run on a stack and with a thread
 * block that are still there, and the exit code is the worker's.
 *
 * The hazard: the system ends all other threads first, and gives their stacks and blocks back. A worker
 * that runs on its scheduler's thread stands on the stack of another one, its own.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all
 * options: LIMIT 60
 */
#include "at_end.h"
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdio.h>
#include <stdlib.h>

enum { LIMIT_MS = 20000, CODE = 42, SLEEPERS = 3 };

#define CASE "UMSSHIM_TEST_END" /* what the child does */

static bool is_child(void)
{
    return getenv(CASE) != NULL;
}

/* The same test in a child process; its exit code. */
static DWORD code_of_child(const char *what)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    DWORD code = STILL_ACTIVE;

    SetEnvironmentVariableA(CASE, what);
    if (!EXPECT_OK(CreateProcessA(NULL, GetCommandLineA(), NULL, NULL, TRUE, 0, NULL, NULL,
                                  &startup, &process)))
        return code;
    SetEnvironmentVariableA(CASE, NULL);
    if (WaitForSingleObject(process.hProcess, LIMIT_MS) != WAIT_OBJECT_0)
        TerminateProcess(process.hProcess, STILL_ACTIVE);
    EXPECT_OK(GetExitCodeProcess(process.hProcess, &code));
    EXPECT_OK(CloseHandle(process.hThread));
    EXPECT_OK(CloseHandle(process.hProcess));
    return code;
}

static void sleep_for_long(struct worker *self)
{
    Sleep(LIMIT_MS);
}

static void end_by_exit_process(struct worker *self)
{
    for (int i = 0; i < 10; i++)
        UmsThreadYield(self);
    ExitProcess(CODE);
}

static void end_by_exit(struct worker *self)
{
    Sleep(1);
    UmsThreadYield(self);
    exit(CODE);
}

/* In the child: does not come back. */
static void run_to_the_end(worker_body last)
{
    struct fleet *fleet = fleet_create(2, SLEEPERS + 1, FLEET_SHARED_READY);

    ASSERT_OK(LoadLibraryA("at_end.dll") != NULL);
    for (int i = 0; i < SLEEPERS; i++)
        ASSERT_OK(fleet_add(fleet, sleep_for_long, NULL) != NULL);
    ASSERT_OK(fleet_add(fleet, last, NULL) != NULL);
    fleet_run(fleet);
}

TEST(ProcessEnd, by_a_worker)
{
    if (is_child())
        run_to_the_end(end_by_exit_process);
    else
        EXPECT_EQ(code_of_child("ExitProcess"), CODE);
}

TEST(ProcessEnd, by_a_worker_with_exit_handlers)
{
    if (is_child())
        run_to_the_end(end_by_exit);
    else
        EXPECT_EQ(code_of_child("exit"), CODE);
}

/* Others signal, wait and alert each other all the time: whichever of our locks they hold when they are
 * ended, the exit handlers, which do the same, get through. */
static HANDLE event;
static SRWLOCK lock = SRWLOCK_INIT;

static void use_locks(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        AcquireSRWLockExclusive(&lock);
        SetEvent(event);
        ReleaseSRWLockExclusive(&lock);
        WaitForSingleObject(event, 0);
        WakeAllConditionVariable(&(CONDITION_VARIABLE)CONDITION_VARIABLE_INIT);
    }
}

static void be_busy(struct worker *self)
{
    for (;;) {
        use_locks(10);
        WaitForSingleObject(event, 1);
        UmsThreadYield(self);
    }
}

static void at_exit(void)
{
    SetEvent(event);
    CloseHandle(event);
}

static void end_among_busy(struct worker *self)
{
    Sleep(5);
    exit(CODE);
}

TEST(ProcessEnd, among_workers_that_hold_locks)
{
    if (!is_child()) {
        for (int i = 0; i < 3 && !tc_failures(); i++)
            EXPECT_EQ(code_of_child("locks"), CODE);
        return;
    }
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
    atexit(at_exit);

    struct fleet *fleet = fleet_create(2, SLEEPERS + 1, FLEET_SHARED_READY);
    ASSERT_OK(LoadLibraryA("at_end.dll") != NULL);
    for (int i = 0; i < SLEEPERS; i++)
        ASSERT_OK(fleet_add(fleet, be_busy, NULL) != NULL);
    ASSERT_OK(fleet_add(fleet, end_among_busy, NULL) != NULL);
    fleet_run(fleet);
}

/* ---- While another thread stops who ends ---------------------------------------------------- */

/* It is held still for moments, to look where it stands. If it ended the process just then, the
 * thread that is to let it go would be ended with the others. If it stayed so while it waits for
 * those who look, nobody would begin to look any more, and nobody would let it go. */
static int about_to_end;

static DWORD WINAPI stop_all_the_time(LPVOID thread)
{
    while (SuspendThread(thread) != (DWORD)-1)
        ResumeThread(thread);
    return 0;
}

static void end_while_stopped(struct worker *self)
{
    while (!flag_get(&about_to_end))
        UmsThreadYield(self);
    for (int i = 0; i < 200; i++)
        UmsThreadYield(self);
    ExitProcess(CODE);
}

static DWORD WINAPI tell_to_end(LPVOID unused)
{
    Sleep(20);
    flag_set(&about_to_end, 1);
    Sleep(LIMIT_MS); /* Wine may kill a process that exits while one of its threads does */
    return 0;
}

TEST(ProcessEnd, by_a_worker_that_another_thread_stops)
{
    struct fleet *fleet;
    struct worker *last;

    if (!is_child()) {
        for (int i = 0; i < 4 && !tc_failures(); i++)
            EXPECT_EQ(code_of_child("stopped"), CODE);
        return;
    }
    fleet = fleet_create(2, 1, FLEET_SHARED_READY);
    ASSERT_OK(fleet != NULL);
    last = fleet_add(fleet, end_while_stopped, NULL);
    ASSERT_OK(last != NULL);
    ASSERT_OK(CreateThread(NULL, 0, stop_all_the_time, last->thread, 0, NULL) != NULL);
    ASSERT_OK(CreateThread(NULL, 0, tell_to_end, NULL, 0, NULL) != NULL);
    fleet_run(fleet);
}
