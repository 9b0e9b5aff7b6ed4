/* SPDX-License-Identifier: MIT
 *
 * chain.c - chains against an array that says the order: every history of six steps.
 */
#include "platform/chain.h"

#include "gtest_c.h"

#include <stdbool.h>
#include <string.h>

enum { ITEMS = 3, STEPS = 6 };

struct item {
    int before; /* links are not at the record's beginning */
    struct {
        struct item *next, *previous;
    } place;
};

struct chain {
    CHAIN_OF(struct item) items;
};

static struct item items[ITEMS];
static struct chain chain;
static struct item *model[ITEMS];
static int count;

static int model_index(const struct item *item)
{
    for (int i = 0; i < count; i++)
        if (model[i] == item)
            return i;
    return -1;
}

/* True: the chain has the model's records in its order, both ways. */
static bool is_as_model(void)
{
    struct item *back = chain.items.last;
    int at = 0;

    for (struct item *item = chain.items.first; item; item = item->place.next)
        if (at == count || item != model[at++])
            return false;
    if (at != count)
        return false;
    for (; back; back = back->place.previous)
        if (at == 0 || back != model[--at])
            return false;
    return at == 0;
}

/* One that is in the chain leaves it; another one comes to the front or to the end. */
static void step(struct item *item, bool at_front)
{
    int at = model_index(item);

    if (at >= 0) {
        CHAIN_REMOVE(&chain.items, item, place.next, place.previous);
        memset(&item->place, 0xee, sizeof item->place);
        memmove(&model[at], &model[at + 1], (size_t)(--count - at) * sizeof model[0]);
    } else if (at_front) {
        CHAIN_PREPEND(&chain.items, item, place.next, place.previous);
        memmove(&model[1], &model[0], (size_t)count++ * sizeof model[0]);
        model[0] = item;
    } else {
        CHAIN_APPEND(&chain.items, item, place.next, place.previous);
        model[count++] = item;
    }
}

TEST(Chain, is_in_order_after_every_history)
{
    int histories = 1;

    for (int i = 0; i < STEPS; i++)
        histories *= 2 * ITEMS;
    for (int history = 0; history < histories; history++) {
        memset(&chain, 0, sizeof chain);
        count = 0;
        for (int i = 0, code = history; i < STEPS; i++, code /= 2 * ITEMS) {
            step(&items[code % ITEMS], code / ITEMS % 2 == 0);
            if (!is_as_model()) {
                FAIL("history %d, step %d: the chain is not as the model", history, i);
                return;
            }
        }
    }
}

TEST(Chain, of_zero_bytes_is_empty)
{
    static struct chain fresh;

    EXPECT_EQ(fresh.items.first, NULL);
    CHAIN_PREPEND(&fresh.items, &items[0], place.next, place.previous);
    EXPECT_EQ(fresh.items.first, &items[0]);
    EXPECT_EQ(fresh.items.last, &items[0]);
    CHAIN_REMOVE(&fresh.items, &items[0], place.next, place.previous);
    EXPECT_EQ(fresh.items.first, NULL);
    EXPECT_EQ(fresh.items.last, NULL);
}
