/* SPDX-License-Identifier: MIT
 *
 * The reactor (platform/linux/traps/reactor.c): each answer of its ring is heard, each source that
 * has told something once is watched again, and calls are served in the order in which they came.
 */
#include "platform/linux/traps/reactor.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { CALLS = 4, NOT_OVER = 1000, ANSWERS = 4 };

static struct lane lane;
static struct call calls[CALLS];
static struct call *served[CALLS], *cancelled[CALLS];
static unsigned served_count, cancelled_count, listener_watched, inbox_watched, interrupted;
static struct {
    uint64_t tag;
    int result;
} answers[ANSWERS];
static unsigned answer_count;

bool ring_take(struct lane *of, uint64_t *tag, int *result)
{
    EXPECT_EQ(of, &lane);
    if (!answer_count)
        return false;
    *tag = answers[0].tag;
    *result = answers[0].result;
    memmove(answers, answers + 1, --answer_count * sizeof *answers);
    return true;
}

static void answer(uint64_t tag, int result)
{
    answers[answer_count].tag = tag;
    answers[answer_count++].result = result;
}

void ring_watch_listener(struct lane *of)
{
    listener_watched++;
}

void ring_watch_wake_fd(struct lane *of)
{
    inbox_watched++;
}

bool ring_submit(struct lane *of, struct call *call)
{
    served[served_count++] = call;
    return true;
}

void ring_enter(struct lane *of)
{
}

void ring_cancel(struct lane *of, struct call *call)
{
    cancelled[cancelled_count++] = call;
}

bool poller_watch(struct lane *of, struct call *call)
{
    return false;
}

void call_entrust(struct call *call, enum outcome outcome)
{
    FAIL("the ring can make all calls here");
}

void helper_submit(struct call *call)
{
    FAIL("the ring can make all calls here");
}

void futex_settled(struct settling *settling)
{
    FAIL("nobody waits for that");
}

void call_complete(struct call *call, long result)
{
    EXPECT_EQ(call->interrupted, false);
    call->result = result;
}

void call_interrupt(struct call *call)
{
    call->interrupted = true;
    interrupted++;
}

static enum outcome answered(struct call *call, int result)
{
    call->result = result;
    return CALL_DONE;
}

static const struct call_ops ops = {.answered = answered};
static const struct call_row row = {.ops = &ops};

static void start(void)
{
    memset(&lane, 0, sizeof lane);
    memset(calls, 0, sizeof calls);
    for (unsigned i = 0; i < CALLS; i++) {
        calls[i].entry = &row;
        calls[i].result = NOT_OVER;
        calls[i].how = CALL_ARM;
    }
    served_count = cancelled_count = listener_watched = inbox_watched = interrupted = 0;
    answer_count = 0;
}

/* As lane_post: the newest first. */
static void post(struct call *call)
{
    call->next = atomic_load(&lane.inbox);
    atomic_store(&lane.inbox, call);
}

/* Waits for one futex are served in that order. */
TEST(Reactor, the_inbox_is_served_from_its_oldest)
{
    start();
    for (unsigned i = 0; i < CALLS; i++)
        post(&calls[i]);
    serve_inbox(&lane);
    ASSERT_EQ(served_count, (unsigned)CALLS);
    for (unsigned i = 0; i < CALLS; i++)
        EXPECT_EQ(served[i], &calls[i]);
    EXPECT_EQ(atomic_load(&lane.inbox), NULL);
    serve_inbox(&lane);
    EXPECT_EQ(served_count, (unsigned)CALLS);
}

/* Each of the two is told of once. */
TEST(Reactor, a_source_that_has_told_something_is_watched_again)
{
    start();
    answer(RING_WAKE, 8);
    EXPECT_EQ(ring_harvest(&lane), false);
    EXPECT_EQ(inbox_watched, 1u);
    EXPECT_EQ(listener_watched, 0u);
    answer(RING_LISTENER, -EINTR); /* no notification, and the look at it is over */
    EXPECT_EQ(ring_harvest(&lane), false);
    EXPECT_EQ(listener_watched, 1u);
    answer(RING_LISTENER, POLLIN); /* watched when it was received */
    EXPECT_EQ(ring_harvest(&lane), true);
    EXPECT_EQ(listener_watched, 1u);
}

TEST(Reactor, all_answers_are_heard_at_once)
{
    start();
    answer(RING_WAKE, 8);
    answer((uint64_t)(uintptr_t)&calls[0], 12);
    answer(RING_NOTHING, -ENOENT);
    answer((uint64_t)(uintptr_t)&calls[1], 13);
    EXPECT_EQ(ring_harvest(&lane), false);
    EXPECT_EQ(inbox_watched, 1u);
    EXPECT_EQ(calls[0].result, 12);
    EXPECT_EQ(calls[1].result, 13);
}

/* It is to be made again, or its handler has run: that is the worker's to say. A cancelled one may
 * have been done all the same. */
TEST(Reactor, an_answer_to_a_cancelled_call_says_that_it_was_let_go)
{
    const int let_go[] = {-ECANCELED, -EINTR};

    for (unsigned i = 0; i < 2; i++) {
        start();
        atomic_store(&calls[0].cancelled, true);
        answer((uint64_t)(uintptr_t)&calls[0], let_go[i]);
        ring_harvest(&lane);
        EXPECT_EQ(interrupted, 1u);
        EXPECT_EQ(calls[0].result, NOT_OVER);
    }
    start();
    atomic_store(&calls[0].cancelled, true);
    answer((uint64_t)(uintptr_t)&calls[0], 3);
    ring_harvest(&lane);
    EXPECT_EQ(interrupted, 0u);
    EXPECT_EQ(calls[0].result, 3);
}

TEST(Reactor, the_ring_lets_go_of_cancelled_calls_that_are_not_over)
{
    start();
    for (unsigned i = 0; i < 2; i++) {
        atomic_store(&calls[i].cancelled, true);
        atomic_store(&calls[i].futex.in_cancel_queue, 1);
        calls[i].futex.next_cancelled = atomic_load(&lane.cancelled);
        atomic_store(&lane.cancelled, &calls[i]);
    }
    calls[1].in_flight = true;
    serve_cancelled(&lane);
    ASSERT_EQ(cancelled_count, 1u);
    EXPECT_EQ(cancelled[0], &calls[1]);
    for (unsigned i = 0; i < 2; i++)
        EXPECT_EQ(atomic_load(&calls[i].futex.in_cancel_queue), 0u); /* its worker may end now */
}
