/* SPDX-License-Identifier: MIT
 *
 * Carriers and the schedulers that want one (platform/linux/switch/lane.c): an idle carrier is
 * given to one scheduler only, a scheduler that finds none is in line, and more carriers are made
 * before the last is gone.
 */
#include "platform/linux/switch/lane.c"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/switch/carrier.h"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { MANY = 4 };

static struct lane lane;
static struct carrier carriers[MANY];
static struct plat_context schedulers[MANY], worker;
static unsigned carriers_woken, spawner_woken, reactor_woken;

static long kernel(long nr, const long args[6])
{
    if (nr == SYS_write) {
        EXPECT_EQ(args[0], lane.wake_fd);
        reactor_woken++;
        return sizeof(uint64_t);
    }
    EXPECT_EQ(nr, SYS_futex);
    if (args[0] == (long)&lane.hosting.spawner_word)
        spawner_woken++;
    for (unsigned i = 0; i < MANY; i++)
        carriers_woken += args[0] == (long)&carriers[i].word;
    return 0;
}

/* With so many idle carriers. */
static void start(unsigned idle)
{
    memset(&lane, 0, sizeof lane);
    memset(carriers, 0, sizeof carriers);
    memset(schedulers, 0, sizeof schedulers);
    lane.wake_fd = 1000;
    lane.hosting.starving_end = &lane.hosting.starving;
    for (unsigned i = idle; i-- > 0;) {
        carriers[i].next_idle = lane.hosting.idle;
        lane.hosting.idle = &carriers[i];
    }
    lane.hosting.idle_count = idle;
    carriers_woken = spawner_woken = reactor_woken = 0;
    double_syscall = kernel;
}

TEST(Lane, each_scheduler_has_a_carrier_of_its_own)
{
    start(3);
    struct carrier *first = lane_reserve(&lane, &schedulers[0]),
                   *second = lane_reserve(&lane, &schedulers[1]);

    EXPECT_EQ(first, &carriers[0]);
    EXPECT_EQ(second, &carriers[1]);
    lane_assign(&lane, first, &schedulers[0]);
    EXPECT_EQ(first->assigned, &schedulers[0]);
    EXPECT_EQ(atomic_load(&first->word), 1u);
    EXPECT_EQ(carriers_woken, 1u);
}

TEST(Lane, carriers_are_made_while_one_is_left)
{
    start(3);
    lane_host(&lane, &schedulers[0]);
    EXPECT_EQ(spawner_woken, 0u);
    lane_host(&lane, &schedulers[1]);
    EXPECT_EQ(spawner_woken, 1u);
    EXPECT_EQ(atomic_load(&lane.hosting.spawner_word), 1u);
    lane_host(&lane, &schedulers[2]);
    EXPECT_EQ(spawner_woken, 1u); /* it has not looked yet */
    EXPECT_EQ(carriers_woken, 3u);
}

TEST(Lane, schedulers_that_find_no_carrier_are_in_line)
{
    start(0);
    for (unsigned i = 0; i < 3; i++)
        lane_host(&lane, &schedulers[i]);
    EXPECT_EQ(carriers_woken, 0u);
    EXPECT_EQ(lane.hosting.starving_count, 3u);
    EXPECT_EQ(spawner_woken, 1u);
    struct plat_context *next = lane.hosting.starving;
    for (unsigned i = 0; i < 3; i++) {
        ASSERT_EQ(next, &schedulers[i]);
        next = next->runs.next;
    }
    EXPECT_EQ(next, NULL);
}

TEST(Lane, a_worker_takes_its_own_scheduler_out_of_the_line)
{
    start(0);
    for (unsigned i = 0; i < 3; i++)
        lane_host(&lane, &schedulers[i]);
    EXPECT_EQ(lane_unhost(&lane, &schedulers[2], &worker), false);
    schedulers[2].blocked_by = &worker;
    EXPECT_EQ(lane_unhost(&lane, &schedulers[2], &worker), true);
    EXPECT_EQ(lane_unhost(&lane, &schedulers[2], &worker), false);
    EXPECT_EQ(lane.hosting.starving_count, 2u);
    /* The line goes on behind those that are left. */
    lane_host(&lane, &schedulers[3]);
    EXPECT_EQ(lane.hosting.starving, &schedulers[0]);
    EXPECT_EQ(schedulers[0].runs.next, &schedulers[1]);
    EXPECT_EQ(schedulers[1].runs.next, &schedulers[3]);
}

TEST(Lane, the_first_call_in_the_inbox_wakes_the_reactor)
{
    struct call calls[2] = {{.args = {0}}};

    start(0);
    lane_post(&lane, &calls[0], CALL_ARM);
    EXPECT_EQ(reactor_woken, 1u);
    lane_post(&lane, &calls[1], CALL_WAIT);
    EXPECT_EQ(reactor_woken, 1u);
    EXPECT_EQ(atomic_load(&lane.inbox), &calls[1]);
    EXPECT_EQ(calls[1].next, &calls[0]);
}
