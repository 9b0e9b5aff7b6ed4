/* SPDX-License-Identifier: MIT
 *
 * cancel_worker.c - pthread_cancel of a worker, by another worker and by a plain thread, while it
 * waits and while it computes. Cleanup runs on the worker. The worker ends as any other, and
 * pthread_join tells that it was cancelled.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Waits, each for good ---- */

static int ends[2];
static int sockets[2];
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void in_read(void)
{
    char byte;

    (void)!read(ends[0], &byte, 1);
}

static void in_recv(void)
{
    char byte;

    (void)!recv(sockets[0], &byte, 1, 0);
}

static void in_poll(void)
{
    struct pollfd fd = {ends[0], POLLIN, 0};

    poll(&fd, 1, -1);
}

static void in_ppoll(void)
{
    struct pollfd fd = {ends[0], POLLIN, 0};
    sigset_t all;

    sigfillset(&all);
    ppoll(&fd, 1, NULL, &all);
}

static void in_select(void)
{
    fd_set set;

    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    select(ends[0] + 1, &set, NULL, NULL, NULL);
}

static void in_nanosleep(void)
{
    struct timespec duration = {100, 0};

    nanosleep(&duration, NULL);
}

static void in_pause(void)
{
    pause();
}

static void in_sigsuspend(void)
{
    sigset_t all;

    sigfillset(&all);
    sigsuspend(&all);
}

static void in_sigwaitinfo(void)
{
    sigset_t all;

    memset(&all, 0xff, sizeof all);
    sigwaitinfo(&all, NULL);
}

static void in_sem_wait(void)
{
    sem_wait(&semaphore);
}

static void unlock(void *unused)
{
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static void in_cond_wait(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(1);
}

/* The child lives until the pipe ends, in tidy, and is no worker to cancel. */
static pid_t child;

static void in_waitpid(void)
{
    char byte;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    child = fork();
    if (child == 0) {
        close(ends[1]);
        (void)!read(ends[0], &byte, 1);
        _exit(0);
    }
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    waitpid(child, NULL, 0);
}

/* Data is always there: it never waits. */
static void in_reads(void)
{
    char byte = 0;

    for (;;) {
        if (read(sockets[0], &byte, 1) == 1)
            (void)!write(sockets[1], &byte, 1);
        UmsThreadYield(NULL);
    }
}

static void in_yields(void)
{
    for (;;) {
        UmsThreadYield(NULL);
        pthread_testcancel();
    }
}

static volatile long counted;

static void in_computing(void)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        counted++;
}

/* The cancellation meets the worker while it is ready, or where it computes. */
static void in_async_yields(void)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        UmsThreadYield(NULL);
}

static const struct wait {
    const char *name;
    void (*wait)(void);
} waits[] = {
    {"read", in_read},
    {"recv", in_recv},
    {"poll", in_poll},
    {"ppoll", in_ppoll},
    {"select", in_select},
    {"nanosleep", in_nanosleep},
    {"pause", in_pause},
    {"sigsuspend", in_sigsuspend},
    {"sigwaitinfo", in_sigwaitinfo},
    {"sem_wait", in_sem_wait},
    {"pthread_cond_wait", in_cond_wait},
    {"waitpid", in_waitpid},
    {"reads", in_reads},
    {"yields", in_yields},
    {"yields, asynchronously", in_async_yields},
    {"computing", in_computing},
};
enum { WAITS = sizeof waits / sizeof *waits };

/* ---- One worker, cancelled ---- */

static pthread_key_t key;

struct victim {
    const struct wait *wait;
    pthread_t thread;
    pid_t tid;
    int ready;
    int joining;
    int steps; /* digits: 2 and 1 the cleanup handlers, 3 the destructor */
};

static __thread struct victim *own;

static void note(void *step)
{
    own->steps = own->steps * 10 + (int)(long)step;
    if (gettid() != own->tid)
        own->steps = -1000;
}

static void last(void *param)
{
    struct victim *victim = param;
    long long begun = now_ms();

    while (!flag_get(&victim->joining) && elapsed_ms(begun) < 5000)
        usleep(1000);
    usleep(20000);
    note((void *)3L);
}

static void be_cancelled(struct worker *self)
{
    struct victim *victim = self->arg;

    own = victim;
    victim->tid = gettid();
    victim->thread = pthread_self();
    EXPECT_EQ(pthread_setspecific(key, victim), 0);
    pthread_cleanup_push(note, (void *)1L);
    pthread_cleanup_push(note, (void *)2L);
    flag_set(&victim->ready, 1);
    victim->wait->wait();
    FAIL("%s: came back", victim->wait->name);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
}

static DWORD WINAPI cancel_and_join(LPVOID param)
{
    struct victim *victim = param;
    void *result = NULL;

    EXPECT_OK(wait_until(&victim->ready, 5000));
    usleep(30000);
    EXPECT_EQ(pthread_cancel(victim->thread), 0);
    flag_set(&victim->joining, 1);
    EXPECT_EQ(pthread_join(victim->thread, &result), 0);
    EXPECT_THAT(result == PTHREAD_CANCELED, "%s: joined with %p", victim->wait->name, result);
    return 0;
}

/* Cancels from a worker that shares the scheduler. */
static void cancel_from_worker(struct worker *self)
{
    struct victim *victim = self->arg;

    for (int i = 0; i < 20; i++)
        UmsThreadYield(NULL);
    EXPECT_OK(yield_until(&victim->ready));
    EXPECT_EQ(pthread_cancel(victim->thread), 0);
    flag_set(&victim->joining, 1);
}

static void cancel_one(const struct wait *wait, bool from_worker)
{
    struct victim victim = {.wait = wait};
    struct fleet *fleet = fleet_create(from_worker ? 1 : 2, 2, FLEET_SHARED_READY);
    HANDLE thread = NULL;

    ASSERT_NE(fleet, NULL);
    fleet_set_limit(fleet, 15000);
    fleet_add(fleet, be_cancelled, &victim);
    if (from_worker)
        fleet_add(fleet, cancel_from_worker, &victim);
    else
        thread = CreateThread(NULL, 0, cancel_and_join, &victim, 0, NULL);
    ASSERT_THAT(fleet_run(fleet), "%s: the worker did not end", wait->name);
    EXPECT_THAT(victim.steps == 213, "%s: steps %d", wait->name, victim.steps);
    if (thread) {
        EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
        CloseHandle(thread);
    }
    fleet_destroy(fleet);
}

static void prepare(void)
{
    make_pipe(ends);
    make_sockets(sockets);
    EXPECT_EQ(sem_init(&semaphore, 0, 0), 0);
    EXPECT_EQ(pthread_key_create(&key, last), 0);
}

static void tidy(void)
{
    for (int i = 0; i < 2; i++) {
        close(ends[i]);
        close(sockets[i]);
    }
    if (child) {
        EXPECT_EQ(waitpid(child, NULL, 0), child);
        child = 0;
    }
    EXPECT_EQ(pthread_key_delete(key), 0);
}

static void cancel_everywhere(bool from_worker)
{
    for (int i = 0; i < WAITS && !tc_failures(); i++) {
        prepare();
        if (waits[i].wait == in_reads)
            EXPECT_EQ(write(sockets[1], "x", 1), 1);
        /* Beside one that computes for good no other worker of the same scheduler runs. */
        cancel_one(&waits[i], from_worker && waits[i].wait != in_computing);
        tidy();
    }
}

TEST(CancelWorker, by_a_plain_thread)
{
    cancel_everywhere(false);
    EXPECT_EQ(pthread_mutex_trylock(&mutex), 0);
    pthread_mutex_unlock(&mutex);
}

TEST(CancelWorker, by_a_worker)
{
    cancel_everywhere(true);
}
