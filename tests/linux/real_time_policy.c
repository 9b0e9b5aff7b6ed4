/* SPDX-License-Identifier: MIT
 *
 * real_time_policy.c - a program under SCHED_FIFO on one processor, whose scheduler always has a
 * worker to execute: the other workers' waits end nevertheless, and threads of the same priority
 * get to run.
 *
 * modes: default, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 * options: SERIAL
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
    while (!flag_get(&over)) {
        for (volatile int i = 0; i < 10000; i++) {
        }
        UmsThreadYield(NULL);
    }
}

static void sleep_often(struct worker *self)
{
    const struct timespec time = {0, 1000000};

    for (int i = 0; i < WAITS; i++) {
        EXPECT_EQ(nanosleep(&time, NULL), 0);
        Sleep(1);
        EXPECT_EQ(poll(NULL, 0, 1), 0);
    }
    flag_set(&over, 1);
}

static DWORD WINAPI end_it(LPVOID unused)
{
    flag_set(&over, 1);
    return 0;
}

/* Creates a thread and computes. This worker does not wait for that thread, and the other worker
 * only yields. */
static void make_thread(struct worker *self)
{
    HANDLE thread = CreateThread(NULL, 0, end_it, NULL, 0, NULL);

    EXPECT_OK(thread != NULL);
    CloseHandle(thread);
    compute_and_yield(self);
}

struct run {
    worker_body body;
    bool late;
};

static int run_pinned(void *arg)
{
    const struct run *run = arg;
    bool late = run->late;
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
    fleet_add(fleet, run->body, NULL);
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
    EXPECT_IN_CHILD(run_pinned, arg, 10000);
}

TEST(RealTimePolicy, from_the_beginning)
{
    in_child(&(struct run){sleep_often, false});
}

TEST(RealTimePolicy, taken_later)
{
    in_child(&(struct run){sleep_often, true});
}

TEST(RealTimePolicy, a_thread_of_the_same_priority_comes)
{
    in_child(&(struct run){make_thread, false});
}
