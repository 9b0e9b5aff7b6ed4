/* SPDX-License-Identifier: MIT
 *
 * policy.c - the processor allocator's policy: even shares, priorities, staying, turns.
 */
#include "allocator/policy.h"
#include "gtest_c.h"

enum { MOST = 4 };

static uint64_t all_of(const struct program *programs, int count)
{
    uint64_t all = 0;

    for (int i = 0; i < count; i++) {
        EXPECT_THAT((all & programs[i].processors) == 0, "program %d shares with another", i);
        all |= programs[i].processors;
    }
    return all;
}

static int number(uint64_t mask)
{
    return __builtin_popcountll(mask);
}

static struct program wants(unsigned wanted)
{
    return (struct program){.here = true, .wanted = wanted, .usable = ~0ull};
}

TEST(policy, one_program_gets_what_it_wants)
{
    struct program programs[MOST] = {wants(3)};

    EXPECT_THAT(!policy_divide(programs, MOST, 0xff, 0), "it divides");
    EXPECT_EQ(programs[0].processors, 0x7);
}

TEST(policy, shares_are_even_and_keep_their_place)
{
    struct program programs[MOST] = {wants(6)};

    policy_divide(programs, MOST, 0x3f, 0);
    EXPECT_EQ(programs[0].processors, 0x3f);
    programs[1] = wants(6);
    EXPECT_THAT(!policy_divide(programs, MOST, 0x3f, 0), "it divides");
    EXPECT_EQ(number(programs[0].processors), 3);
    EXPECT_EQ(number(programs[1].processors), 3);
    EXPECT_EQ(all_of(programs, MOST), 0x3f);
    uint64_t before = programs[1].processors;
    policy_divide(programs, MOST, 0x3f, 5);
    EXPECT_EQ(programs[1].processors, before);
}

TEST(policy, what_one_does_not_need_the_others_share)
{
    struct program programs[MOST] = {wants(1), wants(8), wants(8)};

    policy_divide(programs, MOST, 0x1f, 0);
    EXPECT_EQ(number(programs[0].processors), 1);
    EXPECT_EQ(number(programs[1].processors), 2);
    EXPECT_EQ(number(programs[2].processors), 2);
    all_of(programs, MOST);
}

TEST(policy, higher_priorities_first)
{
    struct program programs[MOST] = {wants(4), wants(3)};

    programs[1].priority = 1;
    policy_divide(programs, MOST, 0xf, 0);
    EXPECT_EQ(number(programs[1].processors), 3);
    EXPECT_EQ(number(programs[0].processors), 1);
    programs[1].wanted = 9;
    policy_divide(programs, MOST, 0xf, 0);
    EXPECT_EQ(number(programs[1].processors), 4);
    EXPECT_EQ(programs[0].processors, 0);
}

TEST(policy, idle_processors_stay_until_somebody_wants_them)
{
    struct program programs[MOST] = {wants(4), wants(1)};

    policy_divide(programs, MOST, 0x1f, 0);
    programs[0].wanted = 1;
    policy_divide(programs, MOST, 0x1f, 0);
    EXPECT_EQ(number(programs[0].processors), 4);
    programs[1].wanted = 3;
    policy_divide(programs, MOST, 0x1f, 0);
    EXPECT_EQ(number(programs[1].processors), 3);
    EXPECT_EQ(number(programs[0].processors), 2);
    all_of(programs, MOST);
}

/* Three programs on two processors: over the turns each has the same. */
TEST(policy, what_does_not_divide_is_shared_in_time)
{
    struct program programs[MOST] = {wants(2), {.here = false}, wants(2), wants(2)};
    int had[MOST] = {0};

    for (unsigned turn = 0; turn < 3 * MOST; turn++) {
        EXPECT_THAT(policy_divide(programs, MOST, 0x3, turn), "it does not divide");
        EXPECT_EQ(all_of(programs, MOST), 0x3);
        for (int i = 0; i < MOST; i++)
            had[i] += number(programs[i].processors);
    }
    EXPECT_EQ(had[1], 0);
    EXPECT_EQ(had[0], had[2]);
    EXPECT_EQ(had[2], had[3]);
}

TEST(policy, only_what_a_program_can_use)
{
    struct program programs[MOST] = {wants(4), wants(4)};

    programs[0].usable = 0x3;
    policy_divide(programs, MOST, 0xf, 0);
    EXPECT_EQ(programs[0].processors & ~0x3ull, 0);
    EXPECT_EQ(number(programs[0].processors), 2);
    EXPECT_EQ(programs[1].processors, 0xc);
}

TEST(policy, nobody_and_nothing)
{
    struct program programs[MOST] = {{.here = false}};

    EXPECT_THAT(!policy_divide(programs, MOST, 0xf, 3), "nobody");
    EXPECT_EQ(all_of(programs, MOST), 0);
    programs[2] = wants(2);
    EXPECT_THAT(!policy_divide(programs, MOST, 0, 3), "nothing to divide");
    EXPECT_EQ(all_of(programs, MOST), 0);
}
