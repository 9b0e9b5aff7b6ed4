/* SPDX-License-Identifier: MIT
 *
 * forked_child_ends.c - how a child ends that was forked in a worker, a scheduler's entry point or a
 * plain thread: the child has one thread, and the end of that thread ends the process.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "child.h"
#include "gtest_c.h"
#include "kinds.h"
#include "pool_job.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 8000 };

static int at_exit_pipe[2];
static pid_t forked;

static void at_exit(void)
{
    if (write(at_exit_pipe[1], "x", 1) != 1)
        abort();
}

/* The exit status; 1000 and more: it was ended by a signal, our own when it did not end in time. */
static int end_of(pid_t pid)
{
    long long started = now_ms();
    int status = 0;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        struct timespec pause = {0, 1000000};

        if (now_ms() - started > LIMIT_MS) {
            kill(pid, SIGKILL);
            FAIL("the child %d does not end", (int)pid);
            waitpid(pid, &status, 0);
            break;
        }
        nanosleep(&pause, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static bool in_child(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        alarm(20);
        atexit(at_exit);
        return true;
    }
    EXPECT_GT(pid, 0);
    forked = pid;
    return false;
}

static void do_nothing(void *unused)
{
    (void)in_child();
}

static void call_pthread_exit(void *unused)
{
    if (in_child())
        pthread_exit(unused);
}

/* A cancellation is pending when it forks, and acts at the child's first cancellation point. The parent has it
 * disabled by then. */
static void be_cancelled(void *unused)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    EXPECT_EQ(pthread_cancel(pthread_self()), 0);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    if (in_child())
        sleep(60);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

static void call_exit_thread(void *code)
{
    if (in_child())
        ExitThread((DWORD)(ULONG_PTR)code);
}

static void call_exit(void *code)
{
    if (in_child())
        exit((int)(intptr_t)code);
}

/* The child's own child returns, too. */
static void fork_again(void *unused)
{
    if (in_child()) {
        pid_t pid = fork();

        if (pid == 0)
            return;
        if (end_of(pid) != 0)
            _exit(50);
    }
}

static void *come_and_go(void *result)
{
    return result;
}

/* The child makes a thread and a worker before it ends. */
static void use_ums_first(void *unused)
{
    if (in_child()) {
        pthread_t thread;
        struct kind_thread worker = {.code = 0};

        if (pthread_create(&thread, NULL, come_and_go, NULL) || pthread_join(thread, NULL) ||
            !kind_start(&worker, KIND_WORKER, (void (*)(void *))at_exit, NULL) ||
            !kind_join(&worker))
            _exit(51);
    }
}

/* How often at_exit was called, in all children together. */
static int exits(void)
{
    char bytes[64];

    close(at_exit_pipe[1]);
    return (int)read(at_exit_pipe[0], bytes, sizeof bytes);
}

static void expect_end(void (*body)(void *), void *arg, int code, int expected_exits)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct kind_thread thread = {.code = 0};

        ASSERT_EQ(pipe(at_exit_pipe), 0);
        ASSERT_OK(kind_start(&thread, (enum kind)kind, body, arg));
        ASSERT_OK(kind_join(&thread));
        EXPECT_THAT(end_of(forked) == code, "the child of a %s", kind_name((enum kind)kind));
        EXPECT_THAT(exits() == expected_exits, "in the child of a %s", kind_name((enum kind)kind));
        close(at_exit_pipe[0]);
    }
}

CALL_TEST(ForkedChildEnds, when_the_routine_returns, expect_end(do_nothing, NULL, 0, 1))
CALL_TEST(ForkedChildEnds, by_pthread_exit, expect_end(call_pthread_exit, NULL, 0, 1))
CALL_TEST(ForkedChildEnds, by_a_cancellation_from_before, expect_end(be_cancelled, NULL, 0, 1))
CALL_TEST(ForkedChildEnds, by_ExitThread, expect_end(call_exit_thread, (void *)0, 0, 1))

/* The last thread's exit code is the process's, as on Windows. */
CALL_TEST(ForkedChildEnds, by_ExitThread_with_a_code, expect_end(call_exit_thread, (void *)7, 7, 1))
CALL_TEST(ForkedChildEnds, by_exit, expect_end(call_exit, (void *)9, 9, 1))
CALL_TEST(ForkedChildEnds, when_children_of_children_return, expect_end(fork_again, NULL, 0, 2))
CALL_TEST(ForkedChildEnds, after_it_has_used_UMS_itself, expect_end(use_ums_first, NULL, 0, 2))

static VOID CALLBACK in_pool(PTP_CALLBACK_INSTANCE instance, PVOID done)
{
    if (!in_child())
        SetEvent(done);
}

TEST(ForkedChildEnds, when_a_callback_of_the_pool_returns)
{
    HANDLE done = CreateEvent(NULL, FALSE, FALSE, NULL);
    long long started = now_ms();

    ASSERT_EQ(pipe(at_exit_pipe), 0);
    ASSERT_OK(TrySubmitThreadpoolCallback(in_pool, done, NULL));
    ASSERT_EQ(WaitForSingleObject(done, 10000), (DWORD)WAIT_OBJECT_0);
    EXPECT_EQ(end_of(forked), 0);
    EXPECT_LT(now_ms() - started, 4000);
    EXPECT_EQ(exits(), 1);
    CloseHandle(done);
}
