/* SPDX-License-Identifier: MIT
 *
 * inheriting_mutexes.c - workers that contend for mutexes of PTHREAD_PRIO_INHERIT do not hang,
 * however the library notices their calls. The kernel knows such a mutex's owner by a kernel
 * thread's id, and a worker's id is its home's.
 *
 * modes: ways, UMSSHIM_DETECT=0, UMSSHIM_DETECT=0 UMSSHIM_FRONT=functions
 * modes: UMSSHIM_DETECT=0 UMSSHIM_RING=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

enum { WORKERS = 4, ROUNDS = 40 };

static pthread_mutex_t mutex;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int inside, whose;

static void make(int kind, int robust)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    EXPECT_EQ(pthread_mutexattr_settype(&attributes, kind), 0);
    EXPECT_EQ(pthread_mutexattr_setrobust(&attributes, robust), 0);
    EXPECT_EQ(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT), 0);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    pthread_mutexattr_destroy(&attributes);
    inside = whose = 0;
}

static void run(int schedulers, worker_body body)
{
    struct fleet *fleet = fleet_create(schedulers, WORKERS, 0);

    ASSERT_NE(fleet, NULL);
    fleet_set_limit(fleet, 15000);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, body, NULL);
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

static void hold(void)
{
    EXPECT_EQ(flag_add(&inside, 1), 1);
    UmsThreadYield(NULL); /* the others find it taken */
    EXPECT_EQ(flag_add(&inside, -1), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static void lock_it(struct worker *self)
{
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        hold();
    }
}

static void lock_it_in_time(struct worker *self)
{
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        struct timespec limit;

        clock_gettime(i % 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &limit);
        limit.tv_sec += 15;
        EXPECT_EQ(i % 2 ? pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &limit)
                        : pthread_mutex_timedlock(&mutex, &limit),
                  0);
        hold();
    }
}

static void wait_for_a_turn(struct worker *self)
{
    for (int i = 0; i < ROUNDS / 4 && tc_failures() < 4; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        while (whose != self->index)
            EXPECT_EQ(pthread_cond_wait(&turn, &mutex), 0);
        whose = (whose + 1) % WORKERS;
        EXPECT_EQ(pthread_cond_broadcast(&turn), 0);
        hold();
    }
}

TEST(InheritingMutexes, workers_of_one_scheduler)
{
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
    run(1, lock_it);
}

TEST(InheritingMutexes, workers_of_two_schedulers)
{
    make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    run(2, lock_it);
}

enum { BEGINNINGS = 25, LIMIT_MS = 10000 };

static int begin(void *unused)
{
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
    run(2, lock_it);
    return 0;
}

/* Two schedulers enter at once: what is put before libc's functions stands there before either goes on. */
TEST(InheritingMutexes, from_the_first_moment)
{
    for (int i = 0; i < BEGINNINGS && !tc_failures(); i++)
        EXPECT_IN_CHILD(begin, NULL, LIMIT_MS);
}

TEST(InheritingMutexes, robust_ones)
{
    make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ROBUST);
    run(2, lock_it);
}

TEST(InheritingMutexes, with_a_time_limit)
{
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
    run(1, lock_it_in_time);
}

TEST(InheritingMutexes, under_a_condition)
{
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
    run(1, wait_for_a_turn);
}
