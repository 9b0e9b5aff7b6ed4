/* SPDX-License-Identifier: MIT
 *
 * machine_under_load.c - the scenario while other processes want every processor: a thread that
 * waits for another must not spin for ever, and no result may depend on which thread is faster.
 *
 * modes: default
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "scenario.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_HOGS = 16 };

static int hog(void *arg)
{
    alarm(25);
    for (volatile int i = 0;; i = i + 1) {
    }
    return 0;
}

static void with_hogs(int per_processor, int niceness, int rounds)
{
    struct child hogs[MAX_HOGS];
    int count = per_processor * (int)sysconf(_SC_NPROCESSORS_ONLN);

    if (count > MAX_HOGS)
        count = MAX_HOGS;
    for (int i = 0; i < count; i++)
        hogs[i] = child_start(hog, NULL);
    if (niceness)
        EXPECT_EQ(setpriority(PRIO_PROCESS, 0, niceness), 0);
    scenario_run(rounds);
    for (int i = 0; i < count; i++)
        child_wait(hogs[i], 0); /* kills it */
}

TEST(MachineUnderLoad, two_hogs_per_processor)
{
    with_hogs(2, 0, 30);
}

TEST(MachineUnderLoad, with_low_priority)
{
    with_hogs(1, 15, 10);
}

/* Everything on one processor: a thread that spins for another keeps that one from running. */
TEST(MachineUnderLoad, one_processor)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(0, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    scenario_run(60);
}

TEST(MachineUnderLoad, one_processor_with_hogs)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(0, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    with_hogs(1, 0, 20);
}
