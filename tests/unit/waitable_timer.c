/* SPDX-License-Identifier: MIT
 *
 * Timers as objects (platform/linux/dispatch/waitable_timer.c) that are set anew, or stopped, while the
 * timer thread is about to fire them.
 */
#include "platform/linux/dispatch/waitable_timer.c"

#include "doubles.h"
#include "gtest_c.h"
#include "plain_objects.h"

#include <string.h>

static struct waitable_timer timer;
static unsigned released, armed;
PLAT_LOCK(ALL) all_lock;

_Atomic(void *) front_behind[FRONTS];

static int no_time(clockid_t clock, struct timespec *time)
{
    *time = (struct timespec){0};
    return 0;
}

void *front_find_behind(enum front which)
{
    EXPECT_EQ(which, FRONT_clock_gettime);
    return (void *)no_time;
}

bool object_lock_to_signal(struct object *object)
{
    plat_lock(&object->lock);
    return false;
}

void object_release_waiters(struct object *object, struct wait **chain)
{
    EXPECT_EQ(object, &timer.object);
    released++;
}

void waits_open(struct wait *chain)
{
}

void timer_add(struct plat_timer *plat)
{
    EXPECT_EQ(plat, &timer.timer);
    armed++;
}

bool apc_append(struct apc *apc, struct plat_thread *thread)
{
    FAIL("there is no procedure");
    return false;
}

void wait_alert(struct plat_thread *thread)
{
}

/* The timer thread has taken it out of its queue, and fires it now. */
static void fires(uint64_t due, uint64_t period)
{
    memset(&timer, 0, sizeof timer);
    timer.object.refs = 2; /* a handle's and its own */
    timer.held = true;
    timer.due = due;
    timer.period = period;
    released = armed = 0;
    double_now = 1000;
    fire(&timer.timer);
}

TEST(WaitableTimer, that_is_due_is_signalled)
{
    fires(1000, 0);
    EXPECT_EQ(released, 1);
    EXPECT_EQ(armed, 0);
    EXPECT_EQ(timer.held, false);
    EXPECT_EQ(timer.object.refs, 1u);
}

TEST(WaitableTimer, that_was_set_anew_meanwhile_waits_for_its_new_time)
{
    fires(5000, 0);
    EXPECT_EQ(released, 0);
    EXPECT_EQ(timer.object.signal, 0);
    EXPECT_EQ(armed, 1);
    EXPECT_EQ(timer.timer.deadline, 5000u);
    EXPECT_EQ(timer.held, true);
    EXPECT_EQ(timer.object.refs, 2u);
}

TEST(WaitableTimer, that_was_stopped_meanwhile_is_not_signalled)
{
    fires(PLAT_FOREVER, 0);
    EXPECT_EQ(released, 0);
    EXPECT_EQ(armed, 0);
    EXPECT_EQ(timer.held, false);
    EXPECT_EQ(timer.object.refs, 1u);
}

TEST(WaitableTimer, that_is_periodic_is_set_for_its_next_time)
{
    fires(900, 300);
    EXPECT_EQ(released, 1);
    EXPECT_EQ(armed, 1);
    EXPECT_EQ(timer.timer.deadline, 1200u);
    EXPECT_EQ(timer.held, true);
}
