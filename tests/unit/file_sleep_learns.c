/* SPDX-License-Identifier: MIT
 *
 * From its sleeps on files (platform/linux/calls/file_sleep.c) a scheduler learns whether to sleep there, and the next
 * calls whether to be deferred.
 */
#include "sleeping_calls.h"

static unsigned sleeps_in_the_set(unsigned times)
{
    unsigned n = 0;
    for (unsigned i = 0; i < times; i++) {
        lane.deferral.count = 0;
        poller_watch(&lane, &calls[0]);
        fall_asleep();
        if (!files_count) {
            n++;
            continue;
        }
        files[FILE_OF_SET].revents = POLLIN;
        wake();
    }
    return n;
}

TEST(FileSleepLearns, where_the_set_wakes_it_time_and_again_it_sleeps_in_the_set)
{
    start_here(0);
    EXPECT_EQ(sleeps_in_the_set(IN_VAIN), 0u);
    armed_is_counted_only = true;
    EXPECT_EQ(sleeps_in_the_set(MANY), (unsigned)MANY);
    EXPECT_EQ(sleeps_in_the_set(IN_VAIN), 0u);
    armed_is_counted_only = false;
}

/* As a server's, which no write of a worker serves. */
TEST(FileSleepLearns, calls_are_deferred_after_a_sleep_that_was_right)
{
    start_here(1);
    lane.deferral.fruitless = PATIENCE;
    lane.deferral.fruitless_waits = 1;
    fall_asleep();
    has_data[0] = true;
    is_ready(0);
    wake();
    EXPECT_EQ(calls[0].result, RESULT);
    for (unsigned i = 1; i <= WORTH; i++) {
        poller_watch(&lane, &calls[1]);
        EXPECT_EQ(is_deferred(1), true);
        lane.deferral.count = 0;
    }
    poller_watch(&lane, &calls[1]);
    EXPECT_EQ(is_deferred(1), false);
    EXPECT_EQ(watched_count, 1u);
}
