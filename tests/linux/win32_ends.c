/* SPDX-License-Identifier: MIT
 *
 * win32_ends.c - ends and interruptions of a program through Win32: TerminateProcess, DebugBreak,
 * Ctrl-C with and without a handler; and what a forked child keeps.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 10000 };

static void on_exit_too_much(void)
{
    _exit(1);
}

static void terminate(struct worker *self)
{
    TerminateProcess(GetCurrentProcess(), 42);
    FAIL("TerminateProcess came back");
}

static void run_one(worker_body body)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    fleet_add(fleet, body, NULL);
    fleet_run(fleet);
}

static int terminate_in_worker(void *unused)
{
    atexit(on_exit_too_much);
    run_one(terminate);
    return 2;
}

TEST(Win32Ends, terminate_process)
{
    struct child_result result = child_run(terminate_in_worker, NULL, LIMIT_MS);

    EXPECT_EQ(result.exited, true);
    EXPECT_EQ(result.code, 42);
}

static void say_and_break(struct worker *self)
{
    OutputDebugStringA("said to the debugger\n");
    DebugBreak();
}

static int break_in_worker(void *unused)
{
    setenv("UMSSHIM_LOG", "debug", 1);
    run_one(say_and_break);
    return 2;
}

TEST(Win32Ends, debug_break_and_output)
{
    struct child_result result = child_run(break_in_worker, NULL, LIMIT_MS);

    EXPECT_CHILD_SIGNAL(result, SIGTRAP);
    EXPECT_THAT(strstr(result.output, "said to the debugger"), "output: %s", result.output);
}

static int order;
static int first_told;
static int second_told;
static DWORD told_on;

static BOOL WINAPI first_handler(DWORD type)
{
    first_told = type == CTRL_C_EVENT ? ++order : -1;
    told_on = GetCurrentThreadId();
    flag_set(&order, 100);
    return TRUE;
}

static BOOL WINAPI second_handler(DWORD type)
{
    second_told = type == CTRL_C_EVENT ? ++order : -1;
    return FALSE;
}

static BOOL WINAPI never_called(DWORD type)
{
    FAIL("the older handler was asked as well (%u)", (unsigned)type);
    return TRUE;
}

static void wait_for_ctrl_c(struct worker *self)
{
    ULONGLONG deadline = GetTickCount64() + 5000;

    EXPECT_OK(SetConsoleCtrlHandler(never_called, TRUE));
    EXPECT_OK(SetConsoleCtrlHandler(first_handler, TRUE));
    EXPECT_OK(SetConsoleCtrlHandler(second_handler, TRUE));
    EXPECT_EQ(kill(getpid(), SIGINT), 0);
    while (flag_get(&order) < 100 && GetTickCount64() < deadline)
        Sleep(1);
    EXPECT_EQ(second_told, 1); /* the newest is asked first */
    EXPECT_EQ(first_told, 2);
    EXPECT_NE(told_on, GetCurrentThreadId());
}

static int handle_ctrl_c(void *unused)
{
    run_one(wait_for_ctrl_c);
    return 0;
}

CALL_TEST(Win32Ends, ctrl_c_is_told, EXPECT_IN_CHILD(handle_ctrl_c, NULL, LIMIT_MS))

static BOOL WINAPI not_mine(DWORD type)
{
    return FALSE;
}

static void ctrl_c_and_wait(struct worker *self)
{
    EXPECT_OK(SetConsoleCtrlHandler(not_mine, TRUE));
    EXPECT_EQ(kill(getpid(), SIGINT), 0);
    Sleep(5000);
}

static int do_not_handle_ctrl_c(void *unused)
{
    run_one(ctrl_c_and_wait);
    return 3;
}

TEST(Win32Ends, ctrl_c_nobody_wants)
{
    struct child_result result = child_run(do_not_handle_ctrl_c, NULL, LIMIT_MS);

    EXPECT_CHILD_SIGNAL(result, SIGINT);
}

static void ignore_it(struct worker *self)
{
    EXPECT_OK(SetConsoleCtrlHandler(NULL, TRUE));
    EXPECT_EQ(kill(getpid(), SIGINT), 0);
    Sleep(100);
}

static int ignore_ctrl_c(void *unused)
{
    run_one(ignore_it);
    return 0;
}

CALL_TEST(Win32Ends, ctrl_c_ignored, EXPECT_IN_CHILD(ignore_ctrl_c, NULL, LIMIT_MS))

static int forked_child_of_a_handler(void *unused)
{
    int status = 0;
    pid_t child;

    EXPECT_OK(SetConsoleCtrlHandler(not_mine, TRUE));
    child = fork();
    if (child == 0) {
        raise(SIGINT);
        _exit(1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    return 0;
}

CALL_TEST(Win32Ends, ctrl_c_ends_a_forks_child,
          EXPECT_IN_CHILD(forked_child_of_a_handler, NULL, LIMIT_MS))

/* ---- Fork ---- */

static DWORD tls;
static HANDLE heap;
static int stop;

static DWORD WINAPI use_everything(LPVOID unused)
{
    while (!flag_get(&stop)) {
        void *block = HeapAlloc(heap, 0, 100);
        DWORD index = TlsAlloc();
        void *memory = VirtualAlloc(NULL, 4096, MEM_COMMIT, PAGE_READWRITE);

        TlsSetValue(index, block);
        TlsFree(index);
        HeapFree(heap, 0, block);
        VirtualFree(memory, 0, MEM_RELEASE);
    }
    return 0;
}

static int use_in_child(void)
{
    void *block;
    void *memory;
    DWORD index;

    alarm(5); /* before the first lock */
    block = HeapAlloc(heap, 0, 100);
    memory = VirtualAlloc(NULL, 4096, MEM_COMMIT, PAGE_READWRITE);
    index = TlsAlloc();
    return block && memory && TlsGetValue(tls) == &tls && TlsSetValue(index, block) &&
                   TlsFree(index) && VirtualFree(memory, 0, MEM_RELEASE)
               ? 0
               : 1;
}

/* The locks that other threads hold at the fork must not bind the child. */
TEST(Win32Ends, children_find_no_stuck_lock)
{
    HANDLE thread;

    heap = HeapCreate(0, 0, 0);
    tls = TlsAlloc();
    EXPECT_OK(TlsSetValue(tls, &tls));
    thread = CreateThread(NULL, 0, use_everything, NULL, 0, NULL);
    ASSERT_OK(thread != NULL);
    for (int i = 0; i < 100; i++) {
        int status = -1;
        pid_t child = fork();

        if (child == 0)
            _exit(use_in_child());
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    flag_set(&stop, 1);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}
