/* SPDX-License-Identifier: MIT
 *
 * real_time_policy.c - a program under SCHED_FIFO on one processor, whose scheduler always has a
 * worker to execute: the others' waits end nevertheless.
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PRIORITY = 10, WAITS = 20 };

static int over;

static void compute_and_yield(struct worker *self)
{
    (void)self;
    while (!flag_get(&over)) {
        for (volatile int i = 0; i < 10000; i++) {
        }
        UmsThreadYield(NULL);
    }
}

static void sleep_often(struct worker *self)
{
    const struct timespec time = {0, 1000000};

    (void)self;
    for (int i = 0; i < WAITS; i++) {
        EXPECT_EQ(nanosleep(&time, NULL), 0);
        Sleep(1);
        EXPECT_EQ(poll(NULL, 0, 1), 0);
    }
    flag_set(&over, 1);
}

static int run_pinned(void *arg)
{
    bool late = arg != NULL;
    struct sched_param param = {.sched_priority = PRIORITY};
    struct fleet *fleet;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(0, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    if (late) { /* the engine's threads are there already */
        fleet = fleet_create(1, 1, 0);
        flag_set(&over, 1);
        fleet_add(fleet, compute_and_yield, NULL);
        fleet_run(fleet);
        fleet_destroy(fleet);
        flag_set(&over, 0);
    }
    EXPECT_EQ(sched_setscheduler(0, SCHED_FIFO, &param), 0);
    fleet = fleet_create(1, 2, 0);
    fleet_add(fleet, sleep_often, NULL);
    fleet_add(fleet, compute_and_yield, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
    return 0;
}

static void in_child(void *arg)
{
    struct sched_param param = {.sched_priority = PRIORITY + 1}, normal = {0};
    cpu_set_t processors;

    EXPECT_EQ(sched_getaffinity(0, sizeof processors, &processors), 0);
    if (CPU_COUNT(&processors) < 2 || !CPU_ISSET(0, &processors)) {
        SKIP("needs a second processor, to watch the first from");
        return;
    }
    if (sched_setscheduler(0, SCHED_FIFO, &param)) {
        SKIP("this user may not use real-time policies");
        return;
    }
    EXPECT_EQ(sched_setscheduler(0, SCHED_OTHER, &normal), 0);
    struct child_result result = child_run(run_pinned, arg, 10000);
    EXPECT_CHILD_OK(result);
}

TEST(RealTimePolicy, from_the_beginning)
{
    in_child(NULL);
}

TEST(RealTimePolicy, taken_later)
{
    in_child(&over);
}
