/* SPDX-License-Identifier: MIT
 *
 * Calls that wait for readiness (platform/linux/calls/watched.c, watch_queue.c, kept_number.c):
 * those for one file are served in their order, and a duplicate is open while somebody waits by it.
 */
#include "watched_pipe.h"

/* The set tells that the duplicate is ready. */
static void tell_ready(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = set_names[FIRST_DUPLICATE]};

    ASSERT_NE(event.data.u64, 0u);
    plat_lock(&lane.readiness.serving);
    EXPECT_EQ(watched_serve(&lane, &event, 1), false);
    plat_unlock(&lane.readiness.serving);
}

TEST(Watched, a_call_that_is_over_leaves_nothing_open)
{
    start(1);
    EXPECT_EQ(duplicates, 1u);
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[0].result, RESULT);
    EXPECT_EQ(duplicates, 0u);
    EXPECT_EQ(lane.readiness.watched.first, NULL);
}

TEST(Watched, those_that_wait_for_one_file_are_served_in_their_order)
{
    start(3);
    EXPECT_EQ(duplicates, 1u); /* one for all */
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[0].result, RESULT);
    EXPECT_EQ(calls[1].result, NOT_OVER);
    EXPECT_EQ(duplicates, 1u);
    available = 2; /* the next is armed, and what is behind it asked */
    tell_ready();
    EXPECT_EQ(calls[1].result, RESULT);
    EXPECT_EQ(calls[2].result, RESULT);
    EXPECT_EQ(duplicates, 0u);
}

TEST(Watched, a_cancelled_call_is_let_go_and_the_next_is_armed)
{
    start(2);
    atomic_store(&calls[0].cancelled, true);
    let_go_cancelled(&lane);
    EXPECT_EQ(calls[0].interrupted, true);
    EXPECT_EQ(calls[1].result, NOT_OVER);
    EXPECT_EQ(duplicates, 1u);
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[1].result, RESULT);
    EXPECT_EQ(duplicates, 0u);
}

/* With each system call that arming makes refused in turn: what cannot be watched is left as it
 * was, for the ring, and the other one is served. */
TEST(Watched, a_call_that_cannot_be_watched_leaves_nothing_behind)
{
    unsigned refused = 0, all;

    start(2);
    all = calls_made;
    for (unsigned n = 1; n <= all; n++) {
        start(0);
        fails_at = n;
        bool added[2];
        for (unsigned i = 0; i < 2; i++) {
            added[i] = watched_add(&lane, &calls[i]);
            if (!added[i]) {
                EXPECT_EQ(calls[i].args[0], PIPE);
                refused++;
            }
        }
        fails_at = 0;
        EXPECT_EQ(added[0] || added[1], true);
        EXPECT_EQ(duplicates, 1u);
        available = 2;
        tell_ready();
        for (unsigned i = 0; i < 2; i++)
            EXPECT_EQ(calls[i].result, added[i] ? RESULT : NOT_OVER);
        EXPECT_EQ(duplicates, 0u);
        EXPECT_EQ(lane.readiness.watched.first, NULL);
        ASSERT_EQ(tc_failures(), 0);
    }
    EXPECT_EQ(refused, 5u); /* two duplicates, a look at each, and the set */
}

static void wait_once(void)
{
    calls[0].result = NOT_OVER;
    EXPECT_EQ(watched_add(&lane, &calls[0]), true);
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[0].result, RESULT);
}

/* Whether the set tells of the file that the call has. */
static bool is_told(const struct call *call)
{
    long own = call->args[0];

    if (in_set[own])
        return call_named(&lane, set_names[own]) == call;
    return kept_front(&lane, (uint64_t)PIPE % KEPT_NUMBERS << 1 | 1) == call &&
           place_is_armed[duplicate_is_of[own]];
}

/* The number has a place of its own, and is put on the FIFO's other opening meanwhile. */
TEST(Watched, a_number_that_changes_hands_is_told_of)
{
    for (unsigned n = 0; n < 6; n++) {
        start(0);
        for (unsigned i = 0; i < WAITS_BEFORE; i++)
            wait_once();
        EXPECT_EQ(has_place[0], true);
        changes_at = n ? calls_made + n : 0;
        EXPECT_EQ(watched_add(&lane, &calls[0]), true);
        EXPECT_THAT(is_told(&calls[0]), "it changes before call %u: nobody tells", n);
        EXPECT_EQ(duplicates, 1u);
        if (!n)
            EXPECT_EQ(in_set[calls[0].args[0]], false); /* the place tells, as it is meant to */
    }
}

/* Two fetch events of the same turn: the second finds nobody, whoever waits in that memory now. */
TEST(Watched, an_event_that_was_fetched_before_the_call_was_over_is_for_nobody)
{
    struct epoll_event event;

    start(1);
    event = (struct epoll_event){.events = EPOLLIN, .data.u64 = set_names[FIRST_DUPLICATE]};
    available = 1;
    tell_ready();
    EXPECT_EQ(calls[0].result, RESULT);
    available = 1;
    EXPECT_EQ(watched_serve(&lane, &event, 1), false);
    EXPECT_EQ(available, 1u);
    EXPECT_EQ(watched_add(&lane, &calls[0]), true);
    EXPECT_EQ(watched_serve(&lane, &event, 1), false);
    EXPECT_EQ(available, 1u);
    tell_ready();
    EXPECT_EQ(available, 0u);
}

/* The worker waits in another lane by then, with the same number. */
TEST(Watched, an_event_of_one_lane_serves_no_call_of_another)
{
    struct lane other = {.epoll = SET, .cancel_fd = CANCELS, .readiness.kick_fd = -1};
    struct epoll_event event;

    start(1);
    event = (struct epoll_event){.events = EPOLLIN, .data.u64 = set_names[FIRST_DUPLICATE]};
    available = 1;
    EXPECT_EQ(watched_serve(&other, &event, 1), false);
    EXPECT_EQ(available, 1u);
    tell_ready();
    EXPECT_EQ(available, 0u);
}
