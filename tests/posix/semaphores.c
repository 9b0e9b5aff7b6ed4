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
    CHECK_EQUAL(sem_post(&sem), 0);
    return unused;
}

ASSERTION(wait_takes_and_post_gives)
{
    int value;
    CHECK_EQUAL(sem_init(&sem, 0, 2), 0);
    CHECK_EQUAL(sem_wait(&sem), 0);
    CHECK_EQUAL(sem_trywait(&sem), 0);
    CHECK_FAILS(sem_trywait(&sem), EAGAIN);
    CHECK_EQUAL(sem_getvalue(&sem, &value), 0);
    CHECK_EQUAL(value, 0);
    pthread_t other = start(post_soon, NULL);
    CHECK_EQUAL(sem_wait(&sem), 0);
    join(other);
    CHECK_EQUAL(sem_destroy(&sem), 0);
    CHECK_FAILS(sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
}

ASSERTION(timed_wait_times_out)
{
    CHECK_EQUAL(sem_init(&sem, 0, 0), 0);
    struct timespec at = in_ms(CLOCK_REALTIME, 80);
    CHECK_FAILS(sem_timedwait(&sem, &at), ETIMEDOUT);
    CHECK(now_on(CLOCK_REALTIME) >= at.tv_sec * 1000000000ll + at.tv_nsec);
    CHECK_FAILS(sem_timedwait(&sem, &(struct timespec){1, 1000000000}), EINVAL);
    CHECK_EQUAL(sem_post(&sem), 0);
    CHECK_EQUAL(sem_timedwait(&sem, &(struct timespec){1, 0}), 0); /* need not wait */
}

ASSERTION(names_lead_to_one_semaphore)
{
    char name[64];
    snprintf(name, sizeof name, "/posix-%d", getpid());
    CHECK_FAILS(sem_open(name, 0) == SEM_FAILED ? -1 : 0, ENOENT);
    sem_t *a = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    CHECK(a != SEM_FAILED);
    CHECK_FAILS(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED ? -1 : 0, EEXIST);
    sem_t *b = sem_open(name, O_CREAT, 0600, 9);
    CHECK(a == b);
    CHECK_EQUAL(sem_wait(b), 0);
    CHECK_FAILS(sem_trywait(a), EAGAIN);
    CHECK_EQUAL(sem_unlink(name), 0);
    CHECK_FAILS(sem_unlink(name), ENOENT);
    CHECK_EQUAL(sem_post(a), 0);
    CHECK_EQUAL(sem_close(a), 0);
    CHECK_EQUAL(sem_close(b), 0);
}

ASSERTION(a_shared_one_is_posted_by_a_child)
{
    int status;
    sem_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK_EQUAL(sem_init(shared, 1, 0), 0);
    pid_t child = fork();
    if (child == 0) {
        sleep_ms(60);
        _exit(sem_post(shared) ? 1 : 0);
    }
    CHECK_EQUAL(sem_wait(shared), 0);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

static void post_it(int sig)
{
    sem_post(&sem);
}

ASSERTION(a_handler_posts)
{
    CHECK_EQUAL(sem_init(&sem, 0, 0), 0);
    signal(SIGUSR1, post_it);
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(sem_trywait(&sem), 0);
}
