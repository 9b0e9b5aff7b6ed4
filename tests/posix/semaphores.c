/* SPDX-License-Identifier: MIT
 *
 * semaphores.c - semaphores with and without names.
 */
#include "assertion.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

static sem_t sem;

static void *post_soon(void *unused)
{
    sleep_ms(60);
    EXPECT_EQ(sem_post(&sem), 0);
    return unused;
}

ASSERTION(wait_takes_and_post_gives)
{
    int value;
    EXPECT_EQ(sem_init(&sem, 0, 2), 0);
    EXPECT_EQ(sem_wait(&sem), 0);
    EXPECT_EQ(sem_trywait(&sem), 0);
    EXPECT_ERRNO(sem_trywait(&sem), EAGAIN);
    EXPECT_EQ(sem_getvalue(&sem, &value), 0);
    EXPECT_EQ(value, 0);
    pthread_t other = start(post_soon, NULL);
    EXPECT_EQ(sem_wait(&sem), 0);
    join(other);
    EXPECT_EQ(sem_destroy(&sem), 0);
    EXPECT_ERRNO(sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
}

ASSERTION(timed_wait_times_out)
{
    EXPECT_EQ(sem_init(&sem, 0, 0), 0);
    struct timespec at = in_ms(CLOCK_REALTIME, 80);
    EXPECT_ERRNO(sem_timedwait(&sem, &at), ETIMEDOUT);
    EXPECT(now_on(CLOCK_REALTIME) >= at.tv_sec * 1000000000ll + at.tv_nsec);
    EXPECT_ERRNO(sem_timedwait(&sem, &(struct timespec){1, 1000000000}), EINVAL);
    EXPECT_EQ(sem_post(&sem), 0);
    EXPECT_EQ(sem_timedwait(&sem, &(struct timespec){1, 0}), 0); /* need not wait */
}

ASSERTION(names_lead_to_one_semaphore)
{
    char name[64];
    snprintf(name, sizeof name, "/posix-%d", getpid());
    EXPECT_ERRNO(sem_open(name, 0) == SEM_FAILED ? -1 : 0, ENOENT);
    sem_t *a = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    EXPECT(a != SEM_FAILED);
    EXPECT_ERRNO(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED ? -1 : 0, EEXIST);
    sem_t *b = sem_open(name, O_CREAT, 0600, 9);
    EXPECT(a == b);
    EXPECT_EQ(sem_wait(b), 0);
    EXPECT_ERRNO(sem_trywait(a), EAGAIN);
    EXPECT_EQ(sem_unlink(name), 0);
    EXPECT_ERRNO(sem_unlink(name), ENOENT);
    EXPECT_EQ(sem_post(a), 0);
    EXPECT_EQ(sem_close(a), 0);
    EXPECT_EQ(sem_close(b), 0);
}

ASSERTION(a_shared_one_is_posted_by_a_child)
{
    int status;
    sem_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_EQ(sem_init(shared, 1, 0), 0);
    pid_t child = fork();
    if (child == 0) {
        sleep_ms(60);
        _exit(sem_post(shared) ? 1 : 0);
    }
    EXPECT_EQ(sem_wait(shared), 0);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

static void post_it(int sig)
{
    sem_post(&sem);
}

ASSERTION(a_handler_posts)
{
    EXPECT_EQ(sem_init(&sem, 0, 0), 0);
    signal(SIGUSR1, post_it);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(sem_trywait(&sem), 0);
}
