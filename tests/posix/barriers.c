/* SPDX-License-Identifier: MIT
 *
 * barriers.c - barriers and spin locks.
 */
#include "assertion.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { PARTIES = 5, ROUNDS = 20 };

static pthread_barrier_t barrier;
static int serials, arrived[ROUNDS];

static void *meet(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        __atomic_fetch_add(&arrived[i], 1, __ATOMIC_RELAXED);
        int r = pthread_barrier_wait(&barrier);
        EXPECT(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
        EXPECT_EQ(__atomic_load_n(&arrived[i], __ATOMIC_RELAXED), PARTIES);
        if (r)
            __atomic_fetch_add(&serials, 1, __ATOMIC_RELAXED);
    }
    return unused;
}

ASSERTION(all_arrive_before_one_leaves)
{
    pthread_t others[PARTIES - 1];
    EXPECT_EQ(pthread_barrier_init(&barrier, NULL, PARTIES), 0);
    for (int i = 0; i < PARTIES - 1; i++)
        others[i] = start(meet, NULL);
    meet(NULL);
    for (int i = 0; i < PARTIES - 1; i++)
        join(others[i]);
    EXPECT_EQ(serials, ROUNDS);
    EXPECT_EQ(pthread_barrier_destroy(&barrier), 0);
}

ASSERTION(a_barrier_of_nobody_is_refused)
{
    EXPECT_EQ(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
}

ASSERTION(a_barrier_of_one_never_waits)
{
    EXPECT_EQ(pthread_barrier_init(&barrier, NULL, 1), 0);
    EXPECT_EQ(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
}

ASSERTION(a_shared_barrier_holds_processes_together)
{
    pthread_barrierattr_t attr;
    int status, kind;
    pthread_barrier_t *shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT(shared != MAP_FAILED);
    EXPECT_EQ(pthread_barrierattr_init(&attr), 0);
    EXPECT_EQ(pthread_barrierattr_getpshared(&attr, &kind), 0);
    EXPECT_EQ(kind, PTHREAD_PROCESS_PRIVATE);
    EXPECT_EQ(pthread_barrierattr_setpshared(&attr, 77), EINVAL);
    EXPECT_EQ(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), 0);
    EXPECT_EQ(pthread_barrier_init(shared, &attr, 2), 0);
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        sleep_ms(50);
        int r = pthread_barrier_wait(shared);
        _exit(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : 1);
    }
    int r = pthread_barrier_wait(shared);
    EXPECT(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

static pthread_spinlock_t spin;
static volatile int holds;

static void *hold_for_a_moment(void *unused)
{
    EXPECT_EQ(pthread_spin_lock(&spin), 0);
    set(&holds, 1);
    sleep_ms(50);
    set(&holds, 0);
    EXPECT_EQ(pthread_spin_unlock(&spin), 0);
    return unused;
}

ASSERTION(a_spin_lock_excludes)
{
    EXPECT_EQ(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
    pthread_t other = start(hold_for_a_moment, NULL);
    EXPECT(comes_true(&holds));
    EXPECT_EQ(pthread_spin_trylock(&spin), EBUSY);
    EXPECT_EQ(pthread_spin_lock(&spin), 0);
    EXPECT(!get(&holds));
    EXPECT_EQ(pthread_spin_unlock(&spin), 0);
    join(other);
    EXPECT_EQ(pthread_spin_destroy(&spin), 0);
}
