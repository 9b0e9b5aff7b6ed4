/* SPDX-License-Identifier: MIT
 *
 * kernel_kept.c - states that the kernel keeps for a thread are a worker's own, on whatever
 * carrier: its name, its scheduling policy and niceness, and the priority-inheriting mutexes that
 * it holds.
 *
 * modes: default
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 6, ROUNDS = 20 };

/* Blocks, or yields: the next step is on another carrier, or on another scheduler. */
static void move_on(struct worker *self, int round)
{
    if (round % 3 == 2)
        usleep(300);
    else
        UmsThreadYield(self);
}

static void run_workers(int schedulers, int workers, void (*body)(struct worker *))
{
    ASSERT_OK(FLEET_RUN(schedulers, FLEET_SHARED_READY, {workers, body, NULL}));
}

/* ---- names ---- */

static void keep_name(struct worker *self)
{
    char mine[16];
    char seen[16];

    snprintf(mine, sizeof mine, "worker-%d", self->index);
    EXPECT_EQ(pthread_setname_np(pthread_self(), mine), 0);
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        move_on(self, i);
        memset(seen, 0, sizeof seen);
        EXPECT_EQ(prctl(PR_GET_NAME, seen), 0);
        EXPECT_STREQ(seen, mine);
        EXPECT_EQ(pthread_getname_np(pthread_self(), seen, sizeof seen), 0);
        EXPECT_STREQ(seen, mine);
    }
}

TEST(KernelKept, name)
{
    run_workers(2, WORKERS, keep_name);
}

WORKER_TEST(KernelKept, name_from_nowhere)
{
    EXPECT_ERRNO(prctl(PR_SET_NAME, (char *)16), EFAULT);
    EXPECT_EQ(prctl(PR_SET_NAME, "fine"), 0);
}

/* ---- scheduling ---- */

/* SCHED_BATCH and SCHED_IDLE need no privilege. */
static void keep_policy(struct worker *self)
{
    int mine = self->index % 2 ? SCHED_BATCH : SCHED_OTHER;
    int nice_value = 1 + self->index;
    struct sched_param param = {0};
    int policy;

    EXPECT_EQ(sched_setscheduler(0, mine, &param), 0);
    EXPECT_EQ(setpriority(PRIO_PROCESS, 0, nice_value), 0);
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        move_on(self, i);
        EXPECT_EQ(sched_getscheduler(0), mine);
        EXPECT_EQ(sched_getparam(0, &param), 0);
        EXPECT_EQ(sched_getscheduler(self->id), mine);
        EXPECT_EQ(pthread_getschedparam(pthread_self(), &policy, &param), 0);
        EXPECT_EQ(policy, mine);
        EXPECT_EQ(getpriority(PRIO_PROCESS, 0), nice_value);
        EXPECT_EQ(getpriority(PRIO_PROCESS, self->id), nice_value);
    }
    EXPECT_ERRNO(sched_setscheduler(0, 1234, &param), EINVAL);
    EXPECT_ERRNO(sched_setscheduler(0, mine, NULL), EINVAL);
    EXPECT_ERRNO(sched_getparam(0, NULL), EINVAL);
}

TEST(KernelKept, policy_and_niceness)
{
    run_workers(2, WORKERS, keep_policy);
}

static void *tell_policy(void *policy)
{
    *(int *)policy = sched_getscheduler(0);
    return NULL;
}

WORKER_TEST(KernelKept, policy_is_inherited)
{
    struct sched_param param = {0};
    pthread_t thread;
    int policy = -1;

    EXPECT_EQ(sched_setscheduler(0, SCHED_BATCH, &param), 0);
    EXPECT_EQ(pthread_create(&thread, NULL, tell_policy, &policy), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(policy, SCHED_BATCH);
}

/* ---- priority-inheriting mutexes ---- */

static pthread_mutex_t mutex;
static int inside;
static long shared;

static void make_mutex(int robust)
{
    pthread_mutexattr_t attributes;

    inside = 0;
    shared = 0;
    pthread_mutexattr_init(&attributes);
    EXPECT_EQ(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT), 0);
    EXPECT_EQ(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK), 0);
    EXPECT_EQ(pthread_mutexattr_setrobust(&attributes, robust), 0);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    pthread_mutexattr_destroy(&attributes);
}

static void lock_and_move(struct worker *self)
{
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        shared++;
        EXPECT_EQ(pthread_mutex_lock(&mutex), EDEADLK);
        move_on(self, i);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    }
}

TEST(KernelKept, inheriting_mutex_of_one_scheduler)
{
    make_mutex(PTHREAD_MUTEX_STALLED);
    run_workers(1, WORKERS, lock_and_move);
    EXPECT_EQ(shared, WORKERS * ROUNDS);
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

TEST(KernelKept, inheriting_mutex_of_two_schedulers)
{
    make_mutex(PTHREAD_MUTEX_STALLED);
    run_workers(2, WORKERS, lock_and_move);
    EXPECT_EQ(shared, WORKERS * ROUNDS);
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

static int plain_holds;
static int let_go;

static void *hold(void *unused)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    flag_set(&plain_holds, 1);
    EXPECT_OK(wait_until(&let_go, 10000));
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    return unused;
}

static void take_it(struct block_case *c)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static void let_holder_go(struct block_case *c)
{
    flag_set(&let_go, 1);
}

TEST(KernelKept, inheriting_mutex_of_a_plain_thread)
{
    struct block_case c = {.block = take_it, .complete = let_holder_go};
    pthread_t holder;

    make_mutex(PTHREAD_MUTEX_STALLED);
    plain_holds = let_go = 0;
    EXPECT_EQ(pthread_create(&holder, NULL, hold, NULL), 0);
    ASSERT_OK(wait_until(&plain_holds, 5000));
    run_block_case(&c);
    EXPECT_EQ(pthread_join(holder, NULL), 0);
}

static void time_out(struct block_case *c)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 150000000; /* not over before the call */
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    EXPECT_EQ(pthread_mutex_timedlock(&mutex, &at), ETIMEDOUT);
}

TEST(KernelKept, inheriting_mutex_times_out)
{
    struct block_case c = {.block = time_out};

    make_mutex(PTHREAD_MUTEX_STALLED);
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    run_block_case(&c);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}
