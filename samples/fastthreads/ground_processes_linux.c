/* SPDX-License-Identifier: MIT
 *
 * ground_processes_linux.c - each thread is a process made by fork: what Ultrix had to offer.
 *
 * Forked processes share what ft_allocate gave (mapped before the fork) and nothing else: locks and
 * conditions in it are the C library's, shared between processes. A child that ends otherwise than
 * by returning from its body is for its joiner the same.
 */
#define _GNU_SOURCE
#include "ground.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(struct ft_lock), "a lock fits");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(struct ft_condition), "a condition fits");

struct ft_thread {
    pid_t process;
};

static unsigned long forks;

static struct ft_thread *process_fork(int priority, void (*body)(void *), void *arg)
{
    struct ft_thread *thread = malloc(sizeof(*thread));

    UNREFERENCED_PARAMETER(priority);
    if (!thread) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    thread->process = fork();
    if (thread->process == 0) {
        body(arg);
        _exit(0); /* what was buffered before the fork is the parent's to write */
    }
    if (thread->process < 0) {
        free(thread);
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    forks++;
    return thread;
}

static void process_join(struct ft_thread *thread)
{
    while (waitpid(thread->process, NULL, 0) < 0 && errno == EINTR)
        ;
    free(thread);
}

static void process_yield(void)
{
    sched_yield();
}

static void process_lock_init(struct ft_lock *lock)
{
    pthread_mutexattr_t shared;

    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init((pthread_mutex_t *)lock->room, &shared);
    pthread_mutexattr_destroy(&shared);
}

static void process_acquire(struct ft_lock *lock)
{
    pthread_mutex_lock((pthread_mutex_t *)lock->room);
}

static void process_release(struct ft_lock *lock)
{
    pthread_mutex_unlock((pthread_mutex_t *)lock->room);
}

static void process_condition_init(struct ft_condition *condition)
{
    pthread_condattr_t shared;

    pthread_condattr_init(&shared);
    pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_cond_init((pthread_cond_t *)condition->room, &shared);
    pthread_condattr_destroy(&shared);
}

static void process_wait(struct ft_condition *condition, struct ft_lock *lock)
{
    pthread_cond_wait((pthread_cond_t *)condition->room, (pthread_mutex_t *)lock->room);
}

static void process_signal(struct ft_condition *condition)
{
    pthread_cond_signal((pthread_cond_t *)condition->room);
}

static void process_broadcast(struct ft_condition *condition)
{
    pthread_cond_broadcast((pthread_cond_t *)condition->room);
}

static void *process_allocate(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static void process_free(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}

/* The calling thread is the first one: what it does is to be seen by the caller. */
static DWORD process_run(const struct ft_options *options, void (*first)(void *), void *arg,
                         struct ft_statistics *statistics)
{
    cpu_set_t before;
    cpu_set_t some;
    int wanted = options->processors;

    if (sched_getaffinity(0, sizeof(before), &before) != 0)
        return ERROR_NOT_SUPPORTED;
    CPU_ZERO(&some);
    for (int i = 0; i < CPU_SETSIZE && wanted > 0; i++) {
        if (CPU_ISSET(i, &before)) {
            CPU_SET(i, &some);
            wanted--;
        }
    }
    forks = 0;
    sched_setaffinity(0, sizeof(some), &some);
    first(arg);
    sched_setaffinity(0, sizeof(before), &before);
    statistics->forks = forks;
    statistics->created = forks;
    return 0;
}

const struct ft_ground_calls ft__processes = {
    .run = process_run,
    .fork = process_fork,
    .join = process_join,
    .yield = process_yield,
    .lock_init = process_lock_init,
    .acquire = process_acquire,
    .release = process_release,
    .condition_init = process_condition_init,
    .wait = process_wait,
    .signal = process_signal,
    .broadcast = process_broadcast,
    .allocate = process_allocate,
    .free = process_free,
};
