/* SPDX-License-Identifier: MIT
 *
 * pool_threads.c - threads of the thread pool end when they are idle, and neither delay nor prevent
 * the end of the process; a fork's child has a pool of its own.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "own_status.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { CODE = 41, LIMIT_MS = 8000, PROMPT_MS = 4000, IDLE_MS = 5000, BUSY = 12 };

static HANDLE begun, never;

static DWORD WINAPI stay(LPVOID unused)
{
    SetEvent(begun);
    return WaitForSingleObject(never, INFINITE);
}

static DWORD WINAPI touch(LPVOID unused)
{
    return SetEvent(begun) ? 0 : 1;
}

static void use_pool(LPTHREAD_START_ROUTINE routine, int times)
{
    begun = new_auto_event();
    never = new_manual_event();
    for (int i = 0; i < times; i++) {
        EXPECT_OK(QueueUserWorkItem(routine, NULL, WT_EXECUTEDEFAULT));
        EXPECT_SIGNALLED(begun);
    }
}

static DWORD WINAPI exit_from_callback(LPVOID unused)
{
    exit(CODE);
}

static int return_with_idle_threads(void *unused)
{
    use_pool(touch, 3);
    exit(CODE);
}

static int return_with_busy_threads(void *unused)
{
    use_pool(stay, BUSY);
    exit(CODE);
}

static void end_this_thread(void)
{
    ExitThread(CODE);
}

/* The last thread of the program ends: those of the pool do not count. It ends on a stack of its
 * own, for it unwinds what it stands on, and that is the parent's test. */
static int end_last_thread(void *busy)
{
    static char stack[256 << 10];
    ucontext_t context;

    use_pool(busy ? stay : touch, 3);
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = sizeof stack;
    makecontext(&context, end_this_thread, 0);
    return setcontext(&context);
}

static int leave_from_a_callback(void *unused)
{
    EXPECT_OK(QueueUserWorkItem(exit_from_callback, NULL, WT_EXECUTEDEFAULT));
    pause();
    return 0;
}

static void expect_prompt_end(child_body body, void *arg)
{
    struct child_result result = child_run(body, arg, LIMIT_MS);

    EXPECT_EQ(result.timed_out, 0);
    EXPECT_EQ(result.exited, 1);
    EXPECT_EQ(result.code, CODE);
    EXPECT_LT(result.took_ms, PROMPT_MS);
}

CALL_TEST(PoolThreads, exit_while_they_are_idle, expect_prompt_end(return_with_idle_threads, NULL))
CALL_TEST(PoolThreads, exit_while_they_are_busy, expect_prompt_end(return_with_busy_threads, NULL))
CALL_TEST(PoolThreads, last_thread_ends_while_they_are_idle,
          expect_prompt_end(end_last_thread, NULL))
CALL_TEST(PoolThreads, last_thread_ends_while_they_are_busy,
          expect_prompt_end(end_last_thread, (void *)1))
CALL_TEST(PoolThreads, exit_called_by_a_callback, expect_prompt_end(leave_from_a_callback, NULL))

static int fork_with_busy_pool(void *unused)
{
    int status = -1;
    pid_t child;

    use_pool(stay, 3);
    child = fork();
    if (child == 0) {
        use_pool(touch, 3);
        _exit(tc_failures() ? CHILD_CHECKS_FAILED : CODE);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_OK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

CALL_TEST(PoolThreads, a_forked_child_makes_threads_of_its_own,
          expect_prompt_end(fork_with_busy_pool, NULL))

/* ---- */

static long count_threads(void)
{
    return number_in_status("Threads");
}

TEST(PoolThreads, idle_ones_end)
{
    long long deadline = now_ms() + 2 * IDLE_MS;
    long before, busy, left;

    use_pool(touch, 1); /* the engine's own threads are there now, and one of the pool's */
    before = count_threads();
    use_pool(stay, BUSY);
    busy = count_threads();
    EXPECT_GE(busy, before + BUSY - 1);
    EXPECT_OK(SetEvent(never));
    while ((left = count_threads()) != before - 1 && now_ms() < deadline)
        Sleep(50);
    EXPECT_EQ(left, before - 1);
    use_pool(touch, 1); /* there is a thread again when one is needed */
}
