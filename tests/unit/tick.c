/* SPDX-License-Identifier: MIT
 *
 * A lane's tick (platform/linux/calls/tick.c) comes more seldom where a scheduler looks at the lane's waits by itself.
 */
#include "platform/linux/calls/tick.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

static struct lane lane;
static uint64_t deadline; /* 0: the timer is not set */

void timer_add_in(struct lane *of, struct plat_timer *timer)
{
    EXPECT_EQ(of, &lane);
    EXPECT_EQ(timer, &lane.deferral.tick);
    deadline = timer->deadline;
}

static void begin(unsigned right_sleeps)
{
    memset(&lane, 0, sizeof lane);
    lane.deferral.right_sleeps = right_sleeps;
    double_now = 5;
    deadline = 0;
}

TEST(Tick, it_comes_seldom_where_a_scheduler_sleeps_on_files_often)
{
    begin(OFTEN - 1);
    tick_again(&lane, false);
    EXPECT_EQ(deadline, 5u + TICK_NS);
    begin(OFTEN);
    tick_again(&lane, false);
    EXPECT_EQ(deadline, 5u + LONG_TICK_NS);
    tick_again(&lane, false); /* there was no sleep since */
    EXPECT_EQ(deadline, 5u + TICK_NS);
}

/* A scheduler's sleep on files does not look at a wait for a futex. */
TEST(Tick, it_comes_as_often_as_ever_for_what_only_it_looks_at)
{
    begin(OFTEN);
    tick_again(&lane, true);
    EXPECT_EQ(deadline, 5u + TICK_NS);
}

TEST(Tick, the_first_wait_starts_it_and_the_next_does_not)
{
    begin(OFTEN);
    tick_expect(&lane);
    EXPECT_EQ(deadline, 5u + TICK_NS);
    deadline = 0;
    tick_expect(&lane);
    EXPECT_EQ(deadline, 0u);
    lane.deferral.since_tick = false;
    tick_expect(&lane);
    EXPECT_EQ(deadline, 0u);
    EXPECT_EQ(lane.deferral.since_tick, true);
}
