/* SPDX-License-Identifier: MIT
 *
 * Threads that are made once, on a broker thread (platform/linux/calls/broker_once.c): two callers
 * that come at the same time have it made once, in whichever order one broker thread takes their
 * requests.
 */
#include "platform/linux/calls/broker_once.c"

#include <unistd.h>

#include "doubles.h"
#include "gtest_c.h"

static struct broker_once once;
static int made;
static bool can, other_comes, other_has;

static bool make(void)
{
    made++;
    return can;
}

/* The broker thread. Between the first caller's beginning and its request a second caller makes its
 * own, which the broker thread takes first: a wait in it for the first would never end. */
void broker_run(void (*fn)(void *), void *arg)
{
    if (other_comes) {
        other_comes = false;
        other_has = broker_once(&once, make);
    }
    fn(arg);
}

static void start(bool can_be, bool second)
{
    broker_once_forget(&once);
    made = 0;
    can = can_be;
    other_comes = second;
    other_has = false;
    alarm(TEST_LIMIT_SECONDS / 2); /* ends a wait that would never end */
}

TEST(BrokerOnce, a_second_caller_whose_request_comes_first_makes_it)
{
    start(true, true);
    EXPECT_EQ(broker_once(&once, make), true);
    EXPECT_EQ(other_has, true);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(broker_once(&once, make), true);
    EXPECT_EQ(made, 1);
}

TEST(BrokerOnce, one_that_cannot_be_made_is_tried_again)
{
    start(false, true);
    EXPECT_EQ(broker_once(&once, make), false);
    EXPECT_EQ(other_has, false);
    EXPECT_EQ(made, 2);
    can = true;
    EXPECT_EQ(broker_once(&once, make), true);
    EXPECT_EQ(made, 3);
}

TEST(BrokerOnce, a_child_makes_its_own)
{
    start(true, false);
    EXPECT_EQ(broker_once(&once, make), true);
    broker_once_forget(&once);
    EXPECT_EQ(broker_once_done(&once), false);
    EXPECT_EQ(broker_once(&once, make), true);
    EXPECT_EQ(made, 2);
}
