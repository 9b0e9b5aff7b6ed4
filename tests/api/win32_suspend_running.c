/* SPDX-License-Identifier: MIT
 *
 * win32_suspend_running.c - workers that are suspended wherever they happen to be: in a loop, in this library, in the C
 * library, in waits (SU-3). No work may be lost, and no thread may hang.
 *
 * And a thousand stops of a thread that is in system calls most of the time, where it cannot be
 * stopped.
 *
 * modes: win32
 * with: restless.c
 * options: APART, LIMIT 60
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"
#include "restless.h"
#include "signallers.h"

#include <stdio.h>

static DWORD WINAPI compute(LPVOID param)
{
    for (unsigned i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++)
        if (i % 256 == 0)
            __atomic_store_n(&progress, progress + 1, __ATOMIC_RELAXED);
    return 5;
}

TEST(Win32SuspendRunning, computing_worker_SU_3)
{
    struct loose_worker *worker;
    struct loose_worker *other;
    int before;
    int ran = 0;

    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, compute, NULL, 0);
    ASSERT_REACHES(progress, 1000);
    other = loose_add(&rig, run_once, &ran, 0);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    ASSERT_OK(loose_suspended(worker));
    ASSERT_REACHES(worker->traps, 1); /* Blocked, payload 0 */
    before = flag_get(&progress);
    ASSERT_REACHES(other->ended, 1); /* the scheduler is free */
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(flag_get(&progress), before);
    EXPECT_EQ(flag_get(&worker->arrivals), 1); /* not before it is resumed */
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    ASSERT_REACHES(worker->arrivals, 2);
    ASSERT_REACHES(progress, before + 1000);
    EXPECT_EQ(is_suspended(worker->bare.context), false);
    finish();
    EXPECT_EQ(worker->arrivals, 3);
    EXPECT_EQ(worker->blocked, 1); /* its end */
}

/* Suspends the worker until it stands still, and resumes it, again and again. The worker may lose
 * nothing by that. */
static void disturb(struct loose_worker *worker, int times)
{
    ULONGLONG end = GetTickCount64() + ENOUGH_MS;

    for (int i = 0; i < times && (i < AT_LEAST || GetTickCount64() < end); i++) {
        int before;

        ASSERT_EQ(SuspendThread(worker->bare.thread), 0);
        ASSERT_OK(loose_suspended(worker));
        before = flag_get(&progress);
        for (int j = 0; j < 20; j++)
            YieldProcessor();
        ASSERT_EQ(flag_get(&progress), before);
        ASSERT_EQ(ResumeThread(worker->bare.thread), 1);
        if (i % 4 == 0)
            ASSERT_REACHES(progress, before + 1);
    }
}

static void disturb_routine(LPTHREAD_START_ROUTINE routine, void *arg, int times)
{
    struct loose_worker *worker;

    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, routine, arg, 0);
    ASSERT_REACHES(progress, 1);
    disturb(worker, times);
    finish();
    EXPECT_EQ(worker->arrivals, 1 + worker->traps + worker->blocked);
}

CALL_TEST(Win32SuspendRunning, computing_worker_a_thousand_times,
          disturb_routine(compute, NULL, 1000))

static DWORD WINAPI call_the_library(LPVOID param)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    CRITICAL_SECTION section;

    InitializeCriticalSection(&section);
    while (!flag_get(&stop)) {
        HANDLE copy = NULL;

        SetEvent(event);
        EnterCriticalSection(&section);
        EXPECT_EQ(WaitForSingleObject(event, INFINITE), WAIT_OBJECT_0);
        EXPECT_OK(DuplicateHandle(GetCurrentProcess(), event, GetCurrentProcess(), &copy, 0, FALSE,
                                  DUPLICATE_SAME_ACCESS));
        LeaveCriticalSection(&section);
        ResetEvent(copy);
        EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
        EXPECT_OK(CloseHandle(copy));
        if (progress % 8 == 0)
            EXPECT_OK(UmsThreadYield(NULL));
        flag_add(&progress, 1);
    }
    DeleteCriticalSection(&section);
    EXPECT_OK(CloseHandle(event));
    return 0;
}

CALL_TEST(Win32SuspendRunning, worker_in_library_calls_a_thousand_times,
          disturb_routine(call_the_library, NULL, 1000))

TEST(Win32SuspendRunning, worker_in_malloc_and_printf_a_thousand_times)
{
    FILE *stream = tmpfile();

    disturb_routine(allocate_and_print, stream, 1000);
    if (stream)
        fclose(stream);
}

TEST(Win32SuspendRunning, worker_in_waits_a_thousand_times)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    disturb_routine(wait_and_sleep, event, 1000);
    EXPECT_OK(CloseHandle(event));
}

/* ---- signals that come while the worker is on its way to wait for them ---- */

static HANDLE the_event;

static DWORD WINAPI wait_only(LPVOID count)
{
    while (!flag_get(&stop)) {
        WaitForSingleObject(the_event, INFINITE);
        flag_add(count, 1);
    }
    return 0;
}

/* Workers leave their schedulers to wait, and are read as suspended. Then their wait is over at
 * once. */
TEST(Win32SuspendRunning, workers_whose_waits_are_over_before_they_begin)
{
    enum { RIGS = 2, WORKERS = 2 * RIGS, TIMES = 1500 };
    static struct loose rigs[RIGS];
    static int counts[WORKERS];
    struct loose_worker *workers[WORKERS];
    ULONGLONG end = GetTickCount64() + ENOUGH_MS;
    int ran = 0;

    the_event = CreateEventA(NULL, FALSE, FALSE, NULL);
    signallers_start(the_event);
    for (int i = 0; i < RIGS; i++)
        ASSERT_OK(loose_start(&rigs[i], NULL));
    for (int i = 0; i < WORKERS; i++)
        workers[i] = loose_add(&rigs[i % RIGS], wait_only, &counts[i], 0);
    for (int i = 0; i < TIMES && !tc_failures() && (i < AT_LEAST || GetTickCount64() < end); i++) {
        struct loose_worker *worker = workers[i % WORKERS];
        int *count = &counts[i % WORKERS], before;

        ASSERT_EQ(SuspendThread(worker->bare.thread), 0);
        ASSERT_OK(loose_suspended(worker));
        before = flag_get(count);
        SwitchToThread();
        for (int j = 0; j < 200; j++)
            YieldProcessor();
        ran += flag_get(count) != before;
        ASSERT_EQ(ResumeThread(worker->bare.thread), 1);
    }
    EXPECT_THAT(ran == 0, "%d of %d times it ran while it read suspended", ran, TIMES);
    flag_set(&stop, 1);
    for (int i = 0; i < RIGS; i++) {
        ASSERT_OK(loose_finish(&rigs[i]));
        EXPECT_OK(DeleteUmsCompletionList(rigs[i].list));
    }
    signallers_stop();
}

/* Every register keeps its value, wherever the worker is taken away and whatever runs meanwhile. */
static DWORD WINAPI hold_registers(LPVOID param)
{
    static const unsigned long long want[4] = {0x0123456789abcdef, 0xfedcba9876543210,
                                               0x5555aaaa5555aaaa, 0x1111222233334444};
    while (!flag_get(&stop)) {
        unsigned long long got[6] = {0};
        int rounds = 20000;

        __asm__ volatile("mov (%[w]), %%r8\n\t"
                         "mov 8(%[w]), %%r9\n\t"
                         "mov 16(%[w]), %%r12\n\t"
                         "mov 24(%[w]), %%r13\n\t"
                         "movdqu (%[w]), %%xmm0\n\t"
                         "movdqu 16(%[w]), %%xmm7\n\t"
                         "movdqu 16(%[w]), %%xmm15\n\t"
                         "std\n"
                         "1:\n\t"
                         "dec %[n]\n\t"
                         "jnz 1b\n\t"
                         "lea -128(%%rsp), %%rsp\n\t"
                         "pushfq\n\t"
                         "cld\n\t"
                         "pop %%rax\n\t"
                         "lea 128(%%rsp), %%rsp\n\t"
                         "mov %%r8, 0(%[g])\n\t"
                         "mov %%r9, 8(%[g])\n\t"
                         "xor %%r13, %%r12\n\t"
                         "mov %%r12, 16(%[g])\n\t"
                         "pxor %%xmm7, %%xmm0\n\t"
                         "movq %%xmm0, 24(%[g])\n\t"
                         "movhlps %%xmm15, %%xmm15\n\t"
                         "movq %%xmm15, 32(%[g])\n\t"
                         "mov %%rax, 40(%[g])\n\t"
                         : [n] "+r"(rounds)
                         : [w] "r"(want), [g] "r"(got)
                         : "rax", "r8", "r9", "r12", "r13", "xmm0", "xmm7", "xmm15", "cc",
                           "memory");
        if (got[0] != want[0] || got[1] != want[1] || got[2] != (want[2] ^ want[3]) ||
            got[3] != (want[0] ^ want[2]) || got[4] != want[3] || !(got[5] & 0x400)) {
            FAIL("registers changed: %llx %llx %llx %llx %llx flags %llx", got[0], got[1], got[2],
                 got[3], got[4], got[5]);
            return 1;
        }
        flag_add(&progress, 1);
    }
    return 0;
}

CALL_TEST(Win32SuspendRunning, registers_survive, disturb_routine(hold_registers, NULL, 300))
