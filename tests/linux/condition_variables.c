/* SPDX-License-Identifier: MIT
 *
 * condition_variables.c - pthread condition variables, barriers, read-write locks and once, between
 * workers and plain threads.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void wait_for_number(struct block_case *c)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    while (c->number == 0)
        EXPECT_EQ(pthread_cond_wait(&changed, &mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static void set_number(struct block_case *c)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    c->number = 1;
    EXPECT_EQ(pthread_cond_signal(&changed), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

BLOCK_TEST(ConditionVariables, signal, .block = wait_for_number, .complete = set_number)

static void wait_in_vain(struct block_case *c)
{
    struct timespec at;
    long long started = now_ms();

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += 150000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    EXPECT_EQ(pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &at), ETIMEDOUT);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    EXPECT_GE(elapsed_ms(started), 59);
}

BLOCK_TEST(ConditionVariables, timed_wait_times_out, .block = wait_in_vain)

/* ---- a bounded queue, workers and plain threads on both sides ---- */

enum { CAPACITY = 4, ITEMS = 400, PRODUCERS = 4, CONSUMERS = 4 };

static struct {
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    int items[CAPACITY];
    int head;
    int count;
    int taken[ITEMS * PRODUCERS * 2];
    int left; /* items still to be taken */
} queue;

static void put(int item)
{
    pthread_mutex_lock(&mutex);
    while (queue.count == CAPACITY)
        pthread_cond_wait(&queue.not_full, &mutex);
    queue.items[(queue.head + queue.count++) % CAPACITY] = item;
    pthread_cond_signal(&queue.not_empty);
    pthread_mutex_unlock(&mutex);
}

static bool take(void)
{
    pthread_mutex_lock(&mutex);
    while (queue.count == 0 && queue.left > 0)
        pthread_cond_wait(&queue.not_empty, &mutex);
    if (queue.left == 0) {
        pthread_mutex_unlock(&mutex);
        return false;
    }
    queue.taken[queue.items[queue.head]]++;
    queue.head = (queue.head + 1) % CAPACITY;
    queue.count--;
    if (--queue.left == 0)
        pthread_cond_broadcast(&queue.not_empty);
    pthread_cond_signal(&queue.not_full);
    pthread_mutex_unlock(&mutex);
    return true;
}

static void produce(struct worker *self)
{
    for (int i = 0; i < ITEMS; i++) {
        put(self->index * ITEMS + i);
        if (i % 16 == 0)
            UmsThreadYield(NULL);
    }
}

static void consume(struct worker *self)
{
    while (take()) {
    }
}

static void *produce_plain(void *param)
{
    for (int i = 0; i < ITEMS; i++)
        put((int)(long)param * ITEMS + i);
    return NULL;
}

static void run_queue(int schedulers, bool plain)
{
    struct fleet *fleet = fleet_create(schedulers, PRODUCERS + CONSUMERS, FLEET_SHARED_READY);
    int producers = plain ? 2 * PRODUCERS : PRODUCERS;
    pthread_t threads[PRODUCERS];

    ASSERT_NE(fleet, NULL);
    memset(&queue, 0, sizeof queue);
    pthread_cond_init(&queue.not_empty, NULL);
    pthread_cond_init(&queue.not_full, NULL);
    queue.left = ITEMS * producers;
    for (int i = 0; i < PRODUCERS; i++)
        fleet_add(fleet, produce, NULL);
    for (int i = 0; i < CONSUMERS; i++)
        fleet_add(fleet, consume, NULL);
    for (long i = 0; plain && i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, produce_plain, (void *)(PRODUCERS + i));
    ASSERT_OK(fleet_run(fleet));
    for (int i = 0; plain && i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < ITEMS * producers; i++) {
        if (queue.taken[i] != 1) {
            FAIL("item %d was taken %d times", i, queue.taken[i]);
            break;
        }
    }
    fleet_destroy(fleet);
}

CALL_TEST(ConditionVariables, bounded_queue_one_scheduler, run_queue(1, false))
CALL_TEST(ConditionVariables, bounded_queue_two_schedulers, run_queue(2, false))
CALL_TEST(ConditionVariables, bounded_queue_with_plain_threads, run_queue(2, true))

/* ---- barrier, read-write lock, once ---- */

enum { PARTY = 6 };
static pthread_barrier_t barrier;
static int serial;

static void meet(struct worker *self)
{
    for (int i = 0; i < 20; i++) {
        int result = pthread_barrier_wait(&barrier);

        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            flag_add(&serial, 1);
        else
            EXPECT_EQ(result, 0);
    }
}

TEST(ConditionVariables, barrier)
{
    serial = 0;
    EXPECT_EQ(pthread_barrier_init(&barrier, NULL, PARTY), 0);
    ASSERT_OK(FLEET_RUN(2, FLEET_SHARED_READY, {PARTY, meet, NULL}));
    EXPECT_EQ(serial, 20);
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int readers;
static int writers;

static void read_and_write(struct worker *self)
{
    for (int i = 0; i < 40; i++) {
        if ((i + self->index) % 5 == 0) {
            EXPECT_EQ(pthread_rwlock_wrlock(&rwlock), 0);
            EXPECT_EQ(flag_add(&writers, 1), 1);
            EXPECT_EQ(flag_get(&readers), 0);
            usleep(100);
            flag_add(&writers, -1);
        } else {
            EXPECT_EQ(pthread_rwlock_rdlock(&rwlock), 0);
            flag_add(&readers, 1);
            EXPECT_EQ(flag_get(&writers), 0);
            UmsThreadYield(NULL);
            flag_add(&readers, -1);
        }
        EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
        if (tc_failures() > 3)
            return;
    }
}

TEST(ConditionVariables, read_write_lock)
{
    FLEET_RUN(2, FLEET_SHARED_READY, {8, read_and_write, NULL});
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

static void initialise(void)
{
    usleep(2000);
    flag_add(&initialised, 1);
}

static void need_it(struct worker *self)
{
    EXPECT_EQ(pthread_once(&once, initialise), 0);
    EXPECT_EQ(flag_get(&initialised), 1);
}

TEST(ConditionVariables, once_that_blocks)
{
    FLEET_RUN(2, FLEET_SHARED_READY, {8, need_it, NULL});
    EXPECT_EQ(initialised, 1);
}

/* ---- A mutex that looks wanted, and then is ---- */

enum { TURNS = 200, PATIENCE_MS = 3000 };
static int whose_turn;
static _Atomic int asks, has_it;
static _Atomic pid_t asker;

static void *ask_for_the_mutex(void *arg)
{
    asker = gettid();
    while (!asks)
        usleep(200);
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    has_it = 1;
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    return arg;
}

static void wait_until_it_sleeps(void)
{
    char path[64], line[256];
    long long started = now_ms();
    bool sleeps = false;

    while (!sleeps && elapsed_ms(started) < PATIENCE_MS) {
        snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)asker);
        FILE *file = fopen(path, "r");
        sleeps = file && fgets(line, sizeof line, file) && strncmp(line, "202 ", 4) == 0;
        if (file)
            fclose(file);
    }
    EXPECT_NE(sleeps, 0);
}

/* Two workers take turns: each comes back from its wait with a mutex that is marked as wanted, by nobody. Then a
 * thread does want it, and the worker that has let it go makes no call after that. */
static void take_turns(struct worker *self)
{
    pthread_t thread;
    bool last = self->index == 1;

    if (last)
        EXPECT_EQ(pthread_create(&thread, NULL, ask_for_the_mutex, NULL), 0);
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    for (int i = 0; i < TURNS; i++) {
        while (whose_turn != self->index)
            EXPECT_EQ(pthread_cond_wait(&changed, &mutex), 0);
        whose_turn = !self->index;
        EXPECT_EQ(pthread_cond_signal(&changed), 0);
    }
    if (last) {
        asks = 1;
        wait_until_it_sleeps();
    }
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    if (!last)
        return;
    long long started = now_ms();
    while (!has_it && elapsed_ms(started) < PATIENCE_MS)
        ;
    EXPECT_NE(has_it, 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
}

TEST(ConditionVariables, a_thread_gets_the_mutex_of_busy_workers)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet_add(fleet, take_turns, NULL) && fleet_add(fleet, take_turns, NULL), 0);
    EXPECT_NE(fleet_run(fleet), 0);
}
