/* SPDX-License-Identifier: MIT
 *
 * Engine threads that run above the program's policy (platform/linux/os/policy.c): those that are
 * there when a scheduler comes, those that come later, and none that has ended, whose number may be
 * a stranger's by now.
 */
#include "platform/linux/os/policy.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { THREADS = 8, PRIORITY = 10 };

static long self; /* who calls */
static int priority_of[THREADS];

void plat_log(const char *format, ...)
{
    FAIL("there is nothing to tell");
}

static long kernel(long nr, const long args[6])
{
    switch (nr) {
    case SYS_gettid:
        return self;
    case SYS_sched_getscheduler:
        return SCHED_FIFO;
    case SYS_sched_getparam:
        ((struct sched_param *)args[1])->sched_priority = PRIORITY;
        return 0;
    case SYS_sched_setscheduler:
        priority_of[args[0]] = ((const struct sched_param *)args[2])->sched_priority;
        return 0;
    default:
        return -ENOSYS;
    }
}

static void start(void)
{
    policies_forget();
    wanted = 0;
    memset(priority_of, 0, sizeof priority_of);
    double_syscall = kernel;
    for (self = 1; self <= 3; self++)
        policy_rises();
}

TEST(Policy, threads_rise_above_a_scheduler)
{
    start();
    EXPECT_EQ(policy_of_scheduler(), true);
    self = 4;
    policy_rises();
    for (int thread = 1; thread <= 4; thread++)
        EXPECT_EQ(priority_of[thread], PRIORITY + 1);
}

TEST(Policy, a_thread_that_has_ended_is_nobodys)
{
    start();
    self = 2;
    policy_ends();
    EXPECT_EQ(policy_of_scheduler(), true);
    EXPECT_EQ(priority_of[1], PRIORITY + 1);
    EXPECT_EQ(priority_of[2], 0);
    EXPECT_EQ(priority_of[3], PRIORITY + 1);
}
