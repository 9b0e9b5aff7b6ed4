/* SPDX-License-Identifier: MIT
 *
 * scheduler_affinity.c - a scheduler bound to a processor stays there, and so do the workers that
 * run on it, even after a block has changed their kernel thread.
 *
 * modes: default
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int wrong;
static int samples;
static int bound_cpu;
static bool by_win32;

static unsigned cpu_now(void)
{
    unsigned cpu = 0;

    syscall(SYS_getcpu, &cpu, NULL, NULL);
    return cpu;
}

static void bind_here(const struct activation *activation, void *arg)
{
    if (activation->reason == UmsSchedulerStartup) {
        if (by_win32) {
            EXPECT_NE(SetThreadAffinityMask(GetCurrentThread(), (DWORD_PTR)1 << bound_cpu), 0);
        } else {
            cpu_set_t set;

            CPU_ZERO(&set);
            CPU_SET(bound_cpu, &set);
            EXPECT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
        }
    } else if (cpu_now() != (unsigned)bound_cpu) {
        flag_add(&wrong, 1);
    }
}

static void sample(struct worker *self)
{
    for (int i = 0; i < 60; i++) {
        if (cpu_now() != (unsigned)bound_cpu)
            flag_add(&wrong, 1);
        flag_add(&samples, 1);
        if (i % 3 == 0)
            usleep(100);
        else if (i % 3 == 1)
            UmsThreadYield(NULL);
        else
            Sleep(1);
    }
}

static void run_bound(int cpu, bool win32)
{
    struct fleet *fleet = fleet_create(1, 6, 0);
    cpu_set_t before;

    ASSERT_NE(fleet, NULL);
    sched_getaffinity(0, sizeof before, &before);
    if (!CPU_ISSET(cpu, &before))
        SKIP("processor %d is not available", cpu);
    wrong = samples = 0;
    bound_cpu = cpu;
    by_win32 = win32;
    fleet_set_hook(fleet, bind_here, NULL);
    for (int i = 0; i < 6; i++)
        fleet_add(fleet, sample, NULL);
    fleet_run(fleet);
    EXPECT_EQ(samples, 6 * 60);
    EXPECT_EQ(wrong, 0);
    fleet_destroy(fleet);
    sched_setaffinity(0, sizeof before, &before);
}

CALL_TEST(SchedulerAffinity, set_thread_affinity_mask_first_processor, run_bound(0, true))
CALL_TEST(SchedulerAffinity, set_thread_affinity_mask_second_processor, run_bound(1, true))
CALL_TEST(SchedulerAffinity, sched_setaffinity_first_processor, run_bound(0, false))
CALL_TEST(SchedulerAffinity, sched_setaffinity_second_processor, run_bound(1, false))

/* The thread is bound to a processor before it becomes a scheduler. */
TEST(SchedulerAffinity, bound_before_entering)
{
    cpu_set_t before;
    cpu_set_t one;

    sched_getaffinity(0, sizeof before, &before);
    if (!CPU_ISSET(1, &before))
        SKIP("needs a second processor");
    wrong = samples = 0;
    bound_cpu = 1;
    CPU_ZERO(&one);
    CPU_SET(1, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    FLEET_RUN(1, 0, {4, sample, NULL});
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(cpu_now(), 1);
    sched_setaffinity(0, sizeof before, &before);
}

/* A thread created afterwards by a worker of a bound scheduler is not bound (BL-10: a worker's own
 * affinity is the process's). */
static int processors_seen;

static DWORD WINAPI count_processors(LPVOID param)
{
    cpu_set_t set;

    sched_getaffinity(0, sizeof set, &set);
    processors_seen = CPU_COUNT(&set);
    return 0;
}

static void create_thread(struct worker *self)
{
    HANDLE thread = CreateThread(NULL, 0, count_processors, NULL, 0, NULL);

    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

TEST(SchedulerAffinity, thread_created_by_a_worker_is_not_bound)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    cpu_set_t before;

    ASSERT_NE(fleet, NULL);
    sched_getaffinity(0, sizeof before, &before);
    bound_cpu = 0;
    by_win32 = true;
    fleet_set_hook(fleet, bind_here, NULL);
    fleet_add(fleet, create_thread, NULL);
    fleet_run(fleet);
    EXPECT_EQ(processors_seen, CPU_COUNT(&before));
    fleet_destroy(fleet);
    sched_setaffinity(0, sizeof before, &before);
}

/* BL-10: a worker may set its own; the call succeeds, the effect is advisory. */
static void set_own(struct worker *self)
{
    EXPECT_NE(SetThreadAffinityMask(GetCurrentThread(), 1), 0);
    EXPECT_NE(SetThreadAffinityMask(self->thread, 3), 0);
    usleep(200);
    UmsThreadYield(NULL);
}

TEST(SchedulerAffinity, set_by_a_worker_succeeds)
{
    FLEET_RUN(2, FLEET_SHARED_READY, {4, set_own, NULL});
}
