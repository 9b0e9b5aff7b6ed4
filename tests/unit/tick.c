/* SPDX-License-Identifier: MIT
 *
 * When a lane's tick comes (platform/linux/calls/tick.c): seldom where calls that block are over soon, and often where
 * they are left alone.
 */
#include "sleeping_calls.h"

static uint64_t length_of_tick(void)
{
    return timer_is_set ? lane.deferral.tick.deadline - double_now : 0;
}

/* A call blocks, and a write serves it. */
static void wait_shortly(void)
{
    has_data[0] = false;
    calls[0].entry = &row;
    calls[0].result = NOT_OVER;
    poller_watch(&lane, &calls[0]);
    has_data[0] = true;
    asking_after_write(&lane, WRITTEN);
    EXPECT_EQ(calls[0].result, RESULT);
}

/* Short ticks, each of which follows a wait that was over soon. */
static void tick_in_vain(unsigned times)
{
    while (times--) {
        wait_shortly();
        EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
        fire();
    }
}

static void start_slow(void)
{
    start_here(0);
    tick_in_vain(OFTEN);
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
}

TEST(Tick, it_is_long_after_ticks_that_armed_nothing)
{
    start_here(0);
    tick_in_vain(OFTEN - 1);
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS); /* once too few */
    start_slow();
    wait_shortly();
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
    fire(); /* nothing was deferred since */
    EXPECT_EQ(timer_is_set, false);
    wait_shortly();
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
}

/* Its scheduler may execute a worker for long. */
TEST(Tick, a_call_that_is_left_alone_is_armed_at_the_second_long_one)
{
    start_slow();
    poller_watch(&lane, &calls[1]);
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
    fire();
    EXPECT_EQ(watched_count, 0u);
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
    fire();
    ASSERT_EQ(watched_count, 1u);
    EXPECT_EQ(watched[0], &calls[1]);
    EXPECT_EQ(timer_is_set, false);
    poller_watch(&lane, &calls[2]); /* the next one, too, may be left alone */
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
}

/* Its scheduler executes one worker after the other, and looks when it has no more. */
TEST(Tick, a_call_that_is_armed_while_others_block_makes_none_short)
{
    start_slow();
    poller_watch(&lane, &calls[1]);
    fire();
    poller_watch(&lane, &calls[2]);
    fire();
    EXPECT_EQ(watched_count, 1u);
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
}

/* Its sleeper looks by itself: that the wait lasts says nothing of other calls. */
TEST(Tick, a_call_that_was_slept_on_makes_none_short)
{
    start_slow();
    poller_watch(&lane, &calls[1]);
    fall_asleep();
    for (unsigned i = 0; i < AGED_ASLEEP; i++) {
        EXPECT_EQ(watched_count, 0u);
        EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
        fire();
    }
    EXPECT_EQ(watched_count, 1u);
    wake();
    poller_watch(&lane, &calls[2]);
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
}

TEST(Tick, it_is_short_while_a_futex_is_waited_for)
{
    start_here(0);
    tick_in_vain(OFTEN);
    futexes_left = true;
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
}

TEST(Tick, a_wait_for_a_futex_makes_a_long_one_short)
{
    start_slow();
    tick_expect(&lane);
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    fire(); /* the wait came after it had looked, for all it knows */
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
}

/* It fires already, and waits for the deferral's lock: the next one is short. */
TEST(Tick, a_long_one_that_fires_as_it_is_made_short_is_followed_by_a_short_one)
{
    start_slow();
    wait_shortly();
    timer_is_set = false;
    tick_expect(&lane);
    EXPECT_EQ(timer_is_set, false);
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
}
