/* SPDX-License-Identifier: MIT
 *
 * conditions.c - condition variables.
 */
#include "assertion.h"

#include <sys/mman.h>
#include <sys/wait.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waiting, woken, go;

static void *wait_for_go(void *unused)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!go)
        EXPECT_EQ(pthread_cond_wait(&condition, &mutex), 0);
    go--;
    woken++;
    EXPECT_EQ(pthread_mutex_trylock(&mutex), EBUSY); /* held on return */
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void until(int *count, int value)
{
    for (int i = 0; i < 10000; i++) {
        pthread_mutex_lock(&mutex);
        int is = *count;
        pthread_mutex_unlock(&mutex);
        if (is >= value)
            return;
        sleep_ms(1);
    }
    EXPECT(!"waited for 10 seconds");
}

ASSERTION(signal_lets_one_go)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = start(wait_for_go, NULL);
    until(&waiting, 4);
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&mutex);
        go++;
        EXPECT_EQ(pthread_cond_signal(&condition), 0);
        pthread_mutex_unlock(&mutex);
        until(&woken, i + 1);
        EXPECT_EQ(woken, i + 1);
    }
    for (int i = 0; i < 4; i++)
        join(threads[i]);
    EXPECT_EQ(pthread_cond_destroy(&condition), 0);
}

ASSERTION(broadcast_lets_all_go)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = start(wait_for_go, NULL);
    until(&waiting, 4);
    pthread_mutex_lock(&mutex);
    go = 4;
    EXPECT_EQ(pthread_cond_broadcast(&condition), 0);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 4; i++)
        join(threads[i]);
    EXPECT_EQ(woken, 4);
}

static void *signal_soon(void *unused)
{
    sleep_ms(50);
    pthread_mutex_lock(&mutex);
    go = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

ASSERTION(self_waits_and_is_signalled)
{
    for (int i = 0; i < 5; i++) {
        go = 0;
        pthread_mutex_lock(&mutex);
        pthread_t other = start(signal_soon, NULL);
        while (!go)
            EXPECT_EQ(pthread_cond_wait(&condition, &mutex), 0);
        pthread_mutex_unlock(&mutex);
        join(other);
    }
}

static void times_out_by(clockid_t clock)
{
    pthread_condattr_t attr;
    clockid_t told;
    EXPECT_EQ(pthread_condattr_init(&attr), 0);
    EXPECT_EQ(pthread_condattr_getclock(&attr, &told), 0);
    EXPECT_EQ(told, CLOCK_REALTIME);
    EXPECT_EQ(pthread_condattr_setclock(&attr, clock), 0);
    EXPECT_EQ(pthread_condattr_getclock(&attr, &told), 0);
    EXPECT_EQ(told, clock);
    EXPECT_EQ(pthread_cond_init(&condition, &attr), 0);
    pthread_mutex_lock(&mutex);
    struct timespec at = in_ms(clock, 120);
    EXPECT_EQ(pthread_cond_timedwait(&condition, &mutex, &at), ETIMEDOUT);
    EXPECT(now_on(clock) >= at.tv_sec * 1000000000ll + at.tv_nsec);
    EXPECT_EQ(pthread_mutex_trylock(&mutex), EBUSY);
    EXPECT_EQ(pthread_cond_timedwait(&condition, &mutex, &(struct timespec){1, 0}), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

ASSERTION(timed_wait_by_the_realtime_clock)
{
    times_out_by(CLOCK_REALTIME);
}
ASSERTION(timed_wait_by_the_monotonic_clock)
{
    times_out_by(CLOCK_MONOTONIC);
}
ASSERTION(a_clock_of_processor_time_is_refused)
{
    pthread_condattr_t attr;
    EXPECT_EQ(pthread_condattr_init(&attr), 0);
    EXPECT_EQ(pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
}

ASSERTION(no_nanoseconds_beyond_a_second)
{
    pthread_mutex_lock(&mutex);
    EXPECT_EQ(pthread_cond_timedwait(&condition, &mutex, &(struct timespec){0, -1}), EINVAL);
    EXPECT_EQ(pthread_cond_timedwait(&condition, &mutex, &(struct timespec){0, 1000000000}),
              EINVAL);
}

struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int go, back;
};

ASSERTION(a_shared_condition_is_signalled_by_a_child)
{
    pthread_mutexattr_t ma;
    pthread_condattr_t ca;
    int status;
    struct shared *s =
        mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&ma);
    pthread_condattr_init(&ca);
    EXPECT_EQ(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED), 0);
    EXPECT_EQ(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED), 0);
    EXPECT_EQ(pthread_mutex_init(&s->mutex, &ma), 0);
    EXPECT_EQ(pthread_cond_init(&s->condition, &ca), 0);
    pid_t child = fork();
    EXPECT(child >= 0);
    pthread_mutex_lock(&s->mutex);
    if (child == 0) {
        s->go = 1;
        pthread_cond_broadcast(&s->condition);
        while (!s->back)
            pthread_cond_wait(&s->condition, &s->mutex);
        pthread_mutex_unlock(&s->mutex);
        _exit(0);
    }
    while (!s->go)
        EXPECT_EQ(pthread_cond_wait(&s->condition, &s->mutex), 0);
    s->back = 1;
    pthread_cond_broadcast(&s->condition);
    pthread_mutex_unlock(&s->mutex);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}
