/* SPDX-License-Identifier: MIT
 *
 * mutexes.c - mutexes: types, protocols, robustness, time.
 */
#include "assertion.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

static pthread_mutex_t mutex;
static volatile int holds, let_go;

static void make(int type, int protocol, int robust)
{
    pthread_mutexattr_t attr;
    int value;
    EXPECT_EQ(pthread_mutexattr_init(&attr), 0);
    EXPECT_EQ(pthread_mutexattr_settype(&attr, type), 0);
    EXPECT_EQ(pthread_mutexattr_setprotocol(&attr, protocol), 0);
    EXPECT_EQ(pthread_mutexattr_setrobust(&attr, robust), 0);
    EXPECT_EQ(pthread_mutexattr_gettype(&attr, &value), 0);
    EXPECT_EQ(value, type);
    EXPECT_EQ(pthread_mutexattr_getprotocol(&attr, &value), 0);
    EXPECT_EQ(value, protocol);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attr), 0);
    pthread_mutexattr_destroy(&attr);
}

static void *hold(void *unused)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    set(&holds, 1);
    EXPECT(comes_true(&let_go));
    set(&holds, 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    return unused;
}

static void *let_go_soon(void *unused)
{
    sleep_ms(80);
    set(&let_go, 1);
    return unused;
}

/* Held by another, let go while this one waits. */
static void excludes(int type, int protocol, int robust)
{
    make(type, protocol, robust);
    for (int i = 0; i < 3; i++) {
        set(&let_go, 0);
        pthread_t holder = start(hold, NULL);
        EXPECT(comes_true(&holds));
        EXPECT_EQ(pthread_mutex_trylock(&mutex), EBUSY);
        struct timespec at = in_ms(CLOCK_REALTIME, 60);
        EXPECT_EQ(pthread_mutex_timedlock(&mutex, &at), ETIMEDOUT);
        EXPECT(now_on(CLOCK_REALTIME) >= at.tv_sec * 1000000000ll + at.tv_nsec);
        pthread_t helper = start(let_go_soon, NULL);
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        EXPECT(!get(&holds));
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
        join(holder);
        join(helper);
    }
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

CALL_ASSERTION(normal_excludes,
               excludes(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED))
CALL_ASSERTION(recursive_excludes,
               excludes(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED))
CALL_ASSERTION(error_checking_excludes,
               excludes(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED))
CALL_ASSERTION(robust_excludes,
               excludes(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST))
CALL_ASSERTION(inheriting_excludes,
               excludes(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED))
CALL_ASSERTION(inheriting_and_robust_excludes,
               excludes(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_ROBUST))

static void owner_is_known(int protocol)
{
    make(PTHREAD_MUTEX_ERRORCHECK, protocol, PTHREAD_MUTEX_STALLED);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    sleep_ms(5);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EDEADLK);
    sleep_ms(5);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
}
ASSERTION(error_checking_knows_its_owner)
{
    owner_is_known(PTHREAD_PRIO_NONE);
}
ASSERTION(inheriting_knows_its_owner)
{
    owner_is_known(PTHREAD_PRIO_INHERIT);
}

static void *try_it(void *unused)
{
    int error = pthread_mutex_trylock(&mutex);
    if (!error)
        pthread_mutex_unlock(&mutex);
    return (void *)(long)error;
}

ASSERTION(recursive_counts)
{
    make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ((long)join(start(try_it, NULL)), EBUSY);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    }
    EXPECT_EQ((long)join(start(try_it, NULL)), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
}

ASSERTION(a_normal_one_locked_twice_waits)
{
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    struct timespec at = in_ms(CLOCK_REALTIME, 60);
    EXPECT_EQ(pthread_mutex_timedlock(&mutex, &at), ETIMEDOUT);
    EXPECT_EQ(pthread_mutex_timedlock(&mutex, &(struct timespec){0, -1}), EINVAL);
}

static void *end_holding(void *unused)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    set(&holds, 1);
    sleep_ms(50);
    return unused;
}

static void the_dead_leave_it(int protocol)
{
    make(PTHREAD_MUTEX_NORMAL, protocol, PTHREAD_MUTEX_ROBUST);
    pthread_t owner = start(end_holding, NULL);
    EXPECT(comes_true(&holds));
    EXPECT_EQ(pthread_mutex_lock(&mutex), EOWNERDEAD);
    EXPECT_EQ(pthread_mutex_consistent(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    join(owner);
    set(&holds, 0);
    owner = start(end_holding, NULL);
    join(owner);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EOWNERDEAD);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0); /* not made consistent */
    EXPECT_EQ(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
}
ASSERTION(robust_tells_that_its_owner_died)
{
    the_dead_leave_it(PTHREAD_PRIO_NONE);
}
ASSERTION(inheriting_robust_tells_that_its_owner_died)
{
    the_dead_leave_it(PTHREAD_PRIO_INHERIT);
}

ASSERTION(a_ceiling_is_kept)
{
    pthread_mutexattr_t attr;
    int ceiling, old;
    EXPECT_EQ(pthread_mutexattr_init(&attr), 0);
    EXPECT_EQ(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT), 0);
    EXPECT_EQ(pthread_mutexattr_setprioceiling(&attr, 10), 0);
    EXPECT_EQ(pthread_mutexattr_getprioceiling(&attr, &ceiling), 0);
    EXPECT_EQ(ceiling, 10);
    EXPECT_EQ(pthread_mutexattr_setprioceiling(&attr, 1000), EINVAL);
    EXPECT_EQ(pthread_mutex_init(&mutex, &attr), 0);
    EXPECT_EQ(pthread_mutex_getprioceiling(&mutex, &ceiling), 0);
    EXPECT_EQ(ceiling, 10);
    struct sched_param param = {.sched_priority = 5};
    if (sched_setscheduler(0, SCHED_FIFO, &param))
        SKIP("no real-time priority without privilege");
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    sleep_ms(2);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_setprioceiling(&mutex, 12, &old), 0);
    EXPECT_EQ(old, 10);
    EXPECT_EQ(sched_getscheduler(0), SCHED_FIFO);
    EXPECT_EQ(sched_getparam(0, &param), 0);
    EXPECT_EQ(param.sched_priority, 5);
}

ASSERTION(a_shared_one_is_inherited_from_a_dead_child)
{
    pthread_mutexattr_t attr;
    int status;
    pthread_mutex_t *shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_EQ(pthread_mutexattr_init(&attr), 0);
    EXPECT_EQ(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), 0);
    EXPECT_EQ(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST), 0);
    EXPECT_EQ(pthread_mutex_init(shared, &attr), 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(shared);
        _exit(0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(pthread_mutex_lock(shared), EOWNERDEAD);
    EXPECT_EQ(pthread_mutex_consistent(shared), 0);
    EXPECT_EQ(pthread_mutex_unlock(shared), 0);
}

static long counter;
static void *count(void *unused)
{
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
ASSERTION(inheriting_loses_no_count)
{
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
    pthread_t a = start(count, NULL), b = start(count, NULL);
    count(NULL);
    join(a);
    join(b);
    EXPECT_EQ(counter, 60000);
}
