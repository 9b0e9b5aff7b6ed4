/* SPDX-License-Identifier: MIT
 *
 * Free things shared by processors (platform/linux/dispatch/stock.h) against a count: each is in use once, and what
 * one pile was given another gets before anything new is needed.
 */
#include "platform/linux/dispatch/stock.h"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;

enum { THINGS = 20000, PILES = 4, BATCH = STOCK_BATCH };

static struct {
    uintptr_t next, batch;
    int in_use;
} things[THINGS + 1];
static uintptr_t made;
static struct stock_pile piles[PILES];
static struct stock_depot depot;

static uintptr_t next(uintptr_t thing)
{
    return things[thing].next;
}

static uintptr_t next_batch(uintptr_t thing)
{
    return things[thing].batch;
}

static void link_free(uintptr_t thing, uintptr_t after, uintptr_t batch)
{
    things[thing].next = after;
    things[thing].batch = batch;
}

static const struct stock_kind kind = {next, next_batch, link_free};

static void start(void)
{
    memset(things, 0, sizeof things);
    memset(piles, 0, sizeof piles);
    memset(&depot, 0, sizeof depot);
    made = 0;
}

static uintptr_t take(int pile)
{
    uintptr_t thing = stock_take(&piles[pile], &depot, &kind);

    if (!thing) {
        stock_give(&piles[pile], &depot, &kind, ++made);
        thing = stock_take(&piles[pile], &depot, &kind);
    }
    EXPECT_EQ(things[thing].in_use, 0);
    things[thing].in_use = 1;
    return thing;
}

static void give(int pile, uintptr_t thing)
{
    EXPECT_EQ(things[thing].in_use, 1);
    things[thing].in_use = 0;
    stock_give(&piles[pile], &depot, &kind, thing);
}

TEST(Stock, what_one_gives_another_takes)
{
    static uintptr_t used[100];

    start();
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 100; i++)
            used[i] = take(0);
        for (int i = 0; i < 100; i++)
            give(1, used[i]);
    }
    EXPECT_LE(made, 100 + 2 * BATCH); /* two batches stay with the one that gives */
    EXPECT_EQ(depot.lock.lock.word, 0);
}

TEST(Stock, at_the_end_of_a_batch_nobody_goes_to_the_depot)
{
    static uintptr_t used[3 * BATCH];

    start();
    for (int i = 0; i < 3 * BATCH; i++)
        used[i] = take(0);
    for (int i = 0; i < BATCH + 1; i++)
        give(0, used[i]);
    for (int i = 0; i < 100; i++) {
        uintptr_t one = take(0), other = take(0);

        give(0, one);
        give(0, other);
        EXPECT_EQ(atomic_load(&depot.batches), 0);
        EXPECT_EQ(made, 3 * BATCH);
    }
}

/* Each pile takes and gives at random: nothing is handed out twice, nothing is lost, and no more is made than was ever in
 * use, plus what the other piles may hold. */
TEST(Stock, agrees_with_a_count)
{
    static uintptr_t used[THINGS];
    uint64_t random = tc_seed() * 2u + 1;
    size_t count = 0, most = 0;

    start();
    for (int step = 0; step < 400000; step++) {
        int pile = (int)(next_random(&random) % PILES);
        int growing = step / 20000 % 2 == 0;

        if (count < THINGS / 2 && next_random(&random) % 100 < (growing ? 60u : 40u)) {
            used[count++] = take(pile);
            most = count > most ? count : most;
        } else if (count) {
            size_t at = next_random(&random) % count;

            give(pile, used[at]);
            used[at] = used[--count];
        }
    }
    EXPECT_LE(made, most + (size_t)(PILES - 1) * 2 * BATCH);
    while (count)
        give(0, used[--count]);
    for (int pile = 0; pile < PILES; pile++)
        for (uintptr_t thing; (thing = stock_take(&piles[pile], &depot, &kind));)
            count++;
    EXPECT_EQ(count, made);
}

TEST(Stock, a_child_gives_up_what_was_being_changed)
{
    start();
    give(0, take(0));
    stock_forget_pile(&piles[0], false);
    EXPECT_NE(piles[0].at_hand, 0);
    stock_forget_pile(&piles[0], true);
    EXPECT_EQ(stock_take(&piles[0], &depot, &kind), 0);
    depot.batches = 1;
    stock_forget_depot(&depot);
    EXPECT_EQ(depot.batches, 1);
    depot.lock.lock.word = 1;
    stock_forget_depot(&depot);
    EXPECT_EQ(depot.batches, 0);
    EXPECT_EQ(depot.lock.lock.word, 0);
}
