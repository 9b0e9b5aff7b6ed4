/* SPDX-License-Identifier: MIT
 *
 * spin_then_block.c - on the ground spin a thread gets a lock that is soon free without a block, and
 * blocks for one that stays taken.
 */
#include "fastthreads.h"
#include "gtest_c.h"

enum { TURNS = 500, MOMENT = 20, HELD_MS = 10, LIMIT_MS = 10000 };

static struct ft_lock lock;
static struct ft_condition changed;
static volatile LONG round_of[2];
static volatile LONG finished;
static volatile LONG inside;
static volatile LONG faults;

static struct ft_statistics run(enum ft_ground ground, int processors, void (*first)(void *),
                                void *arg)
{
    struct ft_options options = {.ground = ground, .processors = processors};
    struct ft_statistics counts;

    round_of[0] = round_of[1] = finished = inside = faults = 0;
    EXPECT_EQ(ft_run(&options, first, arg, &counts), 0);
    EXPECT_EQ(faults, 0);
    return counts;
}

static BOOL two_processors(void)
{
    DWORD_PTR machine = ft_machine();

    return (machine & (machine - 1)) != 0;
}

/* Until the other has come to this round. */
static void await(volatile LONG *reached, LONG round)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;

    while (*reached < round && GetTickCount64() < until)
        YieldProcessor();
    if (*reached < round)
        InterlockedIncrement(&faults);
}

/* ---- One holds it, the other wants it -------------------------------------------------------- */

struct holding {
    LONG rounds;
    void (*stay)(void); /* with the lock */
};

static void want(void *arg)
{
    LONG rounds = *(LONG *)arg;

    for (LONG round = 1; round <= rounds && !faults; round++) {
        await(&round_of[0], round);
        InterlockedExchange(&round_of[1], round);
        ft_acquire(&lock);
        if (InterlockedExchange(&inside, 1))
            InterlockedIncrement(&faults);
        InterlockedExchange(&inside, 0);
        ft_release(&lock);
        InterlockedExchange(&finished, round);
    }
}

/* The other one is told while the lock is held, and finds it taken. */
static void hold(void *arg)
{
    struct holding *holding = arg;
    struct ft_thread *other;

    ft_lock_init(&lock);
    other = ft_fork(want, &holding->rounds);
    ASSERT_THAT(other, "fork");
    for (LONG round = 1; round <= holding->rounds && !faults; round++) {
        ft_acquire(&lock);
        if (InterlockedExchange(&inside, 1))
            InterlockedIncrement(&faults);
        InterlockedExchange(&round_of[0], round);
        await(&round_of[1], round);
        holding->stay();
        InterlockedExchange(&inside, 0);
        ft_release(&lock);
        await(&finished, round);
    }
    ft_join(other);
}

static void for_a_moment(void)
{
    for (int i = 0; i < MOMENT; i++)
        YieldProcessor();
}

/* Many times as long as a thread spins. */
static void for_long(void)
{
    Sleep(HELD_MS);
}

TEST(spin_then_block, a_lock_that_is_soon_free_costs_no_block)
{
    struct holding holding = {500, for_a_moment};
    struct ft_statistics counts;

    if (!two_processors())
        SKIP("a lock becomes free while a thread spins only beside it: one processor here");
    counts = run(FT_SPIN, 2, hold, &holding);
    EXPECT_EQ(round_of[1], holding.rounds);
    EXPECT_GE(counts.locks_spun, 1);
    EXPECT_LE(counts.locks_spun + counts.locks_blocked, 2 * (unsigned long)holding.rounds);
    counts = run(FT_KERNEL, 2, hold, &holding);
    EXPECT_EQ(round_of[1], holding.rounds);
    EXPECT_EQ(counts.locks_spun, 0);
}

/* Where the machine is busy a thread may come too late for the lock in some of the rounds. */
TEST(spin_then_block, a_lock_that_stays_taken_blocks)
{
    for (int processors = 1; processors <= 2; processors++) {
        struct holding holding = {20, for_long};
        struct ft_statistics counts = run(FT_SPIN, processors, hold, &holding);

        EXPECT_EQ(round_of[1], holding.rounds);
        EXPECT_GE(counts.locks_blocked, 5);
        EXPECT_LE(counts.locks_spun + counts.locks_blocked, 2 * (unsigned long)holding.rounds);
    }
}

/* ---- Alone on a processor -------------------------------------------------------------------- */

static void pass_turns(void *arg)
{
    LONG side = *(LONG *)arg;

    ft_acquire(&lock);
    for (LONG round = 1; round <= TURNS; round++) {
        while (inside != side)
            ft_wait(&changed, &lock);
        inside = !side;
        round_of[side] = round;
        ft_broadcast(&changed);
    }
    ft_release(&lock);
}

static void take_turns(void *arg)
{
    LONG sides[2] = {0, 1};
    struct ft_thread *other;

    ft_lock_init(&lock);
    ft_condition_init(&changed);
    other = ft_fork(pass_turns, &sides[1]);
    ASSERT_THAT(other, "fork");
    pass_turns(&sides[0]);
    ft_join(other);
}

TEST(spin_then_block, on_one_processor_nobody_spins)
{
    struct ft_statistics counts = run(FT_SPIN, 1, take_turns, NULL);

    EXPECT_EQ(round_of[0], TURNS);
    EXPECT_EQ(round_of[1], TURNS);
    EXPECT_EQ(counts.locks_spun, 0);
}
