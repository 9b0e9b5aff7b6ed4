/* SPDX-License-Identifier: MIT
 *
 * last_thread.c - a process ends with its last thread, whichever that is, and with that thread's
 * exit code. The engine's own threads do not keep the process.
 *
 * modes: default
 */
#include "bare.h"
#include "child.h"
#include "gtest_c.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODE = 41 };

static HANDLE main_thread;

/* Returns only after the main thread has ended. */
static DWORD WINAPI outlive_main(LPVOID code)
{
    if (WaitForSingleObject(main_thread, 8000) != WAIT_OBJECT_0) {
        FAIL("the main thread did not end");
        _exit(CHILD_CHECKS_FAILED);
    }
    Sleep(5);
    return (DWORD)(ULONG_PTR)code;
}

static void open_main_thread(void)
{
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                              &main_thread, 0, FALSE, DUPLICATE_SAME_ACCESS));
}

static int plain_last(void *arg)
{
    open_main_thread();
    if (!EXPECT_OK(CreateThread(NULL, 0, outlive_main, (void *)CODE, 0, NULL) != NULL))
        return 1;
    ExitThread(3);
}

static DWORD WINAPI drive(LPVOID list)
{
    EXPECT_OK(bare_drive(list, NULL, 0, 1));
    return CODE;
}

/* The last ones are a worker and its scheduler, in either order. */
static int scheduler_last(void *arg)
{
    static struct bare worker;
    PUMS_COMPLETION_LIST list = NULL;

    open_main_thread();
    if (!EXPECT_OK(CreateUmsCompletionList(&list)) ||
        !bare_create(&worker, list, outlive_main, (void *)CODE, 0) ||
        !EXPECT_OK(CreateThread(NULL, 0, drive, list, 0, NULL) != NULL))
        return 1;
    ExitThread(3);
}

static void *outlive_in_pthread(void *code)
{
    outlive_main(code);
    ExitThread(CODE);
}

static int pthread_last(void *arg)
{
    pthread_t thread;

    open_main_thread();
    EXPECT_EQ(pthread_create(&thread, NULL, outlive_in_pthread, NULL), 0);
    ExitThread(3);
}

/* The process's only thread ends itself, so it is the last one. */
static int terminated_last(void *arg)
{
    open_main_thread();
    TerminateThread(GetCurrentThread(), CODE);
    return 1;
}

static DWORD WINAPI end_the_others(LPVOID unused)
{
    EXPECT_OK(TerminateThread(main_thread, 5));
    if (WaitForSingleObject(main_thread, 8000) != WAIT_OBJECT_0) {
        FAIL("the main thread did not end");
        _exit(CHILD_CHECKS_FAILED);
    }
    return CODE;
}

static int main_is_terminated(void *arg)
{
    open_main_thread();
    EXPECT_OK(CreateThread(NULL, 0, end_the_others, NULL, 0, NULL) != NULL);
    Sleep(INFINITE);
    return 1;
}

static void handlers_ran(void)
{
    static const char text[] = "handlers ran\n";

    if (write(1, text, sizeof text - 1) < 0)
        _exit(CHILD_CHECKS_FAILED);
}

static int with_exit_handlers(void *arg)
{
    atexit(handlers_ran);
    return plain_last(arg);
}

/* Each case is a program of its own: this one, told to call test bodies outside of any catch, which
 * would also catch the end of the thread. */
static const child_body cases[] = {plain_last,      pthread_last,       scheduler_last,
                                   terminated_last, main_is_terminated, with_exit_handlers};
static const char variable[] = "UMSSHIM_TEST_LAST_THREAD";

static int become(void *index)
{
    char text[2] = {(char)('0' + *(int *)index), 0};

    setenv(variable, text, 1);
    execl("/proc/self/exe", "last_thread", "--gtest_catch_exceptions=0",
          "--gtest_filter=LastThread.plain", (char *)NULL);
    return 1;
}

static struct child_result run_case(child_body body)
{
    int index = 0;

    while (cases[index] != body)
        index++;
    return child_run(become, &index, 15000);
}

static void expect_code(child_body body)
{
    struct child_result result = run_case(body);

    EXPECT_THAT(result.exited && result.code == CODE,
                "exited %d with %d, signal %d, timed out %d: %s", result.exited, result.code,
                result.signal, result.timed_out, result.output);
}

TEST(LastThread, plain)
{
    const char *text = getenv(variable);

    if (text)
        exit(cases[atoi(text)](NULL));
    expect_code(plain_last);
}

CALL_TEST(LastThread, pthread, expect_code(pthread_last))
CALL_TEST(LastThread, scheduler, expect_code(scheduler_last))
CALL_TEST(LastThread, main_by_terminating_itself, expect_code(terminated_last))
CALL_TEST(LastThread, after_the_main_thread_was_terminated, expect_code(main_is_terminated))

TEST(LastThread, exit_handlers_run)
{
    struct child_result result = run_case(with_exit_handlers);

    EXPECT_THAT(result.code == CODE && strstr(result.output, "handlers ran"), "code %d: %s",
                result.code, result.output);
}
