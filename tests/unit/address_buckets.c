/* SPDX-License-Identifier: MIT
 *
 * address_buckets.c - which addresses that threads wait at meet in a bucket: none of a few that lie equally far apart,
 * as elements of an array do, pages, and what threads have in heaps of their own; and of many not more than a few.
 */
#include "gtest_c.h"
#include "platform/linux/dispatch/waiters.h"

#include <string.h>

enum { BASES = 200, FEW = 64, MANY = 2048, AT_MOST = 4 };

static const uintptr_t strides[] = {8,   16,  24,   40,      48,      64,
                                    104, 128, 4096, 1 << 20, 1 << 26, 1 << 27};

/* How many of these addresses the fullest bucket has. */
static unsigned fullest(uintptr_t base, uintptr_t stride, unsigned count)
{
    static unsigned in[BUCKETS];
    unsigned most = 0;

    memset(in, 0, sizeof in);
    for (unsigned i = 0; i < count; i++) {
        unsigned number = bucket_number((const void *)(base + i * stride));

        if (number >= BUCKETS)
            return count;
        if (++in[number] > most)
            most = in[number];
    }
    return most;
}

static void try_all(unsigned count, unsigned at_most)
{
    uint64_t random = 0x243f6a8885a308d3u;

    for (unsigned i = 0; i < BASES; i++) {
        uintptr_t base = (uintptr_t)(random >> 17) & ~(uintptr_t)7;

        random = random * 6364136223846793005u + 1442695040888963407u;
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
            unsigned most = fullest(base, strides[s], count);

            EXPECT_THAT(most <= at_most, "base %lx, stride %lx: %u in one bucket",
                        (unsigned long)base, (unsigned long)strides[s], most);
        }
    }
}

TEST(AddressBuckets, few_at_equal_distances_do_not_meet)
{
    try_all(FEW, 1);
}

TEST(AddressBuckets, many_at_equal_distances_are_spread)
{
    try_all(MANY, AT_MOST);
}
