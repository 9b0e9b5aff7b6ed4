/* SPDX-License-Identifier: MIT
 *
 * rwlocks.c - reader-writer locks.
 */
#include "assertion.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int holds, let_go;

static void *read_lock(void *unused)
{
    EXPECT_EQ(pthread_rwlock_rdlock(&lock), 0);
    set(&holds, 1);
    EXPECT(comes_true(&let_go));
    EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
    return unused;
}

static void *write_lock(void *unused)
{
    EXPECT_EQ(pthread_rwlock_wrlock(&lock), 0);
    set(&holds, 1);
    EXPECT(comes_true(&let_go));
    set(&holds, 0);
    EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
    return unused;
}

static void *let_go_soon(void *unused)
{
    sleep_ms(60);
    set(&let_go, 1);
    return unused;
}

ASSERTION(readers_share)
{
    pthread_t other = start(read_lock, NULL);
    EXPECT(comes_true(&holds));
    EXPECT_EQ(pthread_rwlock_rdlock(&lock), 0);
    EXPECT_EQ(pthread_rwlock_tryrdlock(&lock), 0);
    EXPECT_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
    struct timespec at = in_ms(CLOCK_REALTIME, 50);
    EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
    EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
    EXPECT_EQ(pthread_rwlock_timedwrlock(&lock, &at), ETIMEDOUT);
    EXPECT(now_on(CLOCK_REALTIME) >= at.tv_sec * 1000000000ll + at.tv_nsec);
    set(&let_go, 1);
    join(other);
    EXPECT_EQ(pthread_rwlock_destroy(&lock), 0);
}

ASSERTION(a_writer_is_alone)
{
    pthread_t other = start(write_lock, NULL);
    EXPECT(comes_true(&holds));
    EXPECT_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
    EXPECT_EQ(pthread_rwlock_trywrlock(&lock), EBUSY);
    struct timespec at = in_ms(CLOCK_REALTIME, 50);
    EXPECT_EQ(pthread_rwlock_timedrdlock(&lock, &at), ETIMEDOUT);
    EXPECT_EQ(pthread_rwlock_timedrdlock(&lock, &(struct timespec){0, -1}), EINVAL);
    pthread_t helper = start(let_go_soon, NULL);
    EXPECT_EQ(pthread_rwlock_rdlock(&lock), 0);
    EXPECT(!get(&holds));
    EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
    join(other);
    join(helper);
}

ASSERTION(a_writer_waits_for_readers)
{
    pthread_t other = start(read_lock, NULL);
    EXPECT(comes_true(&holds));
    long long began = now_on(CLOCK_MONOTONIC); /* first: the helper may begin at once */
    pthread_t helper = start(let_go_soon, NULL);
    EXPECT_EQ(pthread_rwlock_wrlock(&lock), 0);
    EXPECT(ms_since(began) >= 40);
    EXPECT_EQ(pthread_rwlock_wrlock(&lock), EDEADLK);
    EXPECT_EQ(pthread_rwlock_rdlock(&lock), EDEADLK);
    EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
    join(other);
    join(helper);
}
