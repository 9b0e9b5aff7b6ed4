/* SPDX-License-Identifier: MIT
 *
 * teb_slots.c - a line of eight thread-local slots changes places with another TEB's, and nothing beside it: the way
 * for processors with AVX, and the one for those without, which is not used on the others.
 *
 * modes: default
 */
#include "gtest_c.h"

#include "platform/windows/switch/teb_access.h"

enum { WORDS = 24, LINE = 8 };

static void fill(uint64_t *words, uint64_t first)
{
    for (int i = 0; i < WORDS; i++)
        words[i] = first + (uint64_t)i * 0x0101010101010101u;
}

static void expect_exchanged(const uint64_t *words, uint64_t own, uint64_t others)
{
    for (int i = 0; i < WORDS; i++) {
        bool in_line = i >= LINE && i < 2 * LINE;
        EXPECT_EQ(words[i], (in_line ? others : own) + (uint64_t)i * 0x0101010101010101u);
    }
}

static void exchange(void (*swap)(void *, void *))
{
    enum { MINE = 0x1111, THERE = 0x7777 };
    _Alignas(64) uint64_t here[WORDS], there[WORDS];

    fill(here, MINE);
    fill(there, THERE);
    swap(here + LINE, there + LINE);
    expect_exchanged(here, MINE, THERE);
    expect_exchanged(there, THERE, MINE);
    swap(here + LINE, there + LINE);
    expect_exchanged(here, MINE, MINE);
    expect_exchanged(there, THERE, THERE);
}

TEST(TebSlots, change_places_in_halves_of_a_line)
{
    if (!__builtin_cpu_supports("avx"))
        SKIP("a processor without AVX");
    exchange(teb_swap_wide);
}

TEST(TebSlots, change_places_in_pairs)
{
    exchange(teb_swap_narrow);
}
