/* SPDX-License-Identifier: MIT
 *
 * futex_tokens.c - no wake-up of a futex is lost, and none is used twice: workers of two schedulers and plain
 * threads wait for each other, with time-outs and signals.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 6, THREADS = 3, PLAYERS = WORKERS + THREADS, SPREAD_NS = 1500000 };

static long futex(_Atomic uint32_t *at, int operation, unsigned value, const void *time_or_count,
                  _Atomic uint32_t *second, unsigned third)
{
    return syscall(SYS_futex, at, operation, value, time_or_count, second, third);
}

static uint32_t draw(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

static struct fleet *two_schedulers(worker_body body)
{
    struct fleet *fleet = fleet_create(2, WORKERS, FLEET_SHARED_READY);

    for (int i = 0; fleet && i < WORKERS; i++)
        fleet_add(fleet, body, NULL);
    return fleet;
}

static void start_threads(pthread_t *threads, void *(*body)(void *))
{
    for (int i = 0; i < THREADS; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)(WORKERS + i)), 0);
}

static void join_threads(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        EXPECT_EQ(pthread_join(threads[i], NULL), 0);
}

/* ---- One token goes round: whoever misses a wake-up stops everybody ---- */

enum { ROUNDS = 300 };

static _Atomic uint32_t turn[PLAYERS]; /* 1: it is this one's */

static void pass_on(int me)
{
    int next = (me * 4 + 1) % PLAYERS; /* a round through all of them, workers and threads mixed */

    for (int i = 0; i < ROUNDS; i++) {
        while (!atomic_exchange(&turn[me], 0)) {
            long r = futex(&turn[me], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);

            EXPECT_OK(r == 0 || errno == EAGAIN);
        }
        atomic_store(&turn[next], 1);
        EXPECT_LE(futex(&turn[next], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0), 1);
    }
}

static void pass_on_worker(struct worker *self)
{
    pass_on(self->index);
}

static void *pass_on_thread(void *index)
{
    pass_on((int)(intptr_t)index);
    return NULL;
}

/* The step of `next` must lead through all. */
static int round_length(void)
{
    int at = 0, length = 0;

    do {
        at = (at * 4 + 1) % PLAYERS;
        length++;
    } while (at && length <= PLAYERS);
    return length;
}

TEST(FutexTokens, one_goes_round)
{
    struct fleet *fleet = two_schedulers(pass_on_worker);
    pthread_t threads[THREADS];

    ASSERT_NE(fleet, NULL);
    ASSERT_EQ(round_length(), PLAYERS);
    start_threads(threads, pass_on_thread);
    atomic_store(&turn[0], 1);
    ASSERT_OK(fleet_run(fleet));
    join_threads(threads);
    fleet_destroy(fleet);
    EXPECT_EQ(atomic_load(&turn[0]), 1);
}

/* ---- Every wake-up that a wake says it gave has ended a wait ---- */

enum { WAITS = 150 };

static _Atomic uint32_t words[2]; /* they stay 0: no wait is refused */
static _Atomic long given, used, interrupted, timed_out, moved;
static _Atomic int waiting; /* players that have waits to make */

static void wait_and_wake(uint32_t seed)
{
    for (int i = 0; i < WAITS; i++) {
        uint32_t choice = draw(&seed) >> 8;
        struct timespec limit = {0, 1 + draw(&seed) % SPREAD_NS};
        _Atomic uint32_t *word = &words[choice & 1];
        long r;

        if (choice % 16 == 0) {
            r = futex(word, FUTEX_REQUEUE_PRIVATE, 0, (void *)2L, &words[!(choice & 1)], 0);
            EXPECT_GE(r, 0);
            atomic_fetch_add(&moved, r);
        }
        if (choice % 3) {
            r = futex(word, FUTEX_WAKE_PRIVATE, 1 + choice % 3, NULL, NULL, 0);
            EXPECT_GE(r, 0);
            atomic_fetch_add(&given, r);
        }
        r = futex(word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
        if (r == 0) {
            atomic_fetch_add(&used, 1);
        } else if (errno == ETIMEDOUT) {
            atomic_fetch_add(&timed_out, 1);
        } else {
            EXPECT_EQ(errno, EINTR);
            atomic_fetch_add(&interrupted, 1);
        }
    }
    atomic_fetch_sub(&waiting, 1);
}

static pthread_t everybody[PLAYERS];
static _Atomic int known;

static void wait_and_wake_worker(struct worker *self)
{
    everybody[self->index] = pthread_self();
    atomic_fetch_add(&known, 1);
    wait_and_wake((uint32_t)self->index + 1);
    while (atomic_load(&waiting)) /* a thread that signals may still name this one */
        UmsThreadYield(self);
}

static void *wait_and_wake_thread(void *index)
{
    wait_and_wake((uint32_t)(intptr_t)index + 1);
    return NULL;
}

static void on_signal(int number)
{
}

static void *disturb(void *unused)
{
    uint32_t seed = 1;

    while (atomic_load(&known) < WORKERS)
        usleep(1000);
    for (int i = 0; i < 100 && atomic_load(&waiting) > 2; i++) {
        pthread_kill(everybody[(draw(&seed) >> 8) % WORKERS], SIGUSR2);
        usleep(500);
    }
    atomic_fetch_sub(&waiting, 1);
    return unused;
}

TEST(FutexTokens, each_is_used_once)
{
    struct fleet *fleet = two_schedulers(wait_and_wake_worker);
    struct sigaction action = {.sa_handler = on_signal}, before;
    pthread_t threads[THREADS], nuisance;

    ASSERT_NE(fleet, NULL);
    atomic_store(&waiting, PLAYERS + 1);
    ASSERT_EQ(sigaction(SIGUSR2, &action, &before), 0);
    EXPECT_EQ(pthread_create(&nuisance, NULL, disturb, NULL), 0);
    start_threads(threads, wait_and_wake_thread);
    ASSERT_OK(fleet_run(fleet));
    join_threads(threads);
    EXPECT_EQ(pthread_join(nuisance, NULL), 0);
    sigaction(SIGUSR2, &before, NULL);
    fleet_destroy(fleet);
    tc_note("%ld given, %ld timed out, %ld interrupted, %ld moved\n", atomic_load(&given),
            atomic_load(&timed_out), atomic_load(&interrupted), atomic_load(&moved));
    EXPECT_EQ(atomic_load(&used), atomic_load(&given));
    EXPECT_GT(atomic_load(&given), 0);
}

/* ---- The same by libc's semaphore and condition variable ---- */

enum { TOKENS = 150 };

static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static long stock;

/* Every second player makes TOKENS tokens, and the one before it takes as many. The last has no
 * partner and takes none. */
static void trade(int me)
{
    for (int i = 0; i < TOKENS && me < PLAYERS - 1; i++) {
        if (me % 2) {
            EXPECT_EQ(sem_post(&semaphore), 0);
            pthread_mutex_lock(&mutex);
            stock++;
            pthread_cond_signal(&filled);
            pthread_mutex_unlock(&mutex);
        } else {
            while (sem_wait(&semaphore) != 0)
                EXPECT_EQ(errno, EINTR);
            pthread_mutex_lock(&mutex);
            while (!stock)
                pthread_cond_wait(&filled, &mutex);
            stock--;
            pthread_mutex_unlock(&mutex);
        }
    }
}

static void trade_worker(struct worker *self)
{
    trade(self->index);
}

static void *trade_thread(void *index)
{
    trade((int)(intptr_t)index);
    return NULL;
}

TEST(FutexTokens, semaphores_and_conditions_lose_none)
{
    struct fleet *fleet = two_schedulers(trade_worker);
    pthread_t threads[THREADS];
    int left;

    ASSERT_NE(fleet, NULL);
    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    start_threads(threads, trade_thread);
    ASSERT_OK(fleet_run(fleet));
    join_threads(threads);
    fleet_destroy(fleet);
    EXPECT_EQ(sem_getvalue(&semaphore, &left), 0);
    EXPECT_EQ(left, 0);
    EXPECT_EQ(stock, 0);
}
