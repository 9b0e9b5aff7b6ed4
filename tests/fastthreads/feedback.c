/* SPDX-License-Identifier: MIT
 *
 * feedback.c - the processor allocator's policy favours programs that used few processors, and who says what
 * it needs has more of it than who says more. The clock is the test's own.
 */
#include "allocator/policy.h"
#include "gtest_c.h"

#include <stddef.h>
#include <stdio.h>

enum { MOST = 4, STEP_MS = 20, MEMORY_MS = 2000, LONG_MS = 20 * MEMORY_MS };

static int number(uint64_t mask)
{
    return __builtin_popcountll(mask);
}

static struct program wants(unsigned wanted)
{
    return (struct program){.here = true, .wanted = wanted, .usable = ~0ull};
}

static uint64_t first_of(unsigned processors)
{
    return processors == 64 ? ~0ull : (1ull << processors) - 1;
}

/* Divides at once and after each step. Adds up what each had, in processors times milliseconds. */
static void pass(struct program *programs, uint64_t machine, unsigned milliseconds, double *had)
{
    static unsigned turn;

    policy_divide(programs, MOST, machine, turn);
    for (unsigned ms = 0; ms < milliseconds; ms += STEP_MS) {
        for (int i = 0; had && i < MOST; i++)
            had[i] += STEP_MS * (double)number(programs[i].processors);
        policy_charge(programs, MOST, STEP_MS, MEMORY_MS);
        policy_divide(programs, MOST, machine, ++turn);
    }
}

TEST(feedback, who_used_little_gets_more_when_it_needs_it)
{
    struct program programs[MOST] = {wants(4), wants(1)};

    pass(programs, 0xf, LONG_MS, NULL);
    EXPECT_EQ(number(programs[0].processors), 3);
    EXPECT_EQ(number(programs[1].processors), 1);
    programs[1].wanted = 4;
    EXPECT_THAT(!policy_divide(programs, MOST, 0xf, 0), "no turn changes it");
    EXPECT_THAT(policy_leaves_wanting(programs, MOST, 0xf), "time does");
    EXPECT_EQ(number(programs[1].processors), 3);
    EXPECT_EQ(number(programs[0].processors), 1);
}

TEST(feedback, and_then_they_are_equals)
{
    struct program programs[MOST] = {wants(4), wants(1)};
    uint64_t before;

    pass(programs, 0xf, LONG_MS, NULL);
    programs[1].wanted = 4;
    pass(programs, 0xf, MEMORY_MS, NULL);
    before = programs[0].processors;
    EXPECT_EQ(number(before), 2);
    for (int i = 0; i < 1000; i++) {
        pass(programs, 0xf, STEP_MS, NULL);
        ASSERT_EQ(programs[0].processors, before);
        ASSERT_EQ(programs[1].processors, 0xf & ~before);
    }
}

/* While one catches up with the other, neither crosses an edge at every step. */
TEST(feedback, processors_seldom_change_hands)
{
    struct program programs[MOST] = {wants(4)};
    uint64_t before;
    int changes = 0;

    pass(programs, 0xf, 200, NULL);
    programs[1] = wants(4);
    for (int i = 0; i < LONG_MS / STEP_MS; i++) {
        before = programs[0].processors;
        pass(programs, 0xf, STEP_MS, NULL);
        changes += programs[0].processors != before;
    }
    EXPECT_EQ(number(programs[0].processors), 2);
    EXPECT_THAT(changes >= 2 && changes <= 6, "%d changes", changes);
}

TEST(feedback, without_charges_everybody_is_equal)
{
    struct program programs[MOST] = {wants(4), wants(1)};

    policy_divide(programs, MOST, 0xf, 0);
    programs[1].wanted = 4;
    EXPECT_THAT(!policy_divide(programs, MOST, 0xf, 0), "no turn changes it");
    EXPECT_EQ(number(programs[0].processors), 2);
    EXPECT_EQ(number(programs[1].processors), 2);
}

/* One that always computes; and one that needs a processor for two seconds, then four for half a second. */
static double in_bursts(unsigned said_between)
{
    struct program programs[MOST] = {wants(4), wants(said_between)};
    double had[MOST] = {0};

    for (int i = 0; i < 20; i++) {
        programs[1].wanted = said_between;
        pass(programs, 0xf, 2000, NULL);
        programs[1].wanted = 4;
        pass(programs, 0xf, 500, had);
    }
    return had[1] / (20 * 500);
}

TEST(feedback, who_says_more_than_it_needs_has_less_when_it_needs_it)
{
    double honest = in_bursts(1);
    double liar = in_bursts(4);

    printf("of 4 processors, when it needs them: the honest one %.2f, the liar %.2f\n", honest,
           liar);
    EXPECT_THAT(honest > 2.5, "the honest one has %.2f of 4 processors when it needs them", honest);
    EXPECT_THAT(liar < 2.1, "the liar has %.2f", liar);
}

/* The first used twice an even share of three, the second about one. */
TEST(feedback, who_used_much_goes_last)
{
    struct program programs[MOST] = {wants(10), wants(6)};

    pass(programs, 0xffff, LONG_MS, NULL);
    programs[0].wanted = programs[1].wanted = 16;
    programs[2] = wants(8);
    policy_divide(programs, MOST, 0xffff, 0);
    EXPECT_EQ(number(programs[0].processors), 1);
    EXPECT_EQ(number(programs[1].processors), 7);
    EXPECT_EQ(number(programs[2].processors), 8);
}

/* An even share is one of what the modest ones leave: seven, not four. */
TEST(feedback, about_an_even_share_is_not_much)
{
    struct program programs[MOST] = {wants(8), wants(6), wants(1), wants(1)};

    pass(programs, first_of(16), LONG_MS, NULL);
    programs[0].wanted = programs[1].wanted = 16;
    policy_divide(programs, MOST, first_of(16), 0);
    EXPECT_EQ(number(programs[0].processors), 7);
    EXPECT_EQ(number(programs[1].processors), 7);
}

/* A newcomer has used less than anybody, but that is nothing to the one that always was modest. */
TEST(feedback, who_goes_on_using_little_keeps_it)
{
    struct program programs[MOST] = {wants(8), wants(2)};

    pass(programs, 0xff, LONG_MS, NULL);
    programs[2] = wants(8);
    policy_divide(programs, MOST, 0xff, 0);
    EXPECT_EQ(number(programs[1].processors), 2);
    EXPECT_EQ(number(programs[2].processors), 5);
    EXPECT_EQ(number(programs[0].processors), 1);
}

TEST(feedback, nobody_goes_without)
{
    struct program programs[MOST] = {wants(8), wants(8), wants(1), wants(1)};

    pass(programs, 0xff, LONG_MS, NULL);
    programs[2].wanted = 8;
    programs[3].wanted = 8;
    for (int i = 0; i < 100; i++) {
        pass(programs, 0xff, STEP_MS, NULL);
        for (int k = 0; k < MOST; k++)
            ASSERT_THAT(programs[k].processors, "step %d: program %d has none", i, k);
    }
}

TEST(feedback, priorities_count_first)
{
    struct program programs[MOST] = {wants(4), wants(0)};

    programs[0].priority = 1;
    pass(programs, 0xf, LONG_MS, NULL);
    programs[1].wanted = 4;
    policy_divide(programs, MOST, 0xf, 0);
    EXPECT_EQ(number(programs[0].processors), 4);
    EXPECT_EQ(programs[1].processors, 0);
}

/* Nobody wants them, so they stay; the program is not to blame. */
TEST(feedback, idle_processors_are_no_use)
{
    struct program programs[MOST] = {wants(4)};

    pass(programs, 0xf, STEP_MS, NULL);
    programs[0].wanted = 1;
    pass(programs, 0xf, LONG_MS, NULL);
    EXPECT_EQ(number(programs[0].processors), 4);
    EXPECT_THAT(!policy_leaves_wanting(programs, MOST, 0xf), "nobody wants anything");
    EXPECT_THAT(programs[0].use > 0.99 && programs[0].use < 1.01, "it used %f", programs[0].use);
    policy_charge(programs, MOST, 0, MEMORY_MS);
    EXPECT_THAT(programs[0].use > 0.99, "a moment of no length changes it: %f", programs[0].use);
}

TEST(feedback, turns_are_fair)
{
    struct program programs[MOST] = {wants(2), {.here = false}, wants(2), wants(2)};
    double had[MOST] = {0};

    pass(programs, 0x3, LONG_MS, NULL);
    pass(programs, 0x3, 30 * STEP_MS * MOST, had);
    EXPECT_EQ(had[0], had[2]);
    EXPECT_EQ(had[2], had[3]);
}

/* However many processors there are, and with whatever pasts: programs that want all of them come to the same share,
 * beside some that want a single one each, and keep it. */
static void come_to_rest(unsigned processors, int greedy, int modest)
{
    struct program programs[MOST] = {{.here = false}};
    uint64_t machine = first_of(processors);
    int due = ((int)processors - modest) / greedy;
    uint64_t before[MOST];

    for (int i = 0; i < greedy; i++) { /* they come one after the other */
        programs[i] = wants(64);
        pass(programs, machine, 300 + 700 * (unsigned)i, NULL);
    }
    for (int i = greedy; i < greedy + modest; i++)
        programs[i] = wants(1);
    pass(programs, machine, LONG_MS, NULL);
    for (int i = 0; i < MOST; i++)
        before[i] = programs[i].processors;
    for (int step = 0; step < LONG_MS / STEP_MS; step++) {
        pass(programs, machine, STEP_MS, NULL);
        for (int i = 0; i < greedy; i++)
            ASSERT_THAT(
                number(programs[i].processors) == due && programs[i].processors == before[i],
                "%u processors, %d that want all and %d that want one: program %d has %#llx",
                processors, greedy, modest, i, (unsigned long long)programs[i].processors);
    }
}

TEST(feedback, equals_come_to_rest)
{
    for (int greedy = 1; greedy <= MOST; greedy++)
        for (int modest = 0; greedy + modest <= MOST; modest++)
            for (int processors = greedy + modest; processors <= 64; processors += greedy)
                come_to_rest((unsigned)processors, greedy, modest);
}
