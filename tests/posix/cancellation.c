/* SPDX-License-Identifier: MIT
 *
 * cancellation.c - cancellation: states, types, points, cleanup, of other threads and of oneself.
 */
#include "assertion.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

static volatile int ready, cleaned, order;
static int pipe_fd[2];

static void clean(void *step)
{
    set(&cleaned, get(&cleaned) * 10 + (int)(long)step);
}

/* Each of these waits for good at a cancellation point. */
static void in_read(void)
{
    char byte;
    (void)!read(pipe_fd[0], &byte, 1);
}
static void in_poll(void)
{
    struct pollfd fd = {pipe_fd[0], POLLIN, 0};
    poll(&fd, 1, -1);
}
static void in_select(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pipe_fd[0], &set);
    select(pipe_fd[0] + 1, &set, NULL, NULL, NULL);
}
static void in_sleep(void)
{
    sleep(100);
}
static void in_pause(void)
{
    pause();
}
static void in_sigwait(void)
{
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigwait(&set, &sig);
}
static sem_t never;
static void in_sem_wait(void)
{
    sem_wait(&never);
}
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void unlock(void *m)
{
    EXPECT_EQ(pthread_mutex_unlock(m), 0); /* held again when cleanup runs */
}
static void in_cond_wait(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(1);
}
static void *sleep_long(void *unused)
{
    sleep_ms(1500);
    return unused;
}
static void in_join(void)
{
    pthread_join(start(sleep_long, NULL), NULL);
}
static void in_wait(void)
{
    if (fork() == 0) {
        sleep_ms(1500);
        _exit(0);
    }
    wait(NULL);
}

static void *at_point(void *wait_there)
{
    pthread_cleanup_push(clean, (void *)1L);
    pthread_cleanup_push(clean, (void *)2L);
    set(&ready, 1);
    ((void (*)(void))wait_there)();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel_in(void (*wait_there)(void))
{
    EXPECT_EQ(pipe(pipe_fd), 0);
    EXPECT_EQ(sem_init(&never, 0, 0), 0);
    pthread_t thread = start(at_point, (void *)wait_there);
    EXPECT(comes_true(&ready));
    sleep_ms(100);
    EXPECT_EQ(pthread_cancel(thread), 0);
    EXPECT(join(thread) == PTHREAD_CANCELED);
    EXPECT_EQ(get(&cleaned), 21); /* last pushed, first run */
}

CALL_ASSERTION(read_is_a_cancellation_point, cancel_in(in_read))
CALL_ASSERTION(poll_is_a_cancellation_point, cancel_in(in_poll))
CALL_ASSERTION(select_is_a_cancellation_point, cancel_in(in_select))
CALL_ASSERTION(sleep_is_a_cancellation_point, cancel_in(in_sleep))
CALL_ASSERTION(pause_is_a_cancellation_point, cancel_in(in_pause))
CALL_ASSERTION(sigwait_is_a_cancellation_point, cancel_in(in_sigwait))
CALL_ASSERTION(sem_wait_is_a_cancellation_point, cancel_in(in_sem_wait))
ASSERTION(cond_wait_is_a_cancellation_point_and_relocks)
{
    cancel_in(in_cond_wait);
    EXPECT_EQ(pthread_mutex_trylock(&mutex), 0);
}
CALL_ASSERTION(join_is_a_cancellation_point, cancel_in(in_join))
CALL_ASSERTION(wait_is_a_cancellation_point, cancel_in(in_wait))

/* ---- the calling thread is the one to be cancelled ---- */

static pthread_t first;
static void (*first_waits)(void);

static void *cancel_first(void *unused)
{
    EXPECT(comes_true(&ready));
    sleep_ms(100);
    EXPECT_EQ(pthread_cancel(first), 0);
    for (int i = 0; i < 5000 && get(&cleaned) != 21; i++)
        sleep_ms(1);
    EXPECT_EQ(get(&cleaned), 21);
    _exit(0);
    return unused;
}

static void first_cancelled_in(void (*wait_there)(void))
{
    EXPECT_EQ(pipe(pipe_fd), 0);
    EXPECT_EQ(sem_init(&never, 0, 0), 0);
    first = pthread_self();
    first_waits = wait_there;
    start(cancel_first, NULL);
    at_point((void *)wait_there);
    EXPECT(!"came back from where it should have been cancelled");
}

CALL_ASSERTION(self_in_read_is_cancelled_by_another, first_cancelled_in(in_read))
CALL_ASSERTION(self_in_sleep_is_cancelled_by_another, first_cancelled_in(in_sleep))
CALL_ASSERTION(self_in_cond_wait_is_cancelled_by_another, first_cancelled_in(in_cond_wait))
CALL_ASSERTION(self_in_sem_wait_is_cancelled_by_another, first_cancelled_in(in_sem_wait))
CALL_ASSERTION(self_in_poll_is_cancelled_by_another, first_cancelled_in(in_poll))
CALL_ASSERTION(self_in_pause_is_cancelled_by_another, first_cancelled_in(in_pause))

static void computes(void)
{
    for (;;) {
        for (volatile int i = 0; i < 10000; i++)
            ;
        pthread_testcancel();
    }
}
CALL_ASSERTION(self_is_cancelled_at_testcancel, first_cancelled_in(computes))

static void computes_asynchronously(void)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        order++;
}
CALL_ASSERTION(self_is_cancelled_asynchronously, first_cancelled_in(computes_asynchronously))

ASSERTION(self_cancels_itself_at_the_next_point)
{
    int before;
    EXPECT_EQ(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before), 0);
    EXPECT_EQ(before, PTHREAD_CANCEL_ENABLE);
    EXPECT_EQ(pthread_cancel(pthread_self()), 0);
    pthread_testcancel();
    sleep_ms(2); /* disabled: goes on */
    EXPECT_EQ(pthread_setcancelstate(77, NULL), EINVAL);
    EXPECT_EQ(pthread_setcanceltype(77, NULL), EINVAL);
    set(&ready, 1);
    pthread_cleanup_push(clean, (void *)1L);
    EXPECT_EQ(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL), 0);
    set(&order, 1);
    first = pthread_self();
    start(cancel_first, NULL);
    pthread_cleanup_push(clean, (void *)2L);
    pthread_testcancel();
    EXPECT(!"a pending cancellation was not acted upon");
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
}

/* ---- types and states of another thread ---- */

static void *asynchronous(void *unused)
{
    EXPECT_EQ(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL), 0);
    set(&ready, 1);
    for (;;)
        order++;
    return unused;
}
ASSERTION(asynchronous_cancellation_needs_no_point)
{
    pthread_t thread = start(asynchronous, NULL);
    EXPECT(comes_true(&ready));
    EXPECT_EQ(pthread_cancel(thread), 0);
    EXPECT(join(thread) == PTHREAD_CANCELED);
}

static void *disabled(void *unused)
{
    EXPECT_EQ(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL), 0);
    set(&ready, 1);
    sleep_ms(100);
    pthread_testcancel();
    return unused;
}
ASSERTION(a_disabled_thread_is_not_cancelled)
{
    pthread_t thread = start(disabled, (void *)7);
    EXPECT(comes_true(&ready));
    EXPECT_EQ(pthread_cancel(thread), 0);
    EXPECT(join(thread) == (void *)7);
}

static pthread_key_t key;
static void key_gone(void *value)
{
    set(&order, get(&cleaned) ? 1 : 2);
}
static void *with_key(void *unused)
{
    pthread_setspecific(key, &key);
    return at_point((void *)in_sleep) ? unused : NULL;
}
ASSERTION(destructors_run_after_cleanup)
{
    EXPECT_EQ(pthread_key_create(&key, key_gone), 0);
    pthread_t thread = start(with_key, NULL);
    EXPECT(comes_true(&ready));
    EXPECT_EQ(pthread_cancel(thread), 0);
    EXPECT(join(thread) == PTHREAD_CANCELED);
    EXPECT_EQ(get(&order), 1);
}
