/* SPDX-License-Identifier: MIT
 *
 * deferred_calls.h - a lane's deferred calls, and what they may be given to: the system below
 * platform/linux/calls/poller.c and tick.c.
 */
#ifndef UMSSHIM_TESTS_UNIT_DEFERRED_CALLS_H
#define UMSSHIM_TESTS_UNIT_DEFERRED_CALLS_H

#include "platform/linux/calls/asking.c"
#include "platform/linux/calls/poller.c"
#include "platform/linux/calls/tick.c"
#include "platform/linux/os/kthread.h"
#include "platform/platform.h"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { CALLS = MAX_DEFERRED + 1, NOT_OVER = 1000, RESULT = 5, WRITTEN = 20 };

static struct lane lane;
static struct call calls[CALLS];
static bool has_data[CALLS];
static struct call *watched[CALLS];
static unsigned watched_count, ticks_started;
static bool futexes_left;
static bool timer_is_set;

static unsigned attempts, posted_count;
static void (*meanwhile)(void); /* others do, while a call is asked for the first time */

static enum outcome attempt(struct call *call)
{
    if (attempts++ == 0 && meanwhile)
        meanwhile();
    if (!has_data[call - calls])
        return CALL_WAIT;
    call->result = RESULT;
    return CALL_DONE;
}

static const struct call_ops ops = {.attempt = attempt, .readiness = EPOLLIN};
static const struct call_row row = {.ops = &ops};

static bool armed_is_counted_only;

bool watched_add(struct lane *to, struct call *call)
{
    EXPECT_EQ(to, &lane);
    if (armed_is_counted_only)
        return true;
    watched[watched_count++] = call;
    return true;
}

void watched_after_write(struct lane *of)
{
}

bool futex_table_age(struct lane *of)
{
    of->deferral.ticks++;
    return futexes_left;
}

void timer_add_in(struct lane *in, struct plat_timer *timer)
{
    EXPECT_EQ(in, &lane);
    EXPECT_EQ(lane.deferral.ticking, true);
    EXPECT_EQ(timer_is_set, false);
    timer_is_set = true;
    ticks_started++;
}

bool timer_cancel(struct plat_timer *timer) /* false: it fires */
{
    bool was = timer_is_set;
    timer_is_set = false;
    return was;
}

void deadline_of_wait(struct call *call, int fd)
{
}

void lane_post(struct lane *to, struct call *call, int how)
{
    posted_count++;
}

static int shut;        /* signals are, by this thread */
static bool in_another; /* process */

bool own_process_is_another(void)
{
    return in_another;
}

void signals_block(sigset_t *old)
{
    shut++;
}

void signals_restore(const sigset_t *old)
{
    shut--;
}

void helper_submit(struct call *call)
{
    FAIL("a helper gets nothing here");
}

void call_complete(struct call *call, long result)
{
    EXPECT_EQ(call->result, RESULT);
    call->result = result;
    call->entry = NULL; /* it is over: nobody looks at it again */
}

static void start(unsigned deferred)
{
    memset(&lane, 0, sizeof lane);
    memset(calls, 0, sizeof calls);
    memset(has_data, 0, sizeof has_data);
    watched_count = ticks_started = attempts = posted_count = 0;
    futexes_left = timer_is_set = false;
    meanwhile = NULL;
    poller_init(&lane);
    for (unsigned i = 0; i < CALLS; i++) {
        calls[i].entry = &row;
        calls[i].args[0] = 10 + i;
        calls[i].deadline = PLAT_FOREVER;
        calls[i].result = NOT_OVER;
    }
    for (unsigned i = 0; i < CALLS; i++)
        watch_begin(&calls[i], true);
    for (unsigned i = 0; i < deferred; i++)
        EXPECT_EQ(poller_watch(&lane, &calls[i]), true);
}

static inline void fire(void)
{
    timer_is_set = false;
    lane.deferral.tick.fire(&lane.deferral.tick);
}

static inline bool is_deferred(unsigned which)
{
    for (unsigned i = 0; i < lane.deferral.count; i++)
        if (lane.deferral.calls[i] == &calls[which])
            return true;
    return false;
}

#endif
