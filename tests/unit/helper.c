/* SPDX-License-Identifier: MIT
 *
 * Helpers (platform/linux/calls/helper.c), which make a blocked call for real: each call is made
 * once or withdrawn, and none is forgotten where there is no thread for it.
 */
#include "platform/linux/calls/helper.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;
int stop_signal = 16;

enum { RESULT = 77, NOT_OVER = 1000, NO_TIME_LEFT = -110 };

static struct call calls[3];
static struct plat_timer *armed; /* the timer that is to make helpers */
static unsigned threads_made;
static bool no_threads;
static void (*while_idle)(void); /* what happens while a helper has nothing to do; once */
static void (*while_blocked)(struct call *call);
static long call_result;
static unsigned signals_sent;

void timer_add(struct plat_timer *timer)
{
    EXPECT_EQ(armed, NULL);
    armed = timer;
}

int bare_thread_create(size_t stack_bytes, void *(*main_function)(void *), void *arg)
{
    EXPECT_EQ(main_function, helper_main);
    threads_made += !no_threads;
    return no_threads ? EAGAIN : 0;
}

const char *kthread_failure(int error)
{
    EXPECT_EQ(error, EAGAIN);
    return "none";
}

void plat_log(const char *format, ...)
{
}

void kthread_name(const char *name)
{
}

pid_t own_tid(void)
{
    return 1234;
}

pid_t own_pid(void)
{
    return 1000;
}

long call_block(struct call *call)
{
    EXPECT_EQ(call->helper, 1234);
    if (while_blocked)
        while_blocked(call);
    return call_result;
}

void call_complete(struct call *call, long result)
{
    EXPECT_EQ(call->result, NOT_OVER);
    call->result = result;
}

void call_interrupt(struct call *call)
{
    EXPECT_EQ(call->result, NOT_OVER);
    call->result = -EINTR;
    call->interrupted = true;
}

/* A helper that waits for work waits in vain, once `while_idle` is over. */
static long kernel(long nr, const long args[6])
{
    if (nr == SYS_tgkill) {
        EXPECT_EQ(args[1], 1234);
        EXPECT_EQ(args[2], stop_signal);
        signals_sent++;
        return 0;
    }
    EXPECT_EQ(nr, SYS_futex);
    if ((args[1] & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET)
        return 0;
    void (*now)(void) = while_idle;
    while_idle = NULL;
    if (now)
        now();
    return now ? 0 : NO_TIME_LEFT;
}

static void start(void)
{
    helpers_forget();
    memset(calls, 0, sizeof calls);
    for (unsigned i = 0; i < 3; i++)
        calls[i].result = NOT_OVER;
    armed = NULL;
    threads_made = signals_sent = 0;
    no_threads = false;
    while_idle = NULL;
    while_blocked = NULL;
    call_result = RESULT;
    double_syscall = kernel;
    double_now = 1000000000;
}

/* What the timer thread does. */
static void fire(void)
{
    struct plat_timer *timer = armed;

    armed = NULL;
    ASSERT_THAT(timer != NULL, "nobody is to make a helper");
    timer->fire(timer);
}

TEST(Helper, makes_what_is_there_and_ends)
{
    start();
    helper_submit(&calls[0]);
    helper_submit(&calls[1]);
    fire();
    EXPECT_EQ(threads_made, 2u);
    helper_main(NULL);
    helper_main(NULL);
    EXPECT_EQ(calls[0].result, RESULT);
    EXPECT_EQ(calls[1].result, RESULT);
    helper_submit(&calls[2]); /* both have ended: there has to be another one */
    fire();
    EXPECT_EQ(threads_made, 3u);
}

TEST(Helper, where_threads_run_out_it_tries_again_until_there_is_one)
{
    start();
    no_threads = true;
    helper_submit(&calls[0]);
    for (unsigned i = 0; i < 3; i++) {
        fire();
        ASSERT_THAT(armed != NULL, "the call is forgotten");
        EXPECT_EQ(armed->deadline, double_now + TRY_AGAIN_NS);
        double_now = armed->deadline;
    }
    no_threads = false;
    fire();
    EXPECT_EQ(threads_made, 1u);
    EXPECT_EQ(armed, NULL);
    helper_main(NULL);
    EXPECT_EQ(calls[0].result, RESULT);
}

static void submit_second(void)
{
    helper_submit(&calls[1]);
}

TEST(Helper, who_is_idle_takes_the_next_call)
{
    start();
    helper_submit(&calls[0]);
    fire();
    while_idle = submit_second;
    helper_main(NULL);
    EXPECT_EQ(calls[1].result, RESULT);
    EXPECT_EQ(threads_made, 1u);
    EXPECT_EQ(armed, NULL);
}

static void fork_and_submit(void)
{
    helpers_forget();
    helper_submit(&calls[1]);
    /* The child has no helper that could take it, so one is made. */
    fire();
    EXPECT_EQ(threads_made, 2u);
    coming = queued = 0; /* and the helper that this test runs on is none of its */
    first = NULL;
    end = &first;
    idle = 1;
}

TEST(Helper, an_idle_one_of_the_parent_does_not_serve_the_child)
{
    start();
    helper_submit(&calls[0]);
    fire();
    while_idle = fork_and_submit;
    helper_main(NULL);
    EXPECT_EQ(threads_made, 2u);
}

TEST(Helper, what_nobody_has_begun_is_withdrawn)
{
    start();
    helper_submit(&calls[0]);
    helper_submit(&calls[1]);
    EXPECT_EQ(helper_cancel(&calls[1]), true);
    EXPECT_EQ(helper_cancel(&calls[1]), false);
    helper_submit(&calls[2]);
    fire();
    helper_main(NULL);
    EXPECT_EQ(calls[0].result, RESULT);
    EXPECT_EQ(calls[1].result, NOT_OVER);
    EXPECT_EQ(calls[2].result, RESULT);
    EXPECT_EQ(signals_sent, 0u);
}

static void withdraw(struct call *call)
{
    atomic_store(&call->cancelled, true);
    EXPECT_EQ(helper_cancel(call), false);
    EXPECT_EQ(signals_sent, 1u);
    call_result = -EINTR;
}

TEST(Helper, who_is_at_it_is_interrupted)
{
    start();
    helper_submit(&calls[0]);
    fire();
    while_blocked = withdraw;
    helper_main(NULL);
    EXPECT_EQ(calls[0].interrupted, true); /* to be made again, or EINTR: its worker decides */
    EXPECT_EQ(helper_cancel(&calls[0]), false);
    EXPECT_EQ(signals_sent, 1u); /* it is another call's by now */
}
