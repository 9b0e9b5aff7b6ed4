/* SPDX-License-Identifier: MIT
 *
 * The thread that sees overlapped calls through (platform/linux/async/async.c): calls begin in the
 * order in which they came, a cancellation meets a call that is in flight, and the thread sleeps
 * over nothing.
 */
#include "platform/linux/async/async.c"

#include "doubles.h"
#include "gtest_c.h"

#include <setjmp.h>
#include <string.h>

enum { CALLS = 4, TURNS = 2 };

int async_wake_file = 7;
struct async_chain async_flying;
struct dispatch_hooks dispatch_hooks;

static struct async_call calls[CALLS];
static char told[16];         /* "a": calls[0] begins; "A": it is cancelled */
static bool looked[TURNS];    /* whether a turn only looks, or sleeps */
static void (*between)(void); /* what happens when all has begun, and nobody sleeps yet */
static bool asleep;
static unsigned wakes, turns;
static jmp_buf over;

static void tell(const struct async_call *call, char first)
{
    told[strlen(told)] = (char)(first + (call - calls));
}

static bool open_way(int wake_fd)
{
    EXPECT_EQ(wake_fd, 7);
    return true;
}

static void begin_call(struct async_call *call)
{
    tell(call, 'a');
}

static void cancel_call(struct async_call *call)
{
    EXPECT_EQ(call->cancelled, true);
    tell(call, 'A');
}

static void serve_turn(bool look)
{
    looked[turns] = look;
    if (++turns == TURNS)
        longjmp(over, 1);
}

static void forget_way(void)
{
}

const struct async_way async_ring = {open_way, begin_call, cancel_call, serve_turn, forget_way};
const struct async_way async_poll = {open_way, begin_call, cancel_call, serve_turn, forget_way};

void async_flies(struct async_call *call)
{
}

void async_wake(void)
{
    wakes += asleep;
}

void async_sleeps(bool now)
{
    void (*happens)(void) = now ? between : NULL;

    if (happens) {
        between = NULL;
        happens();
    }
    asleep = now;
}

void kthread_name(const char *name)
{
}

void affinity_reset(void)
{
}

/* Two turns of the thread. */
static void run(void)
{
    turns = 0;
    if (!setjmp(over))
        async_main(NULL);
}

static void fresh(void)
{
    memset(calls, 0, sizeof calls);
    memset(told, 0, sizeof told);
    between = NULL;
    wakes = 0;
    asleep = false;
    atomic_store(&asked, NULL);
    atomic_store(&cancels, NULL);
}

TEST(Async, calls_begin_in_their_order)
{
    fresh();
    for (int i = 0; i < CALLS; i++)
        async_submit(&calls[i]);
    run();
    EXPECT_STREQ(told, "abcd");
    EXPECT_EQ(looked[0], false);
}

TEST(Async, a_call_begins_before_it_is_cancelled)
{
    fresh();
    async_submit(&calls[0]);
    async_cancel(&calls[0]);
    run();
    EXPECT_STREQ(told, "aA");
}

static void submit_first(void)
{
    async_submit(&calls[0]);
}

static void cancel_first(void)
{
    async_cancel(&calls[0]);
}

/* Nobody is asleep yet, so nobody is woken. */
TEST(Async, what_comes_before_it_sleeps_is_looked_for)
{
    fresh();
    between = submit_first;
    run();
    EXPECT_EQ(wakes, 0);
    EXPECT_EQ(looked[0], true);
    EXPECT_EQ(looked[1], false);
    EXPECT_STREQ(told, "a");
    between = cancel_first;
    run();
    EXPECT_EQ(looked[0], true);
    EXPECT_STREQ(told, "aA");
}

TEST(Async, a_call_that_is_over_is_not_cancelled)
{
    fresh();
    for (int i = 0; i < CALLS - 1; i++)
        async_submit(&calls[i]);
    run();
    EXPECT_STREQ(told, "abc");
    for (int i = 0; i < CALLS - 1; i++)
        async_cancel(&calls[i]);
    async_submit(&calls[CALLS - 1]);
    async_cancel_seen(&calls[1]); /* as its `done` would */
    EXPECT_STREQ(told, "abcdCA"); /* whoever is cancelled has begun */
    async_cancel_seen(&calls[0]); /* it has been cancelled */
    run();
    EXPECT_STREQ(told, "abcdCA");
}
