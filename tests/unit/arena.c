/* SPDX-License-Identifier: MIT
 *
 * Type-stable storage (umsshim/arena.c) against a model: what was handed out and when it was freed.
 */
#include "umsshim/arena.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

enum { SLOTS = 3000, SLOT_BYTES = 48, LINK = 16 };

struct slot {
    unsigned char bytes[SLOT_BYTES];
};

static struct ums_arena make(size_t capacity)
{
    return (struct ums_arena){.slot = SLOT_BYTES, .capacity = capacity, .link = LINK};
}

static int is_zero(const struct slot *slot)
{
    for (int i = 0; i < SLOT_BYTES; i++)
        if (slot->bytes[i])
            return 0;
    return 1;
}

/* Random allocations and frees. The model is the queue of free slots, oldest first: a slot comes zeroed,
 * is in use once, is the oldest free one or was never used, and the last freed slot is not handed out
 * while another can be. */
TEST(Arena, hands_out_the_slot_that_was_freed_longest_ago)
{
    static struct slot *used[SLOTS], *queue[200000];
    struct ums_arena arena = make(SLOTS);
    uint64_t random = tc_seed() * 2u + 1;
    size_t in_use = 0, first = 0, end = 0, fresh = 0;

    for (int step = 0; step < 150000; step++) {
        if (next_random(&random) % 100 < (step / 20000 % 2 ? 30u : 70u)) {
            struct slot *slot = ums__arena_alloc(&arena);
            size_t waiting = end - first;

            if (fresh == SLOTS && waiting == 0) {
                ASSERT_EQ(slot, NULL);
                continue;
            }
            ASSERT_NE(slot, NULL);
            if (waiting > 1 || (waiting == 1 && fresh == SLOTS)) {
                ASSERT_EQ(slot, queue[first]);
                first++;
            } else {
                ASSERT_EQ((uintptr_t)slot, arena.base + fresh * SLOT_BYTES);
                fresh++;
            }
            ASSERT_THAT(is_zero(slot), "step %d", step);
            ASSERT_THAT(ums__arena_holds(&arena, slot, SLOT_BYTES), "step %d", step);
            memset(slot, 0xA5, sizeof *slot);
            used[in_use++] = slot;
        } else if (in_use) {
            size_t which = next_random(&random) % in_use;

            ums__arena_free(&arena, used[which]);
            queue[end++] = used[which];
            used[which] = used[--in_use];
        }
    }
    EXPECT_GT(fresh, SLOTS / 2);
}

TEST(Arena, any_pointer_can_be_judged)
{
    struct ums_arena arena = make(100);
    char elsewhere;

    EXPECT_EQ(ums__arena_holds(&arena, &elsewhere, SLOT_BYTES), 0);
    EXPECT_EQ(ums__arena_holds(&arena, NULL, SLOT_BYTES), 0);
    for (int i = 0; i < 100; i++) {
        char *slot = ums__arena_alloc(&arena);

        ASSERT_NE(slot, NULL);
        for (int offset = -SLOT_BYTES + 1; offset < SLOT_BYTES; offset++)
            EXPECT_EQ(ums__arena_holds(&arena, slot + offset, SLOT_BYTES), offset == 0);
    }
    EXPECT_EQ(ums__arena_holds(&arena, (void *)(arena.base - SLOT_BYTES), SLOT_BYTES), 0);
    EXPECT_EQ(ums__arena_holds(&arena, (void *)(arena.base + arena.bytes), SLOT_BYTES), 0);
    EXPECT_EQ(ums__arena_holds(&arena, (void *)UINTPTR_MAX, SLOT_BYTES), 0);
}

TEST(Arena, is_full_at_its_capacity_and_usable_again_after_a_free)
{
    struct ums_arena arena = make(10);
    void *slots[10];

    for (int i = 0; i < 10; i++) {
        slots[i] = ums__arena_alloc(&arena);
        ASSERT_NE(slots[i], NULL);
    }
    EXPECT_EQ(ums__arena_alloc(&arena), NULL);
    ums__arena_free(&arena, slots[3]);
    EXPECT_EQ(ums__arena_alloc(&arena), slots[3]);
    EXPECT_EQ(ums__arena_alloc(&arena), NULL);
}

/* Memory that is not to be had is asked for again by the next allocation. */
TEST(Arena, without_memory_it_gives_nothing_and_goes_on_later)
{
    struct ums_arena arena = make(5000);
    size_t got = 0;

    double_memory = 0;
    EXPECT_EQ(ums__arena_alloc(&arena), NULL);
    double_memory = 128 << 10;
    while (ums__arena_alloc(&arena))
        got++;
    EXPECT_EQ(got, (128u << 10) / SLOT_BYTES);
    double_memory = SIZE_MAX;
    while (ums__arena_alloc(&arena))
        got++;
    EXPECT_EQ(got, 5000);
}

/* A processor takes what it gave back, then what it has had no use for yet; others' only before it grows. */
TEST(Arena, processors_take_their_own_first_and_others_before_it_grows)
{
    struct ums_arena arena = make(40);
    void *slots[40];

    for (int i = 0; i < 8; i++)
        slots[i] = ums__arena_alloc(&arena);
    for (int i = 0; i < 8; i++) {
        double_processor = i < 4 ? 1 : 2;
        ums__arena_free(&arena, slots[i]);
    }
    double_processor = 2;
    for (int i = 4; i < 7; i++)
        EXPECT_EQ(ums__arena_alloc(&arena), slots[i]);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(ums__arena_alloc(&arena), slots[i]); /* each keeps the last one back */
    EXPECT_EQ((uintptr_t)ums__arena_alloc(&arena), arena.base + 8 * SLOT_BYTES);
    for (int i = 0; i < 33; i++) /* 31 never used, and the two that were kept back */
        EXPECT_NE(ums__arena_alloc(&arena), NULL);
    EXPECT_EQ(ums__arena_alloc(&arena), NULL);
    double_processor = 0;
}

/* What a child finds that was forked while another thread had a stripe's lock: each state between two stores. */
static void expect_usable(struct ums_arena *arena, void **in_use, int count)
{
    ums__arena_forked(arena);
    for (int i = 0; i < 60; i++) {
        char *slot = ums__arena_alloc(arena);

        if (!slot)
            return;
        for (int used = 0; used < count; used++)
            EXPECT_NE(slot, in_use[used]);
        if (i % 3)
            ums__arena_free(arena, slot);
    }
}

TEST(Arena, a_child_finds_it_whole_wherever_the_fork_met_others)
{
    enum { STATES = 6 };

    for (int state = 0; state < STATES; state++) {
        struct ums_arena arena = make(64);
        struct ums_arena_stripe *stripe = &arena.stripes[0];
        void *slots[8];

        double_processor = 0;
        for (int i = 0; i < 8; i++)
            slots[i] = ums__arena_alloc(&arena);
        for (int i = 5; i < 8; i++)
            ums__arena_free(&arena, slots[i]);
        stripe->lock.lock.word = 1;
        switch (state) {
        case 0: /* the oldest is taken off, the rest stays */
            stripe->oldest = *link_of(&arena, slots[5]);
            expect_usable(&arena, slots, 6);
            break;
        case 1: /* the last is taken, `newest` still names it */
            stripe->oldest = NULL;
            expect_usable(&arena, slots, 8);
            break;
        case 2: /* another is given back: linked, not yet `newest` */
            *link_of(&arena, slots[4]) = NULL;
            *link_of(&arena, slots[7]) = slots[4];
            expect_usable(&arena, slots, 4);
            break;
        case 3: /* the first is given back */
            stripe->newest = NULL;
            expect_usable(&arena, slots, 5);
            break;
        case 4: /* a run has its end, not its beginning */
            stripe->end = arena.base + 8 * SLOT_BYTES;
            stripe->fresh = arena.base;
            expect_usable(&arena, slots, 5);
            break;
        default: /* nothing is changed yet */
            expect_usable(&arena, slots, 5);
        }
    }
}
