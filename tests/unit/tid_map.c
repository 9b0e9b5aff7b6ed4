/* SPDX-License-Identifier: MIT
 *
 * tid_map.c - (platform/linux/os/tid_map.c) each thread id has an entry of its own, threads that
 * are made one after the other write different cache lines, and a program that makes many threads
 * touches a word of memory for each id, at most.
 */
#include "platform/linux/os/tid_map.c"

#include "doubles.h"
#include "gtest_c.h"

enum { IDS = 1 << 22, FEW = 1 << LEAF_BITS, PAGE = 4096, CACHE_LINE = 64 };

/* A home of that name; its address is only compared. */
static struct plat_context *home(pid_t tid)
{
    return (struct plat_context *)((uintptr_t)tid << 4);
}

/* Pages of the first leaf that have an entry. */
static int pages_used(void)
{
    const char *leaf = (const char *)leaves[0];
    int used = 0;

    for (size_t at = 0; at < LEAF_BYTES; at += PAGE) {
        bool any = false;
        for (size_t entry = at; entry < at + PAGE; entry += sizeof(uintptr_t))
            any |= *(const uintptr_t *)(leaf + entry) != 0;
        used += any;
    }
    return used;
}

TEST(TidMap, each_id_has_its_entry)
{
    struct carrier *carrier = (struct carrier *)home(IDS);

    for (pid_t tid = 1; tid < IDS; tid += 7)
        ASSERT_EQ(tid_map_home(tid, home(tid)), 0);
    ASSERT_EQ(tid_map_carrier(2, carrier), 0);
    for (pid_t tid = 1; tid < IDS; tid++)
        ASSERT_EQ(tid_home(tid), tid % 7 == 1 ? home(tid) : NULL);
    EXPECT_EQ(tid_carrier(2), carrier);
    EXPECT_EQ(tid_carrier(1), NULL);
    EXPECT_EQ(tid_map_home(1, NULL), 0);
    EXPECT_EQ(tid_home(1), NULL);
    EXPECT_EQ(tid_map_home(0, home(1)), 8);
    EXPECT_EQ(tid_map_home(IDS, home(1)), 8);
    EXPECT_EQ(tid_home(IDS), NULL);
    tid_map_forget();
    EXPECT_EQ(tid_home(8), NULL);
    EXPECT_EQ(tid_carrier(2), NULL);
}

TEST(TidMap, near_ids_have_lines_of_their_own)
{
    for (pid_t tid = 1; tid < FEW; tid++)
        for (pid_t near = 1; near < 1 << NEAR_BITS && tid + near < FEW; near++) {
            size_t apart = place_of(tid) * sizeof(uintptr_t) / CACHE_LINE -
                           place_of(tid + near) * sizeof(uintptr_t) / CACHE_LINE;
            if (!apart)
                FAIL("the ids %d and %d share a cache line", (int)tid, (int)(tid + near));
        }
}

TEST(TidMap, many_ids_take_a_word_each)
{
    for (pid_t tid = 1; tid < PAGE / CACHE_LINE; tid++)
        ASSERT_EQ(tid_map_home(tid, home(tid)), 0);
    EXPECT_EQ(pages_used(), 1);
    for (pid_t tid = PAGE / CACHE_LINE; tid < FEW; tid++)
        ASSERT_EQ(tid_map_home(tid, home(tid)), 0);
    EXPECT_EQ(pages_used(), LEAF_BYTES / PAGE);
    EXPECT_EQ(LEAF_BYTES, FEW * (int)sizeof(uintptr_t));
    EXPECT_EQ(leaves[1], NULL);
    tid_map_forget();
}
