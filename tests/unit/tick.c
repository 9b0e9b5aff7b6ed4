/* SPDX-License-Identifier: MIT
 *
 * When a lane's tick comes (platform/linux/calls/tick.c): seldom where a scheduler that sleeps on
 * files looks at the deferred calls itself, and soon as ever where one may run on.
 */
#include "sleeping_calls.h"

static struct plat_context scheduler = {.is_scheduler = true}, worker, other;

static enum outcome serve_at_once(struct call *call)
{
    call->result = RESULT;
    return CALL_DONE;
}

static const struct call_ops ops_at_once = {.attempt = serve_at_once, .readiness = EPOLLIN};
static const struct call_row row_at_once = {.ops = &ops_at_once};

/* The worker makes a call, which blocks. */
static void block(void)
{
    struct call *call = &worker.call;
    worker.scheduler = &scheduler;
    *call = (struct call){.entry = &row_at_once, .args = {40}, .deadline = PLAT_FOREVER};
    watch_begin(call, true);
    plat_tls.current = &worker;
    EXPECT_EQ(poller_watch(&lane, call), true);
    plat_tls.current = &scheduler;
}

static uint64_t length_of_tick(void)
{
    return timer_is_set ? lane.deferral.tick.deadline - double_now : 0;
}

/* A call blocks, and the scheduler that sleeps on its file serves it. */
static void sleep_right(void)
{
    has_data[0] = false;
    calls[0].entry = &row;
    calls[0].result = NOT_OVER;
    struct plat_context *self = plat_tls.current;
    plat_tls.current = &scheduler;
    poller_watch(&lane, &calls[0]);
    fall_asleep();
    has_data[0] = true;
    is_ready(0);
    wake();
    plat_tls.current = self;
    EXPECT_EQ(calls[0].result, RESULT);
}

static void start_slow(void)
{
    start_here(0);
    memset(&worker, 0, sizeof worker);
    memset(&other, 0, sizeof other);
    atomic_store(&scheduler.stop_due, false);
    plat_tls.current = NULL;
    for (unsigned i = 0; i < OFTEN; i++)
        sleep_right();
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
}

TEST(Tick, it_is_long_after_sleeps_that_served_calls)
{
    start_here(0);
    for (unsigned i = 0; i < OFTEN - 1; i++)
        sleep_right();
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS); /* once too few */
    start_slow();
    for (unsigned i = 0; i < OFTEN; i++)
        sleep_right();
    EXPECT_EQ(ticks_started, 2u);
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
    fire(); /* nothing was deferred since */
    EXPECT_EQ(timer_is_set, false);
    sleep_right();
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
}

TEST(Tick, it_is_short_while_a_call_is_deferred)
{
    start_here(0);
    for (unsigned i = 0; i < OFTEN; i++)
        sleep_right();
    poller_watch(&lane, &calls[1]);
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    fire();
    EXPECT_EQ(watched_count, 1u);
}

TEST(Tick, it_is_short_while_a_futex_is_waited_for)
{
    start_here(0);
    for (unsigned i = 0; i < OFTEN; i++)
        sleep_right();
    futexes_left = true;
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
}

/* The scheduler does not stop for it where it sleeps first. */
TEST(Tick, a_scheduler_that_executes_a_worker_with_a_call_deferred_makes_it_short)
{
    start_slow();
    block();
    EXPECT_EQ(plat_stop_due(&scheduler), true);
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
    fall_asleep();
    files[FILES_OF_CALLS].revents = POLLIN;
    wake();
    EXPECT_EQ(worker.call.result, RESULT);
    tick_runs_on(&lane);
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
    block();
    tick_runs_on(&lane);
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    fire();
    fire();
    EXPECT_EQ(watched_count, 1u);
    EXPECT_EQ(watched[0], &worker.call);
    plat_tls.current = NULL;
}

/* It has slept on two files, and goes on with the worker that it slept for. */
TEST(Tick, a_sleeper_that_defers_a_call_again_is_asked_to_stop)
{
    start_slow();
    plat_tls.current = &scheduler;
    lane.deferral.slow = false;
    poller_watch(&lane, &calls[1]);
    lane.deferral.slow = true;
    EXPECT_EQ(plat_stop_due(&scheduler), false);
    fall_asleep();
    wake();
    EXPECT_EQ(is_deferred(1), true);
    EXPECT_EQ(plat_stop_due(&scheduler), true);
    tick_runs_on(&lane);
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    plat_tls.current = NULL;
}

/* The worker has asked it after a write, and goes on. */
TEST(Tick, a_thread_that_runs_on_after_it_has_deferred_a_call_makes_it_short)
{
    start_slow();
    plat_tls.current = &other; /* a worker */
    poller_watch(&lane, &calls[1]);
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    start_slow();
    plat_tls.current = NULL; /* the reactor */
    poller_watch(&lane, &calls[1]);
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    start_slow();
    tick_expect(&lane); /* a wait for a futex */
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    for (unsigned i = 0; i < OFTEN; i++)
        sleep_right();
    fire(); /* the wait came after it had looked, for all it knows */
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
}

TEST(Tick, a_scheduler_that_leaves_its_calls_to_a_sleeper_makes_it_short)
{
    start_slow();
    plat_tls.current = &scheduler;
    poller_watch(&lane, &calls[1]);
    fall_asleep();
    poller_watch(&lane, &calls[2]);
    EXPECT_EQ(length_of_tick(), (uint64_t)LONG_TICK_NS);
    EXPECT_EQ(file_sleep_join(&lane), true);
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
    wake();
    plat_tls.current = NULL;
}

/* It fires already, and waits for the deferral's lock: the next one is short. */
TEST(Tick, a_long_one_that_fires_as_it_is_made_short_is_followed_by_a_short_one)
{
    start_slow();
    for (unsigned i = 0; i < OFTEN; i++)
        sleep_right();
    timer_is_set = false;
    tick_expect(&lane);
    EXPECT_EQ(timer_is_set, false);
    fire();
    EXPECT_EQ(length_of_tick(), (uint64_t)TICK_NS);
}
