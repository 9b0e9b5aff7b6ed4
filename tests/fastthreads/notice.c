/* SPDX-License-Identifier: MIT
 *
 * notice.c - a thread that unblocks gets a processor, though all of them compute.
 */
#include "gtest_c.h"
#include "package.h"

enum { LIMIT_MS = 5000, SLEEPS = 5, QUIET_MS = 60, QUIET_MOST = 20 };

static volatile LONG woken, computing, over_time, started;
static int computers;

/* Neither forks nor yields nor waits, until the other has come back from each of its sleeps. */
static void compute(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    InterlockedIncrement(&computing);
    while (woken < SLEEPS && GetTickCount64() < until)
        YieldProcessor();
    if (woken < SLEEPS)
        InterlockedIncrement(&over_time);
}

static void sleep_again_and_again(void *arg)
{
    InterlockedExchange(&started, TRUE);
    for (int i = 0; i < SLEEPS; i++) {
        Sleep(1);
        InterlockedIncrement(&woken);
    }
}

static void compute_beside_a_sleeper(void *arg)
{
    struct ft_thread *threads[4];

    for (int i = 1; i < computers; i++) {
        threads[i] = ft_fork(compute, NULL);
        ASSERT_THAT(threads[i], "no thread");
    }
    while (computing < computers - 1)
        ft_yield();
    threads[0] = ft_fork(sleep_again_and_again, NULL);
    ASSERT_THAT(threads[0], "no thread");
    while (!started) /* a thread that is ready waits for its turn: no notice is made of that */
        ft_yield();
    compute(NULL);
    for (int i = 0; i < computers; i++)
        ft_join(threads[i]);
}

static struct ft_statistics run(int processors, void (*first)(void *))
{
    struct ft_options options = {.ground = FT_UMS, .processors = processors};
    struct ft_statistics counts;

    woken = computing = over_time = started = 0;
    EXPECT_EQ(ft_run(&options, first, NULL, &counts), 0);
    return counts;
}

TEST(notice, a_sleeper_comes_back_to_a_processor_that_computes)
{
    struct ft_statistics counts;

    computers = 1;
    counts = run(1, compute_beside_a_sleeper);
    EXPECT_EQ(over_time, 0);
    EXPECT_EQ(woken, SLEEPS);
    EXPECT_GE(counts.preempted, 1);
}

TEST(notice, so_it_does_where_two_compute)
{
    computers = 2;
    run(2, compute_beside_a_sleeper);
    EXPECT_EQ(over_time, 0);
    EXPECT_EQ(computing, 2);
    EXPECT_EQ(woken, SLEEPS);
}

static void compute_on(void *arg)
{
    ULONGLONG until = GetTickCount64() + QUIET_MS;

    while (GetTickCount64() < until)
        YieldProcessor();
}

/* Three for two processors: those that were stopped are no news. */
static void compute_and_nothing_else(void *arg)
{
    struct ft_thread *threads[3];

    threads[0] = ft_fork(sleep_again_and_again, NULL);
    for (int i = 1; i < 3; i++)
        threads[i] = ft_fork(compute_on, NULL);
    for (int i = 0; i < 3; i++) {
        ASSERT_THAT(threads[i], "no thread %d", i);
        ft_join(threads[i]);
    }
}

TEST(notice, threads_that_were_stopped_do_not_drive_each_other_out)
{
    struct ft_statistics counts = run(1, compute_and_nothing_else);

    EXPECT_EQ(woken, SLEEPS);
    /* The sleeper's arrivals and the births of threads; at a tick of 2 ms each other's would be some sixty. */
    EXPECT_LE(counts.preempted, QUIET_MOST);
}
