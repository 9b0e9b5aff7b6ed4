/* SPDX-License-Identifier: MIT
 *
 * kernel_mutexes.c - pthread mutexes that the kernel helps with: priority-inheriting ones, and robust ones whose owner ends.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "futex_calls.h"

#include <errno.h>
#include <pthread.h>

static int entered; /* the first has the mutex */
static pthread_mutex_t mutex;
static long inside;

static void lock_in_turn(struct worker *self)
{
    for (int i = 0; i < 50; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        inside++;
        UmsThreadYield(self); /* the other finds it taken */
        EXPECT_EQ(--inside, 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
        if (tc_failures() > 3)
            return;
    }
}

static void lock_and_end(struct worker *self)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    flag_set(&entered, 1);
    UmsThreadYield(self);
}

static void lock_after_the_dead(struct worker *self)
{
    yield_until_entered(&entered, 1);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EOWNERDEAD);
    EXPECT_EQ(pthread_mutex_consistent(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static void run_mutex(int protocol, int robust, worker_body first, worker_body second)
{
    pthread_mutexattr_t attributes;

    entered = 0;
    inside = 0;
    pthread_mutexattr_init(&attributes);
    EXPECT_EQ(pthread_mutexattr_setprotocol(&attributes, protocol), 0);
    EXPECT_EQ(pthread_mutexattr_setrobust(&attributes, robust), 0);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    ASSERT_OK(FLEET_RUN(1, 0, {1, first, NULL}, {1, second, NULL}));
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
    pthread_mutexattr_destroy(&attributes);
}

CALL_TEST(KernelMutexes, two_workers_contend_for_a_priority_inheriting_mutex,
          run_mutex(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED, lock_in_turn, lock_in_turn))
CALL_TEST(KernelMutexes, two_workers_contend_for_a_robust_mutex,
          run_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST, lock_in_turn, lock_in_turn))
CALL_TEST(KernelMutexes, a_robust_mutex_outlives_its_owner,
          run_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST, lock_and_end, lock_after_the_dead))
