/* SPDX-License-Identifier: MIT
 *
 * unseen_locks.c - without a listener a worker that waits for another thread in one of libc's functions still leaves
 * its scheduler: for a mutex, a condition, a semaphore, a thread's end. A contended mutex must not stop the worker
 * that holds it. Every test runs with UMSSHIM_DETECT=0.
 *
 * modes: UMSSHIM_DETECT=0, UMSSHIM_DETECT=0 UMSSHIM_RING=0, UMSSHIM_DETECT=0 UMSSHIM_FSGSBASE=0
 */
#include "block_case.h"
#include "fleet.h"
#include "from_now.h"
#include "gtest_c.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* ---- Locks that workers of one scheduler share ------------------------------------------------------------ */

enum { ROUNDS = 100 };

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static int inside;

static void contend(struct worker *self)
{
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        UmsThreadYield(NULL);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    }
}

static void run_fleet(int schedulers, int workers, void (*body)(struct worker *))
{
    struct fleet *fleet = fleet_create(schedulers, workers, 0);

    ASSERT_NE(fleet, NULL);
    fleet_set_limit(fleet, 15000);
    for (int i = 0; i < workers; i++)
        fleet_add(fleet, body, NULL);
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

static void contend_for(int kind, int protocol, int robust)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutexattr_setrobust(&attributes, robust);
    ASSERT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    run_fleet(1, 4, contend);
    run_fleet(2, 4, contend);
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

CALL_TEST(UnseenLocks, mutex,
          contend_for(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED))
CALL_TEST(UnseenLocks, recursive_mutex,
          contend_for(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED))
CALL_TEST(UnseenLocks, robust_mutex,
          contend_for(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST))

/* The error is the worker's, though another kernel thread asks. */
static void lock_twice(struct block_case *c)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EDEADLK);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
}

TEST(UnseenLocks, error_checking_mutex)
{
    pthread_mutexattr_t attributes;
    struct block_case c = {0};

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    ASSERT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    run_in_worker(lock_twice, &c);
}

static void read_and_write(struct worker *self)
{
    for (int i = 0; i < ROUNDS; i++) {
        bool writes = (self->index + i) % 3 == 0;

        EXPECT_EQ((writes ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&rwlock), 0);
        if (writes)
            EXPECT_EQ(flag_add(&inside, 1), 1);
        UmsThreadYield(NULL);
        if (writes)
            EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
    }
}

TEST(UnseenLocks, rwlock)
{
    ASSERT_EQ(pthread_rwlock_init(&rwlock, NULL), 0);
    run_fleet(1, 4, read_and_write);
}

/* ---- One waits, another of the same scheduler lets it go on -------------------------------------------------- */

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

static void wait_for_condition(struct block_case *c)
{
    struct timespec limit = from_now(CLOCK_REALTIME, 10000);

    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    while (!c->number) {
        EXPECT_EQ(c->data ? pthread_cond_timedwait(&condition, &guard, &limit)
                          : pthread_cond_wait(&condition, &guard),
                  0);
    }
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}

static void signal_condition(struct block_case *c)
{
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    c->number = 1;
    EXPECT_EQ(pthread_cond_signal(&condition), 0);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}

BLOCK_TEST(UnseenLocks, condition, .block = wait_for_condition, .complete = signal_condition)

BLOCK_TEST(UnseenLocks, condition_with_limit, .block = wait_for_condition,
           .complete = signal_condition, .data = &condition)

static void wait_too_long(struct block_case *c)
{
    struct timespec limit = from_now(CLOCK_MONOTONIC, 150); /* not over before the call */

    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    EXPECT_EQ(pthread_cond_clockwait(&condition, &guard, CLOCK_MONOTONIC, &limit), ETIMEDOUT);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}

BLOCK_TEST(UnseenLocks, condition_until, .block = wait_too_long)

/* ---- Functions of libc's that wait again inside: for those that leave a condition, at a barrier -------------- */

enum { TURNS = 200, PARTIES = 6 };

static pthread_barrier_t barrier;
static cnd_t turn_comes;
static mtx_t turn_lock;
static int turn, last_ones;

static void pass_barrier(struct worker *self)
{
    (void)self;
    for (int i = 0; i < TURNS; i++) {
        int result = pthread_barrier_wait(&barrier);

        EXPECT_OK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        flag_add(&last_ones, result != 0);
    }
}

TEST(UnseenLocks, barrier)
{
    for (int schedulers = 1; schedulers <= 2; schedulers++) {
        last_ones = 0;
        ASSERT_EQ(pthread_barrier_init(&barrier, NULL, PARTIES), 0);
        run_fleet(schedulers, PARTIES, pass_barrier);
        EXPECT_EQ(last_ones, TURNS);
        EXPECT_EQ(pthread_barrier_destroy(&barrier), 0);
    }
}

/* All wait for their turn, and each turn wakes all: a broadcast waits for those of the one before. */
static void take_turns(struct worker *self)
{
    struct timespec limit = from_now(CLOCK_REALTIME, 10000);

    for (int i = 0; i < TURNS; i++) {
        EXPECT_EQ(mtx_lock(&turn_lock), thrd_success);
        while (turn % PARTIES != self->index)
            EXPECT_EQ(i & 1 ? cnd_timedwait(&turn_comes, &turn_lock, &limit)
                            : cnd_wait(&turn_comes, &turn_lock),
                      thrd_success);
        turn++;
        EXPECT_EQ(cnd_broadcast(&turn_comes), thrd_success);
        EXPECT_EQ(mtx_unlock(&turn_lock), thrd_success);
    }
}

TEST(UnseenLocks, condition_of_c11)
{
    for (int schedulers = 1; schedulers <= 2; schedulers++) {
        turn = 0;
        ASSERT_EQ(cnd_init(&turn_comes), thrd_success);
        ASSERT_EQ(mtx_init(&turn_lock, mtx_plain), thrd_success);
        run_fleet(schedulers, PARTIES, take_turns);
        EXPECT_EQ(turn, TURNS * PARTIES);
        cnd_destroy(&turn_comes);
        mtx_destroy(&turn_lock);
    }
}

/* ---- One waits, another of the same scheduler lets it go on: a semaphore -------------------------------------- */

static void take(struct block_case *c)
{
    EXPECT_EQ(sem_wait(&semaphore), 0);
}

static void give(struct block_case *c)
{
    EXPECT_EQ(sem_post(&semaphore), 0);
}

TEST(UnseenLocks, semaphore)
{
    struct block_case c = {.block = take, .complete = give};

    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    run_block_case(&c);
}

static void take_in_time(struct block_case *c)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    EXPECT_EQ(sem_timedwait(&semaphore, &limit), 0);
}

TEST(UnseenLocks, semaphore_with_limit)
{
    struct block_case c = {.block = take_in_time, .complete = give};

    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    run_block_case(&c);
}

/* ---- The end of another thread -------------------------------------------------------------------------------------- */

static void *until_given(void *result)
{
    while (sem_wait(&semaphore) != 0) {
    }
    return result;
}

static void join_one(struct block_case *c)
{
    pthread_t thread;
    void *result = NULL;

    EXPECT_EQ(pthread_create(&thread, NULL, until_given, c), 0);
    EXPECT_EQ(pthread_join(thread, &result), 0);
    EXPECT_EQ(result, (void *)c);
    EXPECT_EQ(pthread_join(pthread_self(), NULL), EDEADLK);
}

TEST(UnseenLocks, join)
{
    struct block_case c = {.block = join_one, .complete = give};

    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    run_block_case(&c);
}

/* ---- Threads that are no workers ---------------------------------------------------------------------------------------------- */

/* The same functions on plain threads, once they have been put before libc's. */
TEST(UnseenLocks, plain_thread)
{
    struct timespec time = {0, 1000000}, limit;
    pthread_t thread;

    ASSERT_EQ(pthread_mutex_init(&mutex, NULL), 0);
    run_fleet(1, 2, contend);
    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    EXPECT_EQ(pthread_create(&thread, NULL, until_given, NULL), 0);
    EXPECT_EQ(sem_post(&semaphore), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(nanosleep(&time, NULL), 0);
    EXPECT_EQ(sleep(0), 0);
    EXPECT_EQ(poll(NULL, 0, 1), 0);
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    limit = from_now(CLOCK_REALTIME, 5);
    EXPECT_EQ(pthread_cond_timedwait(&condition, &guard, &limit), ETIMEDOUT);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}
