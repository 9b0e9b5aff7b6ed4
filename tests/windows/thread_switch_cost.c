/* SPDX-License-Identifier: MIT
 *
 * thread_switch_cost.c - a yield and the execute after it, against what it is made of: a round trip of two
 * threads that wait for each other with WaitOnAddress.
 *
 * Both are measured in rounds, in turn, and both on the same processors: once on one and once on two, with each
 * side bound to its own. Where the kernel chooses, it runs the two sides of a round on one processor or on
 * two, by chance, and one costs half of the other: such a ratio tells of the kernel's choice.
 *
 * A machine that does other things as well lengthens rounds at random; so either the best rounds or the
 * typical pair of rounds must keep to the bar. Rounds go on until that is so, and at most PATIENCE_MS: other
 * programs' work comes and goes, a switch that costs more does not.
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

enum { LEAST_ROUNDS = 9, MOST_ROUNDS = 1000, MOST_PERCENT = 130, PATIENCE_MS = 15000 };

/* The processor of each side, as a mask. */
static DWORD_PTR side_one, side_two;

static int trips; /* of a round */

static void bind_to(DWORD_PTR processor)
{
    EXPECT_OK(SetThreadAffinityMask(GetCurrentThread(), processor) != 0);
}

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
    bind_to(side_two);
    for (LONG i = 0; i <= trips; i++) {
        wait_for(&there, i);
        set(&back, i);
    }
    return 0;
}

static void trip(LONG i)
{
    set(&there, i);
    wait_for(&back, i);
}

static double two_threads(void)
{
    HANDLE thread;
    double start;

    there = back = -1;
    bind_to(side_one);
    thread = CreateThread(NULL, 0, answer, NULL, 0, NULL);
    trip(0); /* both are bound */
    start = now_us();
    for (LONG i = 1; i <= trips; i++)
        trip(i);
    start = (now_us() - start) / trips;
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
    bind_to(side_two);
    for (int i = 0; i <= trips; i++)
        UmsThreadYield(NULL);
    return 0;
}

static VOID NTAPI execute_again(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerThreadBlocked) {
        ended = now_us(); /* its end */
        return;
    }
    if (reason == UmsSchedulerThreadYield && !yields++)
        started = now_us(); /* both are bound */
    ExecuteUmsThread(worker.context);
    FAIL("execute failed: last error %u", (unsigned)GetLastError());
}

static double scheduler_and_worker(void)
{
    PUMS_COMPLETION_LIST list;

    yields = 0;
    bind_to(side_one);
    if (!EXPECT_OK(CreateUmsCompletionList(&list)) ||
        !bare_create_arrived(&worker, list, yield_often, NULL) ||
        !EXPECT_OK(ums_enter(list, execute_again, NULL)))
        return 0;
    EXPECT_EQ(yields, trips + 1);
    EXPECT_EQ(bare_arrival(list), worker.context);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
    return (ended - started) / trips;
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

struct rounds {
    double threads, ours; /* the best of each, in microseconds */
    double ratios[MOST_ROUNDS];
    int count;
};

static void one_more(struct rounds *rounds)
{
    double two = two_threads(), one = scheduler_and_worker();

    rounds->threads = smaller(rounds->threads, two);
    rounds->ours = smaller(rounds->ours, one);
    rounds->ratios[rounds->count++] = one / two;
}

static double typical(struct rounds *rounds)
{
    qsort(rounds->ratios, rounds->count, sizeof rounds->ratios[0], by_size);
    return rounds->ratios[rounds->count / 2];
}

static int percent(struct rounds *rounds)
{
    return (int)(smaller(rounds->ours / rounds->threads, typical(rounds)) * 100);
}

static void compare(const char *where)
{
    static struct rounds rounds;
    double start = now_us();

    rounds = (struct rounds){.threads = 1e9, .ours = 1e9};
    do
        one_more(&rounds);
    while (!tc_failures() && rounds.count < MOST_ROUNDS && now_us() - start < PATIENCE_MS * 1e3 &&
           (rounds.count < LEAST_ROUNDS || percent(&rounds) > MOST_PERCENT));
    tc_note(
        "%s, %d rounds: at best two threads %.2f us, yield and execute %.2f us, ratio %.2f; typical "
        "ratio %.2f",
        where, rounds.count, rounds.threads, rounds.ours, rounds.ours / rounds.threads,
        typical(&rounds));
    EXPECT_LE(percent(&rounds), MOST_PERCENT);
}

/* The first processor of these. */
static DWORD_PTR first(DWORD_PTR processors)
{
    return processors & -processors;
}

static DWORD_PTR our_processors(void)
{
    DWORD_PTR ours = 0, all;

    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &ours, &all));
    return ours;
}

TEST(ThreadSwitchCost, on_two_processors)
{
    DWORD_PTR processors = our_processors();

    side_one = first(processors);
    side_two = first(processors ^ side_one);
    if (!side_two)
        SKIP("one processor only");
    trips = 1000; /* a virtual machine takes 0.1 ms to wake the other processor */
    compare("two processors");
}

TEST(ThreadSwitchCost, on_one_processor)
{
    side_one = side_two = first(our_processors());
    trips = 5000;
    compare("one processor");
}
