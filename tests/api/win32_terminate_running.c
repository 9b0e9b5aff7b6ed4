/* SPDX-License-Identifier: MIT
 *
 * win32_terminate_running.c - TerminateThread of threads that run, wherever they happen to be: in a
 * loop, in this library, in the heap; and of suspended ones.
 *
 * TerminateThread on Windows leaves locks of the heap and critical sections behind, and Wine 8
 * loses its own lock if a thread is terminated during its end, unless an engine prevents that.
 *
 * modes: win32
 * options: APART
 * except: plain_threads_that_end_by_themselves, running_plain_threads, worker_in_the_heap
 */
#include "ended.h"
#include "signallers.h"
#include "stopwatch.h"

#include <stdlib.h>

static DWORD WINAPI compute(LPVOID param)
{
    for (;;)
        flag_add(&progress, 1);
    return 0;
}

static DWORD WINAPI call_the_library(LPVOID param)
{
    for (;;) {
        HANDLE event = CreateEventA(NULL, TRUE, TRUE, NULL);

        WaitForSingleObject(event, INFINITE);
        CloseHandle(event);
        flag_add(&progress, 1);
    }
    return 0;
}

static DWORD WINAPI use_the_heap(LPVOID param)
{
    void *blocks[16] = {0};

    for (unsigned i = 0;; i++) {
        free(blocks[i % 16]);
        blocks[i % 16] = malloc(16 + i * 97 % 5000);
        flag_add(&progress, 1);
    }
    return 0;
}

static DWORD WINAPI wait_shortly(LPVOID param)
{
    for (;;) {
        Sleep(progress % 16 == 0);
        WaitForSingleObject(never, 0);
        flag_add(&progress, 1);
    }
    return 0;
}

static DWORD WINAPI yield_for_ever(LPVOID param)
{
    for (;;) {
        UmsThreadYield(NULL);
        flag_add(&progress, 1);
    }
    return 0;
}

/* Whether one more thread is ended. Each takes several times as long as others have work: on a busy
 * machine there are fewer. */
static bool one_more(int ended, int times, ULONGLONG begun)
{
    enum { AT_LEAST = 3, ENOUGH_MS = 3000 };

    return ended < times && (ended < AT_LEAST || stopwatch() - begun < ENOUGH_MS);
}

static void end_running(LPTHREAD_START_ROUTINE routine, int times)
{
    enum { STEPS = 8 }; /* a round of library calls is a dozen calls of a server, under Wine */
    ULONGLONG begun = stopwatch();

    ASSERT_OK(loose_start(&rig, NULL));
    for (int i = 0; one_more(i, times, begun); i++) {
        struct loose_worker *worker;

        progress = 0;
        worker = loose_add(&rig, routine, NULL, 0);
        ASSERT_OK(worker != NULL);
        ASSERT_REACHES(progress, 1 + i % STEPS * 7);
        EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
        expect_ended(worker->bare.thread);
    }
    finish();
    for (int i = 0; i < rig.count; i++)
        EXPECT_LE(rig.workers[i].ended, 1);
}

TEST(Win32TerminateRunning, computing_worker)
{
    end_running(compute, 40);
    for (int i = 0; i < rig.count; i++)
        EXPECT_EQ(rig.workers[i].ended, 1); /* it ran: queued once, as terminated */
}

TEST(Win32TerminateRunning, worker_in_library_calls)
{
    end_running(call_the_library, 40);
}

TEST(Win32TerminateRunning, worker_in_the_heap)
{
    end_running(use_the_heap, 60);
    free(malloc(100000)); /* the heap is alive */
}

TEST(Win32TerminateRunning, worker_in_short_waits)
{
    never = CreateEventA(NULL, FALSE, FALSE, NULL);
    end_running(wait_shortly, 40);
    EXPECT_OK(CloseHandle(never));
}

TEST(Win32TerminateRunning, worker_that_yields)
{
    end_running(yield_for_ever, 40);
}

static void end_plain(LPTHREAD_START_ROUTINE routine, int times)
{
    ULONGLONG begun = stopwatch();

    for (int i = 0; one_more(i, times, begun); i++) {
        HANDLE thread;

        progress = 0;
        thread = CreateThread(NULL, 0, routine, NULL, 0, NULL);
        ASSERT_REACHES(progress, 1 + i * 7);
        EXPECT_OK(TerminateThread(thread, CODE));
        expect_ended(thread);
        EXPECT_OK(CloseHandle(thread));
    }
}

/* ---- The end from outside meets the end from inside ---- */

static DWORD WINAPI end_soon(LPVOID rounds)
{
    flag_set(&progress, 1);
    for (ULONG_PTR i = 0; i < (ULONG_PTR)rounds; i++)
        YieldProcessor();
    return CODE;
}

/* TerminateThread comes too early, too late or in between, and may say so. */
static void end_about_then(HANDLE thread, int when)
{
    ASSERT_REACHES(progress, 1);
    for (int i = 0; i < when * 100; i++)
        YieldProcessor();
    TerminateThread(thread, CODE);
    expect_ended(thread);
}

TEST(Win32TerminateRunning, workers_that_end_by_themselves)
{
    ULONGLONG begun = stopwatch();

    for (int round = 0; one_more(round, 5, begun); round++) {
        rig = (struct loose){0};
        ASSERT_OK(loose_start(&rig, NULL));
        for (int i = 0; i < 40; i++) {
            struct loose_worker *worker;

            progress = 0;
            worker = loose_add(&rig, end_soon, (void *)(ULONG_PTR)(500 * (i % 8)), 0);
            ASSERT_OK(worker != NULL);
            end_about_then(worker->bare.thread, i);
        }
        finish(); /* each has arrived as ended, or was found so */
    }
}

TEST(Win32TerminateRunning, plain_threads_that_end_by_themselves)
{
    ULONGLONG begun = stopwatch();

    for (int i = 0; one_more(i, 200, begun); i++) {
        HANDLE thread;

        progress = 0;
        thread = CreateThread(NULL, 0, end_soon, (void *)(ULONG_PTR)(500 * (i % 8)), 0, NULL);
        ASSERT_OK(thread != NULL);
        end_about_then(thread, i % 40);
        EXPECT_OK(CloseHandle(thread));
    }
}

TEST(Win32TerminateRunning, running_plain_threads)
{
    never = CreateEventA(NULL, FALSE, FALSE, NULL);
    end_plain(compute, 20);
    end_plain(call_the_library, 20);
    end_plain(use_the_heap, 60);
    end_plain(wait_shortly, 20);
    EXPECT_OK(CloseHandle(never));
}

/* ---- Waits that are over before they begin ---- */

static HANDLE signalled_often;

static DWORD WINAPI wait_only(LPVOID param)
{
    for (;;) {
        WaitForSingleObject(signalled_often, INFINITE);
        flag_add(&progress, 1);
    }
    return 0;
}

/* A worker has left its scheduler, and need not wait after all: a thread that ends it may find it so. */
TEST(Win32TerminateRunning, workers_whose_waits_are_over_before_they_begin)
{
    enum { ROUNDS = 6, WORKERS = 48, AT_ONCE = 4 };

    signalled_often = CreateEventA(NULL, FALSE, FALSE, NULL);
    signallers_start(signalled_often);
    for (int round = 0; round < ROUNDS; round++) {
        static struct loose rigs[2];

        for (int i = 0; i < 2; i++) {
            rigs[i] = (struct loose){0};
            ASSERT_OK(loose_start(&rigs[i], NULL));
        }
        progress = 0;
        for (int i = 0; i < WORKERS + AT_ONCE; i++) {
            if (i < WORKERS)
                ASSERT_OK(loose_add(&rigs[i % 2], wait_only, NULL, 0) != NULL);
            if (i >= AT_ONCE) {
                HANDLE thread = rigs[i % 2].workers[(i - AT_ONCE) / 2].bare.thread;

                EXPECT_OK(TerminateThread(thread, CODE));
                expect_ended(thread);
            }
        }
        for (int i = 0; i < 2; i++) {
            ASSERT_OK(loose_finish(&rigs[i]));
            EXPECT_OK(DeleteUmsCompletionList(rigs[i].list));
        }
    }
    signallers_stop();
}

/* ---- suspended ---- */

static DWORD WINAPI must_not_run(LPVOID param)
{
    FAIL("a worker that was ended runs");
    return 0;
}

TEST(Win32TerminateRunning, suspended_workers_and_threads)
{
    struct loose_worker *worker;
    HANDLE thread = CreateThread(NULL, 0, must_not_run, NULL, CREATE_SUSPENDED, NULL);

    EXPECT_OK(TerminateThread(thread, CODE));
    expect_ended(thread);
    EXPECT_OK(CloseHandle(thread));

    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, compute, NULL, 0);
    ASSERT_REACHES(progress, 1);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    ASSERT_OK(loose_suspended(worker));
    EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
    expect_ended(worker->bare.thread);
    ASSERT_REACHES(worker->ended, 1);

    progress = 0;
    thread = CreateThread(NULL, 0, compute, NULL, 0, NULL);
    ASSERT_REACHES(progress, 1);
    EXPECT_EQ(SuspendThread(thread), 0);
    EXPECT_OK(TerminateThread(thread, CODE));
    expect_ended(thread);
    EXPECT_OK(CloseHandle(thread));
    finish();
}
