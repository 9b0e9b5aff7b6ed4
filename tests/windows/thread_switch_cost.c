/* SPDX-License-Identifier: MIT
 *
 * thread_switch_cost.c - a yield and the execute after it, against what it is made of: a round trip of two
 * threads that wait for each other with WaitOnAddress.
 *
 * Both are measured in rounds, in turn. A machine that does other things as well lengthens rounds at
 * random and moves threads about; so either the best rounds or the typical pair of rounds must keep to
 * the bar. Once on all processors and once on one.
 *
 * modes: default
 * libraries: synchronization, ws2_32
 * labels: bench
 * options: SERIAL
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdlib.h>

enum { ROUNDS = 9, TRIPS = 5000, MOST_PERCENT = 130 };

static double now_us(void)
{
    LARGE_INTEGER count, frequency;

    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart * 1e6 / (double)frequency.QuadPart;
}

/* ---- Two threads --------------------------------------------------------------------------------- */

static volatile LONG there, back;

static void wait_for(volatile LONG *word, LONG value)
{
    for (LONG seen; (seen = *word) != value;)
        WaitOnAddress(word, &seen, sizeof seen, INFINITE);
}

static void set(volatile LONG *word, LONG value)
{
    *word = value;
    WakeByAddressSingle((void *)word);
}

static DWORD WINAPI answer(LPVOID param)
{
    for (LONG i = 1; i <= TRIPS; i++) {
        wait_for(&there, i);
        set(&back, i);
    }
    return 0;
}

static double two_threads(void)
{
    HANDLE thread;
    double start;

    there = back = 0;
    thread = CreateThread(NULL, 0, answer, NULL, 0, NULL);
    start = now_us();
    for (LONG i = 1; i <= TRIPS; i++) {
        set(&there, i);
        wait_for(&back, i);
    }
    start = (now_us() - start) / TRIPS;
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    return start;
}

/* ---- A worker and its scheduler -------------------------------------------------------------------- */

static struct bare worker;
static int yields;
static double started, ended;

static DWORD WINAPI yield_often(LPVOID param)
{
    for (int i = 0; i < TRIPS; i++)
        UmsThreadYield(NULL);
    return 0;
}

static VOID NTAPI execute_again(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup) {
        started = now_us();
    } else if (reason == UmsSchedulerThreadBlocked) {
        ended = now_us(); /* its end */
        return;
    } else {
        yields++;
    }
    ExecuteUmsThread(worker.context);
    FAIL("execute failed: last error %u", (unsigned)GetLastError());
}

static double scheduler_and_worker(void)
{
    PUMS_COMPLETION_LIST list;

    yields = 0;
    if (!EXPECT_OK(CreateUmsCompletionList(&list)) ||
        !bare_create_arrived(&worker, list, yield_often, NULL) ||
        !EXPECT_OK(ums_enter(list, execute_again, NULL)))
        return 0;
    EXPECT_EQ(yields, TRIPS);
    EXPECT_EQ(bare_arrival(list), worker.context);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
    return (ended - started) / TRIPS;
}

/* ---- Both ------------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void compare(const char *where)
{
    double threads = 1e9, ours = 1e9, ratios[ROUNDS], typical;

    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        double two = two_threads(), one = scheduler_and_worker();

        threads = smaller(threads, two);
        ours = smaller(ours, one);
        ratios[i] = one / two;
    }
    qsort(ratios, ROUNDS, sizeof ratios[0], by_size);
    typical = ratios[ROUNDS / 2];
    tc_note("%s: at best two threads %.2f us, yield and execute %.2f us, ratio %.2f; typical ratio "
            "%.2f",
            where, threads, ours, ours / threads, typical);
    EXPECT_LE((int)(smaller(ours / threads, typical) * 100), MOST_PERCENT);
}

TEST(ThreadSwitchCost, on_all_processors)
{
    compare("all processors");
}

TEST(ThreadSwitchCost, on_one_processor)
{
    ASSERT_OK(SetProcessAffinityMask(GetCurrentProcess(), 1));
    compare("one processor");
}
