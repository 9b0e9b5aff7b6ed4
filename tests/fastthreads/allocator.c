/* SPDX-License-Identifier: MIT
 *
 * allocator.c - programs and the processor allocator, each of which survives the other's end.
 */
#include "allocator_process.h"
#include "fastthreads.h"
#include "given_up.h"
#include "gtest_c.h"

#include <stdatomic.h>

/* ms; the long one is longer than the time between two hints, also where a pause of a millisecond takes 16 */
#define QUANTUM "20"
#define LONG_QUANTUM "60"

static void hint(struct channel *channel, unsigned wanted)
{
    struct channel_hint message = {.wanted = wanted};

    if (channel)
        EXPECT_THAT(channel_hint(channel, &message), "no hint to %s", allocator_name);
}

static struct channel *join_machine(uint64_t machine, unsigned wanted)
{
    struct channel *channel = channel_open(allocator_name, machine);

    EXPECT_THAT(channel, "no channel to %s", allocator_name);
    hint(channel, wanted);
    return channel;
}

static struct channel *join_in(unsigned wanted)
{
    return join_machine(MACHINE, wanted);
}

TEST(allocator, divides_among_those_that_are_there)
{
    start_allocator("divides", QUANTUM);
    struct channel *one = join_in(2);
    struct channel *two;

    ASSERT_EQ(granted(one, 2), 2);
    two = join_in(2);
    ASSERT_EQ(granted(two, 1), 1);
    EXPECT_EQ(granted(one, 1), 1);
    channel_close(two);
    EXPECT_EQ(granted(one, 2), 2);
    channel_close(one);
    end_allocator();
}

TEST(allocator, takes_back_what_a_crashed_program_had)
{
    start_allocator("crash", QUANTUM);
    struct channel *other;

    EXPECT_EQ(client_crashes(), TRUE);
    other = join_in(2);
    EXPECT_EQ(granted(other, 2), 2);
    channel_close(other);
    end_allocator();
}

static struct channel *takers[3];
static volatile LONG turns_taken;

static void take_turns(void)
{
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++) {
            EXPECT_EQ(granted(takers[i], 0), 0);
            EXPECT_EQ(granted(takers[i], 1), 1);
        }
    }
}

static void three_join_in(void)
{
    for (int i = 0; i < 3; i++)
        takers[i] = join_in(2);
}

static void all_leave(void)
{
    for (int i = 0; i < 3; i++)
        channel_close(takers[i]);
}

TEST(allocator, three_programs_take_turns_on_two_processors)
{
    start_allocator("turns", QUANTUM);
    three_join_in();
    take_turns();
    all_leave();
    end_allocator();
}

static DWORD WINAPI hint_all_the_time(LPVOID param)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (!turns_taken && GetTickCount64() < until) {
        hint(takers[0], 2); /* which is known */
        Sleep(1);
    }
    return 0;
}

/* They come more often than turns end. */
TEST(allocator, hints_do_not_hold_the_turns_up)
{
    start_allocator("flood", LONG_QUANTUM);
    HANDLE hinter;

    three_join_in();
    turns_taken = FALSE;
    hinter = CreateThread(NULL, 0, hint_all_the_time, NULL, 0, NULL);
    ASSERT_OK(hinter);
    take_turns();
    EXPECT_NE(WaitForSingleObject(hinter, 0), WAIT_OBJECT_0);
    InterlockedExchange(&turns_taken, TRUE);
    EXPECT_EQ(WaitForSingleObject(hinter, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(hinter);
    all_leave();
    end_allocator();
}

enum { USED_FOR_MS = 1500 };

/* What of them there is on this machine does not matter: nobody computes there. */
TEST(allocator, favours_who_used_little_until_it_has_used_as_much)
{
    struct channel *much, *little;

    allocator_feedback = "1";
    start_allocator("feedback", QUANTUM);
    much = join_machine(0xf, 4);
    ASSERT_EQ(granted(much, 4), 4);
    Sleep(USED_FOR_MS);
    little = join_machine(0xf, 4);
    ASSERT_EQ(granted(little, 3), 3);
    EXPECT_EQ(granted(much, 1), 1);
    EXPECT_EQ(granted(much, 2), 2);
    EXPECT_EQ(granted(little, 2), 2);
    channel_close(much);
    channel_close(little);
    end_allocator();
    allocator_feedback = NULL;
}

TEST(allocator, hangs_up_on_nonsense)
{
    start_allocator("nonsense", QUANTUM);
    struct channel *other;

    EXPECT_EQ(hangs_up_on("nonsense of no size", 19), TRUE);
    other = join_in(1);
    EXPECT_EQ(granted(other, 1), 1);
    channel_close(other);
    end_allocator();
}

TEST(allocator, a_name_is_used_once)
{
    start_allocator("once", QUANTUM);
    EXPECT_EQ(second_allocator(), 1);
    end_allocator();
}

/* ---- The package as its client --------------------------------------------------------------- */

static atomic_int forks_done;
static atomic_int forks_enough;
static atomic_int doomed;               /* the allocator is to be killed once some work is done */
static unsigned long at_least_given_up; /* the work goes on until then */

static void small_work(void *arg)
{
    volatile double x = 1;

    for (int i = 0; i < 2000; i++)
        x = x * 0.5 + 1;
    atomic_fetch_add(&forks_done, 1);
}

static void work_in_rounds(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (!atomic_load(&forks_enough) && GetTickCount64() < until) {
        struct ft_thread *threads[8];
        int before = atomic_load(&forks_done);

        for (int i = 0; i < 8; i++) {
            threads[i] = ft_fork(small_work, NULL);
            ASSERT_THAT(threads[i], "fork %d", i);
        }
        for (int i = 0; i < 8; i++)
            ft_join(threads[i]);
        EXPECT_EQ(atomic_load(&forks_done), before + 8);
        if (before > 500 && atomic_exchange(&doomed, 0))
            kill_allocator();
        if (before > 5000 && given_up() >= at_least_given_up)
            atomic_store(&forks_enough, 1);
    }
    EXPECT_THAT(atomic_load(&forks_enough), "%d forks and %lu processors given up only",
                atomic_load(&forks_done), given_up());
}

static struct ft_statistics run_with(const char *allocator, enum ft_ground ground)
{
    struct ft_options options = {.ground = ground, .processors = 2, .allocator = allocator};
    struct ft_statistics counts;

    atomic_store(&forks_done, 0);
    atomic_store(&forks_enough, 0);
    EXPECT_EQ(ft_run(&options, work_in_rounds, NULL, &counts), 0);
    return counts;
}

TEST(client, goes_on_without_an_allocator)
{
    struct ft_statistics counts = run_with("nobody-is-called-this", FT_UMS);

    EXPECT_EQ(counts.allocator_lost, TRUE);
}

TEST(client, asks_for_what_it_needs)
{
    start_allocator("needs", QUANTUM);
    struct ft_statistics counts = run_with(allocator_name, FT_UMS);

    EXPECT_EQ(counts.allocator_lost, FALSE);
    EXPECT_GE(counts.hints, 2);
    counts = run_with(allocator_name, FT_USER);
    EXPECT_EQ(counts.allocator_lost, FALSE);
    EXPECT_GE(counts.hints, 2);
    end_allocator();
}

TEST(client, survives_its_allocator)
{
    start_allocator("dies", QUANTUM);
    struct ft_statistics counts;

    atomic_store(&doomed, 1);
    counts = run_with(allocator_name, FT_UMS);
    EXPECT_EQ(counts.allocator_lost, TRUE);
    allocator_is_gone();
}

TEST(client, gives_processors_up_to_a_newcomer)
{
    start_allocator("newcomer", QUANTUM);
    struct channel *other = join_in(2);
    struct ft_statistics counts;

    ASSERT_EQ(granted(other, 2), 2);
    /* On the one processor that is its share. The other one has to run once to hand itself back, and on a busy machine it
     * may not get to that before all the work is done. */
    at_least_given_up = 1;
    counts = run_with(allocator_name, FT_UMS);
    at_least_given_up = 0;
    EXPECT_EQ(counts.allocator_lost, FALSE);
    EXPECT_GE(counts.given_up, 1);
    EXPECT_EQ(granted(other, 1), 1);
    channel_close(other);
    end_allocator();
}

static atomic_int both_taken;
static struct channel *lower;

static void compute_until_taken(void *arg)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (!atomic_load(&both_taken) && GetTickCount64() < until)
        YieldProcessor();
}

static void compute_on_two(void *arg)
{
    struct ft_thread *second = ft_fork(compute_until_taken, NULL);

    ASSERT_THAT(second, "no thread");
    compute_until_taken(NULL);
    ft_join(second);
}

static DWORD WINAPI until_nothing_is_left(LPVOID param)
{
    EXPECT_EQ(granted(lower, 0), 0);
    atomic_store(&both_taken, 1);
    return 0;
}

TEST(client, of_a_higher_priority_takes_all_it_wants)
{
    start_allocator("priority", QUANTUM);
    struct ft_options options = {
        .ground = FT_UMS, .processors = 2, .allocator = allocator_name, .priority = 1};
    struct ft_statistics counts;
    HANDLE listener;

    lower = join_in(2);
    ASSERT_EQ(granted(lower, 2), 2);
    atomic_store(&both_taken, 0);
    listener = CreateThread(NULL, 0, until_nothing_is_left, NULL, 0, NULL);
    ASSERT_OK(listener);
    EXPECT_EQ(ft_run(&options, compute_on_two, NULL, &counts), 0);
    EXPECT_EQ(counts.allocator_lost, FALSE);
    EXPECT_EQ(atomic_load(&both_taken), 1);
    EXPECT_EQ(WaitForSingleObject(listener, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(listener);
    EXPECT_EQ(granted(lower, 2), 2);
    channel_close(lower);
    end_allocator();
}
