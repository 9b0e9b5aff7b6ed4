/* SPDX-License-Identifier: MIT
 *
 * unknown_libc.c - a C library whose inside differs from the engine's assumptions: each trial
 * (libc_trial.h) fails here on purpose, by UMSSHIM_TEST_WRONG. The library notices, a line names
 * the part that it switches off, and everything else works.
 *
 * modes: default, UMSSHIM_DETECT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "scenario.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MS = 20000 };

struct part {
    const char *wrong; /* NULL: nothing */
    void (*then)(void);
};

static int run_part(void *arg)
{
    const struct part *part = arg;

    if (part->wrong)
        setenv("UMSSHIM_TEST_WRONG", part->wrong, 1);
    if (part->then)
        part->then();
    return scenario_run(3);
}

/* The line is there once with the switch and not without it, and all else works. */
static void expect_line(const char *wrong, const char *line, void (*then)(void))
{
    struct part part = {wrong, then};
    struct child_result result = child_run(run_part, &part, LIMIT_MS);

    EXPECT_CHILD_OK(result);
    EXPECT_THAT(child_said(&result, line) == 1, "%s: it said: %s", wrong, result.output);
}

static void cancel_later(void);

TEST(UnknownLibc, nothing_is_said_of_this_one)
{
    struct part part = {NULL, cancel_later};
    struct child_result result = child_run(run_part, &part, LIMIT_MS);

    EXPECT_CHILD_OK(result);
    EXPECT_EQ(strstr(result.output, "not known here"), NULL);
}

TEST(UnknownLibc, restartable_sequences)
{
    if (!__rseq_size)
        SKIP("libc has registered none");
    expect_line("rseq", "registers restartable sequences in a way that is not known here", NULL);
}

CALL_TEST(UnknownLibc, thread_local_data,
          expect_line("tls", "how large thread-local data is in a way that is not known here",
                      NULL))
CALL_TEST(UnknownLibc, layout_of_a_thread,
          expect_line("thread", "lays a thread's data out in a way that is not known here", NULL))

/* ---- Where libc's code is ---- */

static int spinning, stop_spinning;

static DWORD WINAPI spin(LPVOID unused)
{
    volatile int turns = 0;
    struct timespec moment = {0, 1000000};

    flag_set(&spinning, 1);
    while (!flag_get(&stop_spinning))
        turns = turns + 1;
    for (;;)
        nanosleep(&moment, NULL);
    return 0;
}

/* A thread that is terminated ends in a system call, however long it takes to make one, and not
 * before. */
static void end_a_thread(void)
{
    HANDLE thread = CreateThread(NULL, 0, spin, NULL, 0, NULL);

    ASSERT_NE(thread, NULL);
    ASSERT_OK(wait_until(&spinning, 5000));
    EXPECT_EQ(TerminateThread(thread, 7), TRUE);
    EXPECT_EQ(WaitForSingleObject(thread, 50), (DWORD)WAIT_TIMEOUT);
    flag_set(&stop_spinning, 1);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), (DWORD)WAIT_OBJECT_0);
    CloseHandle(thread);
}

CALL_TEST(UnknownLibc, where_its_code_lies,
          expect_line("text", "where the C library's code lies is not known here", end_a_thread))

/* ---- Thread handles, jumps, cancellation ---- */

CALL_TEST(UnknownLibc, thread_handles,
          expect_line("handle", "thread handles are not known here", NULL))

static void jump(struct worker *self)
{
    sigjmp_buf back;
    volatile int came = 0;

    if (sigsetjmp(back, 1) == 0) {
        came = 1;
        siglongjmp(back, 1);
    }
    EXPECT_EQ(came, 1);
    Sleep(1);
}

static void jump_in_workers(void)
{
    FLEET_RUN(1, 0, {1, jump, NULL}, {1, jump, NULL});
}

CALL_TEST(UnknownLibc, jump_buffers,
          expect_line("jump", "jump buffers are not known here", jump_in_workers))

static pthread_t sleeper;
static int asleep, woke, asked;

static void sleep_until_cancelled(struct worker *self)
{
    bool wakes_up = getenv("UMSSHIM_TEST_WRONG") == NULL;
    struct timespec moment = {wakes_up ? 10 : 0, 200000000};

    sleeper = pthread_self();
    flag_set(&asleep, 1);
    nanosleep(&moment, NULL);
    flag_set(&woke, 1);
    EXPECT_OK(yield_until(&asked)); /* it is there to be cancelled, or not */
}

static DWORD WINAPI cancel_it(LPVOID unused)
{
    wait_until(&asleep, 5000);
    EXPECT_EQ(pthread_cancel(sleeper), getenv("UMSSHIM_TEST_WRONG") ? ENOTSUP : 0);
    flag_set(&asked, 1);
    return 0;
}

static void cancel_later(void)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    HANDLE thread;

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, sleep_until_cancelled, NULL);
    thread = CreateThread(NULL, 0, cancel_it, NULL, 0, NULL);
    fleet_run(fleet);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), (DWORD)WAIT_OBJECT_0);
    CloseHandle(thread);
    fleet_destroy(fleet);
    EXPECT_EQ(flag_get(&woke), getenv("UMSSHIM_TEST_WRONG") != NULL);
}

CALL_TEST(UnknownLibc, cancellation,
          expect_line("cancel", "cancels threads in a way that is not known here", cancel_later))

static void open_deep(void)
{
    void *handle = dlopen("libm.so.6", RTLD_NOW | RTLD_DEEPBIND);

    ASSERT_NE(handle, NULL);
    dlclose(handle);
}

CALL_TEST(UnknownLibc, tables_of_modules,
          expect_line("modules", "the tables of loaded modules lie in a way that is not known here",
                      open_deep))
CALL_TEST(UnknownLibc, all_at_once,
          expect_line("rseq,tls,text,thread,handle,jump,cancel,modules",
                      "jump buffers are not known here", jump_in_workers))
