/* SPDX-License-Identifier: MIT
 *
 * mutex_across_blocking.c - pthread mutexes that are held while their owner blocks, yields and
 * moves to another scheduler: normal, recursive, error-checking, timed, robust,
 * priority-inheriting.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 10, ROUNDS = 40 };

static pthread_mutex_t mutex;
static int inside;
static long shared;

static void make_mutex(int type)
{
    pthread_mutexattr_t attributes;

    inside = 0;
    shared = 0;
    pthread_mutexattr_init(&attributes);
    EXPECT_EQ(pthread_mutexattr_settype(&attributes, type), 0);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    pthread_mutexattr_destroy(&attributes);
}

static void lock_and_block(struct worker *self)
{
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        shared++;
        if (i % 10 == 9)
            usleep(300); /* the others pile up on the mutex */
        else if (i % 3 == 0)
            UmsThreadYield(self);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
        if (i % 4 == 0)
            UmsThreadYield(self);
        if (tc_failures() > 3)
            return;
    }
}

static void contend(int type, int schedulers)
{
    make_mutex(type);
    ASSERT_OK(FLEET_RUN(schedulers, FLEET_SHARED_READY, {WORKERS, lock_and_block, NULL}));
    EXPECT_EQ(shared, WORKERS * ROUNDS);
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

CALL_TEST(MutexAcrossBlocking, normal, contend(PTHREAD_MUTEX_NORMAL, 1))
CALL_TEST(MutexAcrossBlocking, normal_two_schedulers, contend(PTHREAD_MUTEX_NORMAL, 2))
CALL_TEST(MutexAcrossBlocking, recursive, contend(PTHREAD_MUTEX_RECURSIVE, 2))
CALL_TEST(MutexAcrossBlocking, error_checking, contend(PTHREAD_MUTEX_ERRORCHECK, 2))
CALL_TEST(MutexAcrossBlocking, adaptive, contend(PTHREAD_MUTEX_ADAPTIVE_NP, 2))

/* ---- which worker is the owner ---- */

static int owned;
static int checked;

static void own(struct worker *self)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    flag_set(&owned, 1);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EDEADLK);
    UmsThreadYield(self);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EDEADLK);
    usleep(500);
    yield_until(&checked);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EDEADLK);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
}

static void own_not(struct worker *self)
{
    yield_until(&owned);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
    EXPECT_EQ(pthread_mutex_trylock(&mutex), EBUSY);
    flag_set(&checked, 1);
}

static void owner_identity(int schedulers)
{
    make_mutex(PTHREAD_MUTEX_ERRORCHECK);
    owned = checked = 0;
    ASSERT_OK(FLEET_RUN(schedulers, FLEET_SHARED_READY, {1, own, NULL}, {1, own_not, NULL}));
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

TEST(MutexAcrossBlocking, owner_identity_one_scheduler)
{
    owner_identity(1);
}

TEST(MutexAcrossBlocking, owner_identity_two_schedulers)
{
    owner_identity(2);
}

static void recurse(struct worker *self)
{
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        EXPECT_EQ(flag_add(&inside, 1), i + 1);
        UmsThreadYield(self);
        if (i == 2)
            usleep(500);
    }
    for (int i = 5; i > 0; i--) {
        EXPECT_EQ(flag_add(&inside, -1), i - 1);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    }
}

TEST(MutexAcrossBlocking, recursion_depth_is_the_workers)
{
    make_mutex(PTHREAD_MUTEX_RECURSIVE);
    ASSERT_OK(FLEET_RUN(2, FLEET_SHARED_READY, {6, recurse, NULL}));
}

/* ---- one blocks on it, the other lets it go ---- */

static void take_it(struct block_case *c)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static pthread_mutex_t holder_hold = PTHREAD_MUTEX_INITIALIZER;

static void *hold_in_plain_thread(void *param)
{
    int *held = param;

    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    flag_set(held, 1);
    EXPECT_EQ(pthread_mutex_lock(&holder_hold), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&holder_hold), 0);
    return NULL;
}

static void let_holder_go(struct block_case *c)
{
    flag_set(c->data, 1);
}

static DWORD WINAPI release_when_told(LPVOID param)
{
    EXPECT_EQ(pthread_mutex_lock(&holder_hold), 0);
    flag_set((int *)param + 1, 1);
    EXPECT_OK(wait_until(param, 10000));
    EXPECT_EQ(pthread_mutex_unlock(&holder_hold), 0);
    return 0;
}

TEST(MutexAcrossBlocking, held_by_a_plain_thread)
{
    int flags[2] = {0, 0};
    int held = 0;
    struct block_case c = {.block = take_it, .complete = let_holder_go, .data = flags};
    HANDLE gate;
    pthread_t holder;

    make_mutex(PTHREAD_MUTEX_NORMAL);
    gate = CreateThread(NULL, 0, release_when_told, flags, 0, NULL);
    ASSERT_OK(wait_until(&flags[1], 5000));
    EXPECT_EQ(pthread_create(&holder, NULL, hold_in_plain_thread, &held), 0);
    ASSERT_OK(wait_until(&held, 5000));
    run_block_case(&c);
    EXPECT_EQ(pthread_join(holder, NULL), 0);
    EXPECT_EQ(WaitForSingleObject(gate, 5000), WAIT_OBJECT_0);
    CloseHandle(gate);
}

static void time_out(struct block_case *c)
{
    struct timespec at;
    long long started = now_ms();

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 60000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    EXPECT_EQ(pthread_mutex_timedlock(&mutex, &at), ETIMEDOUT);
    EXPECT_GE(elapsed_ms(started), 59);
}

TEST(MutexAcrossBlocking, timed_lock_times_out)
{
    struct block_case c = {.block = time_out};

    make_mutex(PTHREAD_MUTEX_NORMAL);
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    run_block_case(&c);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

/* ---- kinds whose owner the kernel knows by thread id ---- */

static void lock_twice_in_turn(struct worker *self)
{
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        if (i % 5 == 4)
            usleep(200);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
        UmsThreadYield(self);
        if (tc_failures() > 3)
            return;
    }
}

static void special(int robust, int protocol)
{
    pthread_mutexattr_t attributes;

    inside = 0;
    pthread_mutexattr_init(&attributes);
    EXPECT_EQ(pthread_mutexattr_setrobust(&attributes, robust), 0);
    EXPECT_EQ(pthread_mutexattr_setprotocol(&attributes, protocol), 0);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    ASSERT_OK(FLEET_RUN(1, 0, {4, lock_twice_in_turn, NULL}));
}

TEST(MutexAcrossBlocking, robust)
{
    special(PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
}

static void end_holding(struct worker *self)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    usleep(500);
}

static void inherit(struct worker *self)
{
    struct worker *dead = fleet_worker(self->fleet, 0);

    EXPECT_EQ(WaitForSingleObject(dead->thread, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EOWNERDEAD);
    EXPECT_EQ(pthread_mutex_consistent(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static void owner_ends(int protocol)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    EXPECT_EQ(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST), 0);
    EXPECT_EQ(pthread_mutexattr_setprotocol(&attributes, protocol), 0);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    ASSERT_OK(FLEET_RUN(1, 0, {1, end_holding, NULL}, {1, inherit, NULL}));
}

TEST(MutexAcrossBlocking, robust_owner_ends)
{
    owner_ends(PTHREAD_PRIO_NONE);
}

TEST(MutexAcrossBlocking, inheriting_robust_owner_ends)
{
    owner_ends(PTHREAD_PRIO_INHERIT);
}
