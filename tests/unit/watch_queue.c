/* SPDX-License-Identifier: MIT
 *
 * Calls that wait for the same file (platform/linux/calls/watch_queue.c): each gets its turn, in the
 * order in which they came, whoever leaves meanwhile.
 */
#include "platform/linux/calls/watch_queue.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

enum { CALLS = 5 };

static struct lane lane;
static struct call calls[CALLS];

static void join(unsigned i, bool behind)
{
    static const struct call_ops reads = {.readiness = EPOLLIN};
    static const struct call_row row = {.ops = &reads};
    const struct stat pipe = {.st_mode = S_IFIFO, .st_dev = 3, .st_ino = 99};

    memset(&calls[i], 0, sizeof calls[i]);
    calls[i].entry = &row;
    calls[i].args[0] = 7;
    watch_begin(&calls[i], true);
    EXPECT_EQ(queue_join(&lane, &calls[i], &pipe), behind);
}

/* The next in front; NULL: it was not in front, or there is nobody. */
static const struct call *leaves(unsigned i, bool was_in_front)
{
    bool in_front;
    const struct call *next = queue_leave(&lane, &calls[i], &in_front);

    EXPECT_EQ(in_front, was_in_front);
    return next;
}

static void fresh(unsigned count)
{
    memset(&lane, 0, sizeof lane);
    for (unsigned i = 0; i < count; i++)
        join(i, i > 0);
}

static void expect_empty(void)
{
    for (unsigned i = 0; i < WATCHED_FILES; i++)
        EXPECT_EQ(lane.readiness.fronts[i], NULL);
    EXPECT_EQ(queue_likely(&lane, &calls[0]), false);
}

TEST(WatchQueue, those_behind_who_leaves_in_the_middle_stay)
{
    fresh(4);
    EXPECT_EQ(leaves(1, false), NULL);
    EXPECT_EQ(leaves(0, true), &calls[2]);
    EXPECT_EQ(leaves(2, true), &calls[3]);
    EXPECT_EQ(leaves(3, true), NULL);
    expect_empty();
}

TEST(WatchQueue, who_comes_after_the_last_has_left_is_in_line)
{
    fresh(3);
    EXPECT_EQ(leaves(2, false), NULL);
    join(3, true);
    EXPECT_EQ(leaves(0, true), &calls[1]);
    join(4, true);
    EXPECT_EQ(leaves(1, true), &calls[3]);
    EXPECT_EQ(leaves(3, true), &calls[4]);
    EXPECT_EQ(leaves(4, true), NULL);
    expect_empty();
}
