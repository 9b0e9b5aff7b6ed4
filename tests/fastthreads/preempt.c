/* SPDX-License-Identifier: MIT
 *
 * preempt.c - processors are taken from threads that compute, and the allocator hears in order.
 */
#include "allocator_process.h"
#include "given_up.h"
#include "gtest_c.h"
#include "package.h"
#include "processor_share.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 200 };

#define QUANTUM "1000" /* ms */

static bool hint(struct channel *channel, uint64_t number, unsigned wanted)
{
    struct channel_hint message = {.number = number, .wanted = wanted};

    return channel && channel_hint(channel, &message);
}

/* ---- Hints in order -------------------------------------------------------------------------- */

TEST(hints, an_older_one_that_comes_late_says_nothing)
{
    start_allocator("late", QUANTUM);
    struct channel *one = channel_open(allocator_name, MACHINE);
    struct channel *other = channel_open(allocator_name, MACHINE);

    ASSERT_THAT(hint(one, 5, 2) && granted(one, 2) == 2, "no grant");
    ASSERT_THAT(hint(other, 1, 0), "no hint");
    EXPECT_EQ(granted(other, 0), 0);
    ASSERT_THAT(hint(one, 7, 1) && hint(one, 6, 2), "no hints"); /* 6 counted before 7 did */
    ASSERT_THAT(hint(other, 2, 2), "no hint");
    EXPECT_EQ(granted(other, 1), 1); /* the first keeps the one that it wants */
    ASSERT_THAT(hint(other, 3, 1) && hint(one, 8, 1), "no hints");
    ASSERT_THAT(hint(other, 4, 2), "no hint");
    channel_close(one);
    EXPECT_EQ(granted(other, 2), 2);
    channel_close(other);
    end_allocator();
}

enum { TELLERS = 4, TOLD_EACH = 2000, LEFT_OVER = 3 };

static struct exchange *ears;
static volatile LONG last_wanted, heard, twice, deaf;
static uint64_t last_number;

/* An allocator that writes down what it hears. */
static DWORD WINAPI listen_main(LPVOID param)
{
    while (!deaf) {
        struct channel_grant all = {.processors = ~0ull};
        struct channel_hint said;
        int program;

        if (exchange_wait(ears, 5, &program, &said) != CHANNEL_HINT)
            continue;
        if (!heard)
            exchange_grant(ears, program, &all);
        if (heard && said.number == last_number)
            InterlockedIncrement(&twice);
        if (said.number > last_number) {
            last_number = said.number;
            InterlockedExchange(&last_wanted, (LONG)said.wanted);
        }
        InterlockedIncrement(&heard);
    }
    return 0;
}

/* Each says what it changes at once, and all do at the same time. */
static DWORD WINAPI teller_main(LPVOID param)
{
    unsigned random = (unsigned)(ULONG_PTR)param;
    int mine = 0;

    for (int i = 0; i < TOLD_EACH; i++) {
        int wish = (int)((random = random * 1664525u + 1013904223u) >> 16) % 4;

        atomic_fetch_add(&ft__package.idle, mine - wish);
        mine = wish;
        ft__share_tell();
    }
    atomic_fetch_add(&ft__package.idle, mine);
    ft__share_tell();
    return 0;
}

static void tell_all_at_once(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;
    HANDLE threads[TELLERS];

    atomic_fetch_sub(&ft__package.idle, LEFT_OVER);
    for (int i = 0; i < TELLERS; i++) {
        threads[i] = CreateThread(NULL, 0, teller_main, (PVOID)(ULONG_PTR)(i + 1), 0, NULL);
        ASSERT_OK(threads[i]);
    }
    for (int i = 0; i < TELLERS; i++) /* not by a wait, for that would tell as well */
        while (WaitForSingleObject(threads[i], 0) == WAIT_TIMEOUT && GetTickCount64() < until)
            YieldProcessor();
    for (int i = 0; i < TELLERS; i++)
        CloseHandle(threads[i]);
    while (last_wanted != 1 + LEFT_OVER && GetTickCount64() < until) {
        ft__share_tell(); /* where one was lost for want of room the next one is said in any case */
        YieldProcessor();
    }
    EXPECT_EQ(last_wanted, 1 + LEFT_OVER);
    atomic_fetch_add(&ft__package.idle, LEFT_OVER);
}

static void run_with_ears(int processors, void (*first)(void *))
{
    struct ft_options options = {
        .ground = FT_UMS, .processors = processors, .allocator = allocator_name};
    HANDLE listener;

    name_allocator("ears");
    ears = exchange_open(allocator_name);
    ASSERT_THAT(ears, "cannot listen");
    last_wanted = heard = twice = deaf = 0;
    last_number = 0;
    listener = CreateThread(NULL, 0, listen_main, NULL, 0, NULL);
    ASSERT_OK(listener);
    EXPECT_EQ(ft_run(&options, first, NULL, NULL), 0);
    deaf = TRUE;
    EXPECT_EQ(WaitForSingleObject(listener, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(listener);
    exchange_close(ears);
    EXPECT_GE(heard, 2);
}

TEST(hints, the_highest_number_knows_the_latest)
{
    run_with_ears(1, tell_all_at_once);
    EXPECT_EQ(twice, 0);
}

enum { WAKES = 20 };

static BOOL wanted_within_limit(LONG wanted)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (last_wanted != wanted && GetTickCount64() < until)
        YieldProcessor();
    return last_wanted == wanted;
}

static volatile LONG compute_on;

static void compute_beside(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (compute_on && GetTickCount64() < until)
        YieldProcessor();
}

/* The other processor sleeps, is woken for nothing, and gets a thread a moment later: that may be after it has
 * looked for the reason, and before it sleeps again. */
static void wake_for_nothing(void *arg)
{
    struct processor *here = atomic_load(&ft__self()->where);

    for (int i = 0; i < WAKES; i++) {
        struct ft_thread *thread;

        ASSERT_THAT(wanted_within_limit(1), "wake %d: %ld wanted", i, (long)last_wanted);
        for (int k = 0; k < 2; k++)
            if (&ft__package.processors[k] != here)
                SetEvent(ft__package.processors[k].wake);
        for (int k = i * 20; k > 0; k--)
            YieldProcessor();
        compute_on = TRUE;
        thread = ft_fork(compute_beside, NULL);
        ASSERT_THAT(thread, "no thread");
        ASSERT_THAT(wanted_within_limit(2), "wake %d: %ld wanted by two that run", i,
                    (long)last_wanted);
        compute_on = FALSE;
        ft_join(thread);
        here = atomic_load(&ft__self()->where);
    }
}

TEST(hints, one_that_slept_and_runs_is_wanted)
{
    run_with_ears(2, wake_for_nothing);
}

/* ---- Taken from threads that compute --------------------------------------------------------- */

static volatile LONG computing, enough, taken;
static int rounds; /* on a busy machine fewer than ROUNDS are made in time */
static double took_ms[ROUNDS];

/* Neither forks nor yields nor waits. */
static void compute(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    InterlockedIncrement(&computing);
    while (!enough && GetTickCount64() < until)
        YieldProcessor();
}

/* Comes and goes, and each time wants one of the two processors. */
static DWORD WINAPI competitor_main(LPVOID param)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS, last;
    LARGE_INTEGER frequency, begin, end;
    struct channel *channel = channel_open(allocator_name, MACHINE);

    QueryPerformanceFrequency(&frequency);
    while (computing < 2 && GetTickCount64() < until)
        Sleep(1);
    last = GetTickCount64() + LIMIT_MS / 2;
    until = last + LIMIT_MS / 2;
    for (int i = 0; i < ROUNDS && GetTickCount64() < last; i++) {
        unsigned long before = given_up();

        rounds++;
        QueryPerformanceCounter(&begin);
        if (!hint(channel, 2 * (unsigned)i + 1, 1))
            break;
        while (given_up() == before && GetTickCount64() < until)
            SwitchToThread();
        QueryPerformanceCounter(&end);
        took_ms[i] = (double)(end.QuadPart - begin.QuadPart) * 1000.0 / (double)frequency.QuadPart;
        if (given_up() != before)
            InterlockedIncrement(&taken);
        if (!hint(channel, 2 * (unsigned)i + 2, 0))
            break;
        /* Given back, and computed on again. */
        while (GetTickCount64() < until && (!atomic_load(&ft__package.processors[0].current) ||
                                            !atomic_load(&ft__package.processors[1].current)))
            SwitchToThread();
    }
    InterlockedExchange(&enough, TRUE);
    if (channel)
        channel_close(channel);
    return 0;
}

static void nothing(void *arg)
{
}

static void two_that_compute(void *arg)
{
    struct ft_thread *second = ft_fork(nothing, NULL);

    ASSERT_THAT(second, "no thread");
    ft_join(second);
    second = ft_fork(compute, NULL); /* on the thread that is there: it need not arrive */
    ASSERT_THAT(second, "no thread");
    compute(NULL);
    ft_join(second);
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

TEST(preemption, a_processor_is_taken_from_a_thread_that_computes)
{
    start_allocator("computes", QUANTUM);
    struct ft_options options = {.ground = FT_UMS, .processors = 2, .allocator = allocator_name};
    struct ft_statistics counts;
    HANDLE competitor = CreateThread(NULL, 0, competitor_main, NULL, 0, NULL);

    ASSERT_OK(competitor);
    EXPECT_EQ(ft_run(&options, two_that_compute, NULL, &counts), 0);
    EXPECT_EQ(WaitForSingleObject(competitor, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(competitor);
    EXPECT_EQ(computing, 2);
    ASSERT_GE(rounds, 1);
    EXPECT_EQ(taken, rounds);
    EXPECT_GE(counts.given_up, (unsigned)rounds);
    EXPECT_GE(counts.preempted, 1);
    EXPECT_EQ(counts.allocator_lost, FALSE);
    qsort(took_ms, (size_t)rounds, sizeof(*took_ms), by_value);
    printf("taken after %.2f ms as a rule, %.2f in 99 of 100, %.2f at most, of %d\n",
           took_ms[rounds / 2], took_ms[rounds * 99 / 100], took_ms[rounds - 1], rounds);
    end_allocator();
}
