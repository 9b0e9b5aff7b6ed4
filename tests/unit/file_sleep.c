/* SPDX-License-Identifier: MIT
 *
 * A scheduler that sleeps on the files of its deferred calls (platform/linux/calls/file_sleep.c):
 * each call is over, armed, deferred again or another thread's, whatever happens meanwhile.
 */
#include "sleeping_calls.h"

TEST(FileSleep, nothing_is_armed_and_a_call_whose_file_is_ready_is_over)
{
    start_here(3);
    fall_asleep();
    ASSERT_EQ(files_count, (unsigned)FILES_OF_CALLS + 3);
    EXPECT_EQ(files[FILE_OF_BELL].fd, BELL);
    EXPECT_EQ(files[FILE_OF_SET].fd, -1);
    EXPECT_EQ(files[FILES_OF_CALLS].fd, 10);
    EXPECT_EQ(lane.deferral.count, 0u);
    has_data[1] = true;
    is_ready(1);
    wake();
    EXPECT_EQ(calls[1].result, RESULT);
    EXPECT_EQ(attempts, 1u); /* those that are not ready are not asked */
    EXPECT_EQ(is_deferred(0) && is_deferred(2), true);
    EXPECT_EQ(watched_count, 0u);
    EXPECT_EQ(served, 0u);
}

static int told;

static enum outcome tell(struct call *call, int events)
{
    told = events;
    call->result = RESULT;
    return CALL_DONE;
}

static void fill_in(struct call *call)
{
}

static const struct call_ops polls = {.attempt = attempt, .answered = tell, .watches = fill_in};
static const struct call_row poll_row = {.ops = &polls};

/* The sleeper's own poll has told the events that the call asks for. */
TEST(FileSleep, a_call_that_polls_is_told_and_makes_no_system_call)
{
    start_here(3);
    calls[2].entry = &poll_row;
    fall_asleep();
    is_ready(0);
    files[FILES_OF_CALLS + 2].revents = POLLIN | POLLHUP;
    poller_hold(&lane, 10, 10);
    wake();
    EXPECT_EQ(calls[2].result, RESULT);
    EXPECT_EQ(told, POLLIN | POLLHUP);
    EXPECT_EQ(attempts, 0u);
    calls[2].entry = &row;
}

TEST(FileSleep, the_set_is_polled_where_a_call_is_armed_in_it)
{
    start_here(1);
    lane.readiness.watched.first = &calls[1];
    fall_asleep();
    ASSERT_EQ(files_count, (unsigned)FILES_OF_CALLS + 1);
    EXPECT_EQ(files[FILE_OF_SET].fd, SET);
    wake();
}

/* Else poll would return at once, again and again. */
TEST(FileSleep, a_call_that_waits_though_its_file_is_ready_is_armed)
{
    start_here(2);
    fall_asleep();
    is_ready(0);
    wake();
    ASSERT_EQ(watched_count, 1u);
    EXPECT_EQ(watched[0], &calls[0]);
    EXPECT_EQ(is_deferred(0), false);
    EXPECT_EQ(is_deferred(1), true);
}

static void fire_times(unsigned times)
{
    while (times--)
        fire();
}

/* It holds its file then. The sleeper has to let go of it. */
TEST(FileSleep, the_tenth_tick_arms_a_call_that_is_slept_on)
{
    start_here(2);
    fall_asleep();
    fire_times(AGED_ASLEEP - 1);
    EXPECT_EQ(watched_count, 0u);
    EXPECT_EQ(bells, 0u);
    fire();
    ASSERT_EQ(watched_count, 2u);
    EXPECT_EQ(bells, 1u);
    has_data[0] = true;
    is_ready(0); /* it is the set's by now */
    wake();
    EXPECT_EQ(calls[0].result, NOT_OVER);
    EXPECT_EQ(lane.deferral.count, 0u);
    EXPECT_EQ(bell_is_rung, false);
}

/* Its file was just polled. */
TEST(FileSleep, the_ticks_count_from_the_last_sleep)
{
    start_here(1);
    fall_asleep();
    fire_times(AGED_ASLEEP - 1);
    wake();
    EXPECT_EQ(is_deferred(0), true);
    fire_times(AGED - 1);
    EXPECT_EQ(watched_count, 0u);
    fire();
    EXPECT_EQ(watched_count, 1u);
}

TEST(FileSleep, it_ticks_while_a_call_is_slept_on)
{
    start_here(1);
    fire();
    fall_asleep();
    lane.deferral.calls[0] = NULL;
    calls[0].futex.born = lane.deferral.ticks;
    unsigned before = ticks_started;
    fire_times(AGED_ASLEEP - 1);
    EXPECT_EQ(ticks_started, before + AGED_ASLEEP - 1);
    fire();
    EXPECT_EQ(watched_count, 1u);
}

/* However long the sleeper's handler lasts. */
TEST(FileSleep, it_ticks_no_more_when_all_calls_are_others)
{
    start_here(1);
    fall_asleep();
    fire_times(AGED_ASLEEP - 1);
    EXPECT_EQ(lane.deferral.ticking, true);
    fire();
    EXPECT_EQ(watched_count, 1u);
    EXPECT_EQ(lane.deferral.ticking, false);
}

static void tick_long(void)
{
    fire_times(AGED_ASLEEP);
}

/* The attempt uses the program's memory: a page may take its time, and whoever brings it may wait
 * for a tick. */
TEST(FileSleep, others_arm_while_a_call_is_asked)
{
    start_here(3);
    fall_asleep();
    has_data[0] = true;
    is_ready(0);
    is_ready(1);
    meanwhile = tick_long;
    wake();
    EXPECT_EQ(calls[0].result, RESULT);
    ASSERT_EQ(watched_count, 2u);
    EXPECT_EQ(watched[0], &calls[2]); /* deferred again */
    EXPECT_EQ(watched[1], &calls[1]);
    EXPECT_EQ(attempts, 1u);
    EXPECT_EQ(bells, 0u); /* it is awake */
}

/* Whether one who gives the number away waits for the lock `serving`, which the sleeper has. */
static bool hold_waits(unsigned number)
{
    double_fatal.armed = 1;
    double_fatal.count = 0;
    if (!setjmp(double_fatal.jump))
        poller_hold(&lane, number, number);
    double_fatal.armed = 0;
    return double_fatal.count != 0;
}

static void give_numbers_away(void)
{
    EXPECT_EQ(hold_waits(10), true);
    EXPECT_EQ(hold_waits(11), false);
    EXPECT_EQ(hold_waits(12), false);
    EXPECT_EQ(watched_count, 2u);
}

TEST(FileSleep, a_number_changes_hands_after_its_call_was_asked)
{
    start_here(3);
    fall_asleep();
    is_ready(0);
    is_ready(1);
    meanwhile = give_numbers_away;
    wake();
    EXPECT_EQ(watched_count, 3u);
    EXPECT_EQ(attempts, 1u);
    EXPECT_EQ(hold_waits(10), false);
    shut = 0;
}

static void cancel_second(void)
{
    bool sleeper_does;
    EXPECT_EQ(poller_cancel(&lane, &calls[1], &sleeper_does), false);
    EXPECT_EQ(sleeper_does, true);
}

TEST(FileSleep, a_call_is_cancelled_before_it_is_asked)
{
    start_here(2);
    fall_asleep();
    is_ready(0);
    is_ready(1);
    meanwhile = cancel_second;
    wake();
    EXPECT_EQ(calls[1].interrupted, true);
    EXPECT_EQ(attempts, 1u);
}

TEST(FileSleep, a_younger_call_for_the_same_file_is_behind)
{
    start_here(2);
    calls[2].watch.given_fd = calls[0].watch.given_fd;
    lane.deferral.fruitless = PATIENCE;
    lane.deferral.fruitless_waits = 1;
    fall_asleep();
    poller_watch(&lane, &calls[2]);
    ASSERT_EQ(watched_count, 2u);
    EXPECT_EQ(watched[0], &calls[0]);
    EXPECT_EQ(watched[1], &calls[2]);
    EXPECT_EQ(bells, 1u);
    wake();
    EXPECT_EQ(is_deferred(1), true);
}

TEST(FileSleep, a_number_that_changes_hands_is_held)
{
    start_here(3);
    fall_asleep();
    poller_hold(&lane, 11, 11);
    ASSERT_EQ(watched_count, 1u);
    EXPECT_EQ(watched[0], &calls[1]);
    EXPECT_EQ(bells, 1u);
    has_data[1] = true;
    is_ready(1); /* another file's number */
    wake();
    EXPECT_EQ(calls[1].result, NOT_OVER);
    poller_hold(&lane, 0, ~0u);
    EXPECT_EQ(watched_count, 3u);
    EXPECT_EQ(bells, 1u);
    EXPECT_EQ(shut, 0);
}

/* The sleeper has its file until it is awake. */
TEST(FileSleep, a_cancelled_call_is_let_go_by_the_sleeper)
{
    bool sleeper_does = false;
    start_here(3);
    fall_asleep();
    EXPECT_EQ(poller_cancel(&lane, &calls[0], &sleeper_does), false);
    EXPECT_EQ(sleeper_does, true);
    EXPECT_EQ(poller_cancel(&lane, &calls[0], &sleeper_does), false);
    EXPECT_EQ(bells, 1u);
    EXPECT_EQ(poller_cancel(&lane, &calls[2], &sleeper_does), false);
    EXPECT_EQ(calls[0].interrupted, false);
    is_ready(0);
    wake();
    EXPECT_EQ(calls[0].interrupted, true);
    EXPECT_EQ(calls[2].interrupted, true); /* its file is not ready */
    EXPECT_EQ(attempts, 0u);
    EXPECT_EQ(is_deferred(1), true);
    EXPECT_EQ(poller_cancel(&lane, &calls[1], &sleeper_does), true);
    EXPECT_EQ(sleeper_does, false);
}

TEST(FileSleep, a_call_with_little_time_or_no_file_is_armed)
{
    start_here(3);
    calls[0].deadline = SOON;
    calls[1].deadline = SOON + 1;
    calls[2].watch.events = 0;
    fall_asleep();
    EXPECT_EQ(files_count, (unsigned)FILES_OF_CALLS + 1);
    EXPECT_EQ(files[FILES_OF_CALLS].fd, 11);
    EXPECT_EQ(posted_count, 2u);
    wake();
    EXPECT_EQ(is_deferred(1), true);
}

TEST(FileSleep, what_comes_in_the_set_is_served)
{
    start_here(1);
    fall_asleep();
    files[FILE_OF_SET].revents = POLLIN;
    wake();
    EXPECT_EQ(served, 1u);
    EXPECT_EQ(is_deferred(0), true);
}

static const struct {
    long answer;
    bool again;
} refusals[] = {{-EINTR, true}, {-ENOSYS, false}, {-EINVAL, false}, {-ENOMEM, false}};
static long answer;

static long refusing_kernel(long nr, const long args[6])
{
    return nr == SYS_ppoll ? answer : kernel(nr, args);
}

TEST(FileSleep, where_poll_is_refused_it_sleeps_in_the_set_from_then_on)
{
    sigset_t open;
    sigemptyset(&open);
    for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        start_here(1);
        double_syscall = refusing_kernel;
        answer = refusals[i].answer;
        fall_asleep();
        is_ready(0);
        EXPECT_EQ(file_sleep(&lane, files, files_count, &open), answer);
        wake();
        EXPECT_EQ(is_deferred(0), true);
        fall_asleep();
        EXPECT_EQ(files_count != 0, refusals[i].again);
        EXPECT_EQ(watched_count, refusals[i].again ? 0u : 1u);
    }
}
