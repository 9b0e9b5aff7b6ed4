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
        NOT_HERE("no real-time priority without privilege");
    sched_setscheduler(0, policy, &before);
}

ASSERTION(priorities_have_bounds)
{
    CHECK(sched_get_priority_max(SCHED_FIFO) - sched_get_priority_min(SCHED_FIFO) >= 31);
    CHECK(sched_get_priority_max(SCHED_RR) - sched_get_priority_min(SCHED_RR) >= 31);
    CHECK_FAILS(sched_get_priority_max(77), EINVAL);
}

ASSERTION(what_is_set_is_told)
{
    struct sched_param param = {.sched_priority = 7};
    int policy;
    need_privilege();
    CHECK_EQUAL(sched_setscheduler(0, SCHED_RR, &param), 0);
    sleep_ms(5);
    CHECK_EQUAL(sched_getscheduler(0), SCHED_RR);
    CHECK_EQUAL(sched_getparam(0, &param), 0);
    CHECK_EQUAL(param.sched_priority, 7);
    param.sched_priority = 8;
    CHECK_EQUAL(sched_setparam(0, &param), 0);
    sched_yield();
    CHECK_EQUAL(sched_getparam(0, &param), 0);
    CHECK_EQUAL(param.sched_priority, 8);
    struct timespec slice;
    CHECK_EQUAL(sched_rr_get_interval(0, &slice), 0);
    CHECK(slice.tv_sec || slice.tv_nsec);
    CHECK_EQUAL(pthread_getschedparam(pthread_self(), &policy, &param), 0);
    CHECK_EQUAL(policy, SCHED_RR);
    CHECK_EQUAL(param.sched_priority, 8);
}

ASSERTION(what_is_set_by_pthread_is_told)
{
    struct sched_param param = {.sched_priority = 5};
    int policy;
    need_privilege();
    CHECK_EQUAL(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param), 0);
    sleep_ms(5);
    CHECK_EQUAL(sched_getscheduler(0), SCHED_FIFO);
    CHECK_EQUAL(pthread_setschedprio(pthread_self(), 6), 0);
    CHECK_EQUAL(pthread_getschedparam(pthread_self(), &policy, &param), 0);
    CHECK_EQUAL(policy, SCHED_FIFO);
    CHECK_EQUAL(param.sched_priority, 6);
    CHECK_EQUAL(sched_getparam(0, &param), 0);
    CHECK_EQUAL(param.sched_priority, 6);
    CHECK_EQUAL(pthread_setschedparam(pthread_self(), 77, &param), EINVAL);
}

ASSERTION(bad_values_are_refused)
{
    struct sched_param param = {.sched_priority = 1000};
    CHECK_FAILS(sched_setscheduler(0, SCHED_FIFO, &param), EINVAL);
    CHECK_FAILS(sched_setscheduler(0, 77, &param), EINVAL);
    CHECK_FAILS(sched_getscheduler(0x3ffffffe), ESRCH);
    CHECK_FAILS(sched_getparam(0x3ffffffe, &param), ESRCH);
    CHECK_FAILS(sched_setparam(0, &param), EINVAL);
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
    CHECK_EQUAL(sched_setscheduler(0, SCHED_RR, &param), 0);
    CHECK_EQUAL((long)join(start(tell_policy, &child)), SCHED_RR);
    CHECK_EQUAL(child.sched_priority, 4);
}

ASSERTION(a_new_thread_has_what_its_attributes_say)
{
    struct sched_param param = {.sched_priority = 3}, child;
    pthread_attr_t attr;
    pthread_t thread;
    need_privilege();
    CHECK_EQUAL(pthread_attr_init(&attr), 0);
    CHECK_EQUAL(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED), 0);
    CHECK_EQUAL(pthread_attr_setschedpolicy(&attr, SCHED_FIFO), 0);
    CHECK_EQUAL(pthread_attr_setschedparam(&attr, &param), 0);
    CHECK_EQUAL(pthread_create(&thread, &attr, tell_policy, &child), 0);
    CHECK_EQUAL((long)join(thread), SCHED_FIFO);
    CHECK_EQUAL(child.sched_priority, 3);
    CHECK_EQUAL(sched_getscheduler(0), SCHED_OTHER);
}

ASSERTION(a_child_inherits)
{
    struct sched_param param = {.sched_priority = 2};
    int status;
    need_privilege();
    CHECK_EQUAL(sched_setscheduler(0, SCHED_RR, &param), 0);
    pid_t child = fork();
    if (child == 0) {
        param.sched_priority = 0;
        sched_getparam(0, &param);
        _exit(sched_getscheduler(0) == SCHED_RR && param.sched_priority == 2 ? 0 : 1);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

ASSERTION(niceness_is_told)
{
    int start = getpriority(PRIO_PROCESS, 0);
    if (start > 14)
        return; /* no room for what follows: it stops at 19 */
    CHECK_EQUAL(nice(3), start + 3);
    sleep_ms(5);
    CHECK_EQUAL(getpriority(PRIO_PROCESS, 0), start + 3);
    CHECK_EQUAL(setpriority(PRIO_PROCESS, 0, start + 5), 0);
    CHECK_EQUAL(nice(0), start + 5);
}

ASSERTION(yielding_succeeds)
{
    for (int i = 0; i < 100; i++)
        CHECK_EQUAL(sched_yield(), 0);
}

static void *tell_processors(void *set)
{
    CHECK_EQUAL(sched_getaffinity(0, sizeof(cpu_set_t), set), 0);
    return NULL;
}

ASSERTION(processors_are_told_and_inherited)
{
    cpu_set_t all, one, child;
    CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    CHECK_EQUAL(CPU_COUNT(&all), sysconf(_SC_NPROCESSORS_ONLN));
    join(start(tell_processors, &child));
    CHECK(CPU_EQUAL(&child, &all));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    }
    CHECK_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
    sleep_ms(5);
    CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
    CHECK(CPU_EQUAL(&all, &one));
    CHECK_EQUAL(pthread_getaffinity_np(pthread_self(), sizeof all, &all), 0);
    CHECK(CPU_EQUAL(&all, &one));
    join(start(tell_processors, &child));
    CHECK(CPU_EQUAL(&child, &one));
}
