/* SPDX-License-Identifier: MIT
 *
 * Deferred calls (platform/linux/calls/poller.c): each is asked after a write, armed before its
 * scheduler sleeps, crowded out by younger ones or at the second tick, and gone when it is
 * cancelled.
 */
#include "deferred_calls.h"

void bell_ring(struct lane *of, enum sleeper_told what)
{
    FAIL("nobody sleeps on files here");
}

TEST(Poller, a_deferred_call_is_asked_after_a_write)
{
    start(3);
    EXPECT_EQ(ticks_started, 1u);
    asking_after_write(&lane, WRITTEN);
    EXPECT_EQ(lane.deferral.count, 3u);
    has_data[1] = true;
    asking_after_write(&lane, WRITTEN);
    EXPECT_EQ(calls[1].result, RESULT);
    EXPECT_EQ(calls[0].result, NOT_OVER);
    EXPECT_EQ(lane.deferral.count, 2u);
    has_data[0] = has_data[2] = true; /* those that had nothing are asked again */
    asking_after_write(&lane, WRITTEN);
    EXPECT_EQ(calls[0].result, RESULT);
    EXPECT_EQ(calls[2].result, RESULT);
    EXPECT_EQ(lane.deferral.count, 0u);
    EXPECT_EQ(watched_count, 0u);
}

static unsigned asked_times;

static void write_to(int number)
{
    unsigned before = attempts;
    asking_after_write(&lane, number);
    asked_times = attempts - before;
}

static void wait_again(unsigned which)
{
    has_data[which] = false;
    calls[which].entry = &row;
    calls[which].result = NOT_OVER;
    EXPECT_EQ(poller_watch(&lane, &calls[which]), true);
}

/* Who had something after a write to a number is asked alone from then on, until it has nothing. */
TEST(Poller, a_write_asks_the_call_that_it_served_before)
{
    start(3);
    has_data[1] = true;
    write_to(WRITTEN);
    EXPECT_EQ(asked_times, 3u);
    wait_again(1);
    has_data[1] = true;
    write_to(WRITTEN);
    EXPECT_EQ(asked_times, 1u);
    EXPECT_EQ(calls[1].result, RESULT);
    write_to(WRITTEN + 1); /* nothing is known of it */
    EXPECT_EQ(asked_times, 2u);
    wait_again(1);
    has_data[2] = true;
    write_to(WRITTEN); /* it serves another one now */
    EXPECT_EQ(asked_times, 4u);
    EXPECT_EQ(calls[2].result, RESULT);
    wait_again(2);
    has_data[2] = true;
    write_to(WRITTEN);
    EXPECT_EQ(asked_times, 1u);
    EXPECT_EQ(calls[2].result, RESULT);
}

/* As in a server, whose answers come from elsewhere. */
TEST(Poller, where_it_is_in_vain_most_writes_ask_nobody)
{
    start(1);
    for (unsigned i = 0; i < PATIENCE; i++) {
        write_to(WRITTEN);
        EXPECT_EQ(asked_times, 1u);
    }
    unsigned asked = 0;
    for (unsigned i = 0; i < 2 * RARELY; i++) {
        write_to(WRITTEN);
        asked += asked_times;
    }
    EXPECT_EQ(asked, 2u);
}

/* One time in three it has something. */
TEST(Poller, where_it_is_worth_it_each_write_asks)
{
    start(1);
    for (unsigned i = 0; i < 6 * PATIENCE; i++) {
        has_data[0] = i % 3 == 2;
        write_to(WRITTEN);
        ASSERT_EQ(asked_times != 0, true);
        if (i % 3 == 2)
            wait_again(0);
    }
}

/* Should the partner's number be nobody's any more, its writer serves others all the same. */
TEST(Poller, a_write_whose_partner_is_away_asks_all_every_so_often)
{
    start(2);
    has_data[1] = true;
    write_to(WRITTEN);
    EXPECT_EQ(calls[1].result, RESULT);
    has_data[0] = true;
    unsigned writes = 0;
    while (calls[0].result == NOT_OVER && writes < 2 * RARELY) {
        write_to(WRITTEN);
        writes++;
    }
    EXPECT_EQ(calls[0].result, RESULT);
    EXPECT_THAT(writes <= RARELY, "%u writes", writes);
}

/* Nobody in the lane writes while it sleeps. */
TEST(Poller, a_lane_that_falls_asleep_arms_what_is_deferred)
{
    start(2);
    poller_arm_all(&lane);
    ASSERT_EQ(watched_count, 2u);
    EXPECT_EQ(watched[0], &calls[0]);
    EXPECT_EQ(watched[1], &calls[1]);
    poller_arm_all(&lane);
    EXPECT_EQ(watched_count, 2u); /* each once */
    EXPECT_EQ(shut, 0);
}

TEST(Poller, the_second_tick_arms_a_call_and_a_third_finds_nothing)
{
    start(1);
    fire();
    EXPECT_EQ(watched_count, 0u);
    EXPECT_EQ(ticks_started, 2u);
    fire();
    ASSERT_EQ(watched_count, 1u);
    EXPECT_EQ(watched[0], &calls[0]);
    EXPECT_EQ(ticks_started, 2u); /* nobody is left */
    EXPECT_EQ(poller_watch(&lane, &calls[1]), true);
    EXPECT_EQ(ticks_started, 3u);
}

TEST(Poller, it_ticks_while_waits_for_futexes_are_left)
{
    start(0);
    futexes_left = true;
    fire();
    EXPECT_EQ(ticks_started, 1u);
    futexes_left = false;
    fire();
    EXPECT_EQ(ticks_started, 1u);
}

/* Its worker's stack, which it lies on, may be gone. */
TEST(Poller, a_cancelled_call_is_deferred_no_more)
{
    start(3);
    bool sleeper_does = true;
    EXPECT_EQ(poller_cancel(&lane, &calls[1], &sleeper_does), true);
    EXPECT_EQ(poller_cancel(&lane, &calls[1], &sleeper_does), false);
    EXPECT_EQ(sleeper_does, false);
    calls[1].entry = NULL;
    asking_after_write(&lane, WRITTEN);
    poller_arm_all(&lane);
    ASSERT_EQ(watched_count, 2u);
    EXPECT_EQ(watched[0], &calls[0]);
    EXPECT_EQ(watched[1], &calls[2]);
}

/* Its descriptor is closed: it gets its duplicate first. */
TEST(Poller, a_number_that_changes_hands_is_held)
{
    start(3);
    poller_hold(&lane, 9, 9);
    poller_hold(&lane, 11 + 64, 11 + 64);
    EXPECT_EQ(watched_count, 0u);
    in_another = true; /* a vfork's child, which shares the memory and no descriptor */
    poller_hold(&lane, 0, ~0u);
    in_another = false;
    EXPECT_EQ(watched_count, 0u);
    poller_hold(&lane, 11, 11);
    ASSERT_EQ(watched_count, 1u);
    EXPECT_EQ(watched[0], &calls[1]);
    EXPECT_EQ(lane.deferral.count, 2u);
    poller_hold(&lane, 12, ~0u);
    ASSERT_EQ(watched_count, 2u);
    EXPECT_EQ(watched[1], &calls[2]);
    poller_hold(&lane, 0, ~0u);
    ASSERT_EQ(watched_count, 3u);
    poller_hold(&lane, 0, ~0u);
    EXPECT_EQ(watched_count, 3u); /* each once */
    EXPECT_EQ(shut, 0);
}

TEST(Poller, the_oldest_makes_room)
{
    start(CALLS);
    ASSERT_EQ(watched_count, 1u);
    EXPECT_EQ(watched[0], &calls[0]);
    EXPECT_EQ(lane.deferral.count, (unsigned)MAX_DEFERRED);
}
