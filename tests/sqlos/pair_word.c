/* SPDX-License-Identifier: MIT
 *
 * pair_word.c - the word of the unfair mutex pair, bit by bit: what each operation makes of it.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

#define BOTH SOS_PAIR_BOTH
#define SECOND SOS_PAIR_SECOND

enum operation { COUNT, TAKE_AND_COUNT, TAKE };

struct step {
    enum operation operation;
    DWORD halves, before;
    BOOL works;
    DWORD after;
};

static BOOL apply(volatile LONG *word, const struct step *step)
{
    switch (step->operation) {
    case COUNT:
        return PairCount(word, step->halves);
    case TAKE_AND_COUNT:
        return PairTakeAndCount(word, step->halves);
    default:
        return PairTake(word, step->halves);
    }
}

static void check_steps(const struct step *steps, int count)
{
    for (int i = 0; i < count; i++) {
        volatile LONG word = (LONG)steps[i].before;
        BOOL works = apply(&word, &steps[i]);

        EXPECT_THAT(works == steps[i].works && (DWORD)word == steps[i].after,
                    "step %d on %08x: returned %d, word %08x, wanted %d and %08x", i,
                    (unsigned)steps[i].before, works, (unsigned)word, steps[i].works,
                    (unsigned)steps[i].after);
    }
}

TEST(SqlosPairWord, take_and_count_adds_80018001_if_both_locks_are_clear)
{
    static const struct step steps[] = {
        {TAKE_AND_COUNT, BOTH, 0, TRUE, 0x80018001},
        {TAKE_AND_COUNT, BOTH, 0x00020003, TRUE, 0x80038004}, /* barging past a waiter */
        {TAKE_AND_COUNT, BOTH, 0x7ffe7ffe, TRUE, 0xffffffff},
        {TAKE_AND_COUNT, BOTH, 0x80018001, FALSE, 0x80018001},
        {TAKE_AND_COUNT, BOTH, 0x80010000, FALSE, 0x80010000}, /* the second alone is held */
        {TAKE_AND_COUNT, BOTH, 0x00008001, FALSE, 0x00008001},
    };
    check_steps(steps, sizeof(steps) / sizeof(*steps));
}

TEST(SqlosPairWord, take_adds_80008000_for_who_is_counted)
{
    static const struct step steps[] = {
        {TAKE, BOTH, 0x00010001, TRUE, 0x80018001},
        {TAKE, BOTH, 0x00050002, TRUE, 0x80058002},
        {TAKE, BOTH, 0x80028002, FALSE, 0x80028002},
        {TAKE, BOTH, 0x80020001, FALSE, 0x80020001},
    };
    check_steps(steps, sizeof(steps) / sizeof(*steps));
}

TEST(SqlosPairWord, count_adds_00010001_while_a_lock_is_set)
{
    static const struct step steps[] = {
        {COUNT, BOTH, 0x80018001, TRUE, 0x80028002},
        {COUNT, BOTH, 0x80010000, TRUE, 0x80020001},
        {COUNT, BOTH, 0xfffefffe, TRUE, 0xffffffff},  /* 15 bits full, no carry */
        {COUNT, BOTH, 0x00010001, FALSE, 0x00010001}, /* free: take it, do not wait */
        {COUNT, BOTH, 0, FALSE, 0},
    };
    check_steps(steps, sizeof(steps) / sizeof(*steps));
}

TEST(SqlosPairWord, the_second_alone_leaves_the_first_half_as_it_is)
{
    static const struct step steps[] = {
        {TAKE_AND_COUNT, SECOND, 0, TRUE, 0x80010000},
        {TAKE_AND_COUNT, SECOND, 0x00038003, TRUE, 0x80048003},
        {TAKE_AND_COUNT, SECOND, 0x80018001, FALSE, 0x80018001},
        {TAKE, SECOND, 0x00010000, TRUE, 0x80010000},
        {TAKE, SECOND, 0x80020001, FALSE, 0x80020001},
        {COUNT, SECOND, 0x80018001, TRUE, 0x80028001},
        {COUNT, SECOND, 0x00008001, FALSE, 0x00008001},
    };
    check_steps(steps, sizeof(steps) / sizeof(*steps));
}

TEST(SqlosPairWord, release_takes_80018001_off_whoever_waits)
{
    static const struct {
        DWORD halves, before, after;
    } steps[] = {
        {BOTH, 0x80018001, 0},   {BOTH, 0x80038002, 0x00020001},   {BOTH, 0xffffffff, 0x7ffe7ffe},
        {SECOND, 0x80010000, 0}, {SECOND, 0x80030002, 0x00020002}, {SECOND, 0xffff0001, 0x7ffe0001},
    };

    for (int i = 0; i < (int)(sizeof(steps) / sizeof(*steps)); i++) {
        volatile LONG word = (LONG)steps[i].before;
        DWORD left = PairRelease(&word, steps[i].halves);

        EXPECT_THAT((DWORD)word == steps[i].after && left == steps[i].after,
                    "step %d: %08x became %08x, returned %08x, wanted %08x", i,
                    (unsigned)steps[i].before, (unsigned)word, (unsigned)left,
                    (unsigned)steps[i].after);
    }
}

TEST(SqlosPairWord, every_sequence_of_taking_and_counting_comes_back_to_zero)
{
    volatile LONG word = 0;

    ASSERT_OK(PairTakeAndCount(&word, BOTH)); /* one has it, three more want it */
    for (int i = 0; i < 3; i++)
        ASSERT_OK(PairCount(&word, BOTH));
    EXPECT_EQ((DWORD)word, 0x80048004);
    for (int i = 3; i >= 0; i--) {
        EXPECT_EQ(PairRelease(&word, BOTH), (DWORD)i * 0x00010001);
        if (i)
            ASSERT_OK(PairTake(&word, BOTH));
    }
    EXPECT_EQ(word, 0);
}
