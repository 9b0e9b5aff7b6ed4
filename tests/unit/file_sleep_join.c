/* SPDX-License-Identifier: MIT
 *
 * A scheduler with nothing to do leaves its deferred calls to another one of its lane, which sleeps
 * on files (platform/linux/calls/file_sleep.c).
 */
#include "sleeping_calls.h"

/* The sleeper looks at all files. Nobody has to be woken for that where there is nothing new. */
TEST(FileSleepJoin, a_scheduler_that_has_nothing_to_do_either_leaves_its_calls_to_the_sleeper)
{
    start_here(2);
    EXPECT_EQ(file_sleep_join(&lane), false); /* no scheduler sleeps yet */
    fall_asleep();
    EXPECT_EQ(file_sleep_join(&lane), true);
    EXPECT_EQ(bells, 0u);
    poller_watch(&lane, &calls[2]);
    EXPECT_EQ(file_sleep_join(&lane), true);
    EXPECT_EQ(file_sleep_join(&lane), true);
    EXPECT_EQ(bells, 1u);
    wake();
    EXPECT_EQ(bell_is_rung, false);
    EXPECT_EQ(is_deferred(0) && is_deferred(1) && is_deferred(2), true);
    EXPECT_EQ(file_sleep_join(&lane), false);
    fall_asleep();
    EXPECT_EQ(files_count, (unsigned)FILES_OF_CALLS + 3);
    EXPECT_EQ(watched_count, 0u);
    EXPECT_EQ(shut, 0);
    wake();
}

static void join_with_another(void)
{
    poller_watch(&lane, &calls[2]);
    EXPECT_EQ(file_sleep_join(&lane), true);
}

TEST(FileSleepJoin, one_that_is_asking_is_not_told_of_more)
{
    start_here(2);
    fall_asleep();
    is_ready(0);
    meanwhile = join_with_another;
    wake();
    EXPECT_EQ(bells, 0u);
    EXPECT_EQ(is_deferred(1) && is_deferred(2), true);
}

static void sleep_and_be_told_of_more(void)
{
    lane.deferral.count = 0;
    poller_watch(&lane, &calls[0]);
    fall_asleep();
    EXPECT_EQ(files_count, (unsigned)FILES_OF_CALLS + 1);
    poller_watch(&lane, &calls[1]);
    EXPECT_EQ(file_sleep_join(&lane), true);
}

/* It is no sleep in vain: the next ones are on files, too. */
TEST(FileSleepJoin, a_sleeper_that_is_told_of_more_goes_on_sleeping_on_files)
{
    start_here(0);
    for (unsigned i = 0; i <= IN_VAIN; i++) {
        sleep_and_be_told_of_more();
        wake();
    }
    EXPECT_EQ(bells, IN_VAIN + 1u);
}

TEST(FileSleepJoin, a_sleeper_that_is_told_of_more_is_told_to_leave)
{
    start_here(0);
    for (unsigned i = 0; i < IN_VAIN; i++) {
        sleep_and_be_told_of_more();
        poller_hold(&lane, 10, 10);
        wake();
    }
    EXPECT_EQ(bells, (unsigned)IN_VAIN);
    EXPECT_EQ(watched_count, (unsigned)IN_VAIN);
    fall_asleep();
    EXPECT_EQ(files_count, 0u); /* these were in vain */
}

/* A handler may jump out of the sleep. Nobody looks at the files from then on. */
TEST(FileSleepJoin, a_sleep_that_was_left_without_its_end_is_joined_by_none)
{
    start_here(1);
    fall_asleep();
    lane.deferral.slept_on[0] = NULL; /* as the tick leaves it: the call is armed */
    poller_watch(&lane, &calls[1]);
    EXPECT_EQ(file_sleep_join(&lane), false);
    EXPECT_EQ(bells, 0u);
}
