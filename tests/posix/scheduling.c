/* SPDX-License-Identifier: MIT
 *
 * scheduling.c - policies, priorities, processors.
 */
#include "assertion.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void need_privilege(void)
{
    struct sched_param param = {.sched_priority = 1};
    int policy = sched_getscheduler(0);
    struct sched_param before;
    sched_getparam(0, &before);
    if (sched_setscheduler(0, SCHED_FIFO, &param))
        SKIP("no real-time priority without privilege");
    sched_setscheduler(0, policy, &before);
}

ASSERTION(priorities_have_bounds)
{
    EXPECT(sched_get_priority_max(SCHED_FIFO) - sched_get_priority_min(SCHED_FIFO) >= 31);
    EXPECT(sched_get_priority_max(SCHED_RR) - sched_get_priority_min(SCHED_RR) >= 31);
    EXPECT_ERRNO(sched_get_priority_max(77), EINVAL);
}

ASSERTION(what_is_set_is_told)
{
    struct sched_param param = {.sched_priority = 7};
    int policy;
    need_privilege();
    EXPECT_EQ(sched_setscheduler(0, SCHED_RR, &param), 0);
    sleep_ms(5);
    EXPECT_EQ(sched_getscheduler(0), SCHED_RR);
    EXPECT_EQ(sched_getparam(0, &param), 0);
    EXPECT_EQ(param.sched_priority, 7);
    param.sched_priority = 8;
    EXPECT_EQ(sched_setparam(0, &param), 0);
    sched_yield();
    EXPECT_EQ(sched_getparam(0, &param), 0);
    EXPECT_EQ(param.sched_priority, 8);
    struct timespec slice;
    EXPECT_EQ(sched_rr_get_interval(0, &slice), 0);
    EXPECT(slice.tv_sec || slice.tv_nsec);
    EXPECT_EQ(pthread_getschedparam(pthread_self(), &policy, &param), 0);
    EXPECT_EQ(policy, SCHED_RR);
    EXPECT_EQ(param.sched_priority, 8);
}

ASSERTION(what_is_set_by_pthread_is_told)
{
    struct sched_param param = {.sched_priority = 5};
    int policy;
    need_privilege();
    EXPECT_EQ(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param), 0);
    sleep_ms(5);
    EXPECT_EQ(sched_getscheduler(0), SCHED_FIFO);
    EXPECT_EQ(pthread_setschedprio(pthread_self(), 6), 0);
    EXPECT_EQ(pthread_getschedparam(pthread_self(), &policy, &param), 0);
    EXPECT_EQ(policy, SCHED_FIFO);
    EXPECT_EQ(param.sched_priority, 6);
    EXPECT_EQ(sched_getparam(0, &param), 0);
    EXPECT_EQ(param.sched_priority, 6);
    EXPECT_EQ(pthread_setschedparam(pthread_self(), 77, &param), EINVAL);
}

ASSERTION(bad_values_are_refused)
{
    struct sched_param param = {.sched_priority = 1000};
    EXPECT_ERRNO(sched_setscheduler(0, SCHED_FIFO, &param), EINVAL);
    EXPECT_ERRNO(sched_setscheduler(0, 77, &param), EINVAL);
    EXPECT_ERRNO(sched_getscheduler(0x3ffffffe), ESRCH);
    EXPECT_ERRNO(sched_getparam(0x3ffffffe, &param), ESRCH);
    EXPECT_ERRNO(sched_setparam(0, &param), EINVAL);
}

static void *tell_policy(void *param)
{
    sched_getparam(0, param);
    return (void *)(long)sched_getscheduler(0);
}

ASSERTION(a_new_thread_inherits)
{
    struct sched_param param = {.sched_priority = 4}, child;
    need_privilege();
    EXPECT_EQ(sched_setscheduler(0, SCHED_RR, &param), 0);
    EXPECT_EQ((long)join(start(tell_policy, &child)), SCHED_RR);
    EXPECT_EQ(child.sched_priority, 4);
}

ASSERTION(a_new_thread_has_what_its_attributes_say)
{
    struct sched_param param = {.sched_priority = 3}, child;
    pthread_attr_t attr;
    pthread_t thread;
    need_privilege();
    EXPECT_EQ(pthread_attr_init(&attr), 0);
    EXPECT_EQ(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED), 0);
    EXPECT_EQ(pthread_attr_setschedpolicy(&attr, SCHED_FIFO), 0);
    EXPECT_EQ(pthread_attr_setschedparam(&attr, &param), 0);
    EXPECT_EQ(pthread_create(&thread, &attr, tell_policy, &child), 0);
    EXPECT_EQ((long)join(thread), SCHED_FIFO);
    EXPECT_EQ(child.sched_priority, 3);
    EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

ASSERTION(a_child_inherits)
{
    struct sched_param param = {.sched_priority = 2};
    int status;
    need_privilege();
    EXPECT_EQ(sched_setscheduler(0, SCHED_RR, &param), 0);
    pid_t child = fork();
    if (child == 0) {
        param.sched_priority = 0;
        sched_getparam(0, &param);
        _exit(sched_getscheduler(0) == SCHED_RR && param.sched_priority == 2 ? 0 : 1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

ASSERTION(niceness_is_told)
{
    int start = getpriority(PRIO_PROCESS, 0);
    if (start > 14)
        return; /* no room for what follows: it stops at 19 */
    EXPECT_EQ(nice(3), start + 3);
    sleep_ms(5);
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), start + 3);
    EXPECT_EQ(setpriority(PRIO_PROCESS, 0, start + 5), 0);
    EXPECT_EQ(nice(0), start + 5);
}

ASSERTION(yielding_succeeds)
{
    for (int i = 0; i < 100; i++)
        EXPECT_EQ(sched_yield(), 0);
}

static void *tell_processors(void *set)
{
    EXPECT_EQ(sched_getaffinity(0, sizeof(cpu_set_t), set), 0);
    return NULL;
}

ASSERTION(processors_are_told_and_inherited)
{
    cpu_set_t all, one, child;
    EXPECT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_EQ(CPU_COUNT(&all), sysconf(_SC_NPROCESSORS_ONLN));
    join(start(tell_processors, &child));
    EXPECT(CPU_EQUAL(&child, &all));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    }
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    sleep_ms(5);
    EXPECT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT(CPU_EQUAL(&all, &one));
    EXPECT_EQ(pthread_getaffinity_np(pthread_self(), sizeof all, &all), 0);
    EXPECT(CPU_EQUAL(&all, &one));
    join(start(tell_processors, &child));
    EXPECT(CPU_EQUAL(&child, &one));
}
