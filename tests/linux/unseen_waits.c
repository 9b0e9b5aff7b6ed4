/* SPDX-License-Identifier: MIT
 *
 * unseen_waits.c - without a listener a worker that waits in one of libc's functions still leaves its
 * scheduler: a contended mutex must not stop the worker that holds it. Every test runs with UMSSHIM_DETECT=0.
 */
#include "block_case.h"
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Locks that workers of one scheduler share ------------------------------------------------------------ */

enum { ROUNDS = 100 };

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static int inside;

static void contend(struct worker *self)
{
    (void)self;
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        UmsThreadYield(NULL);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    }
}

static void run_fleet(int schedulers, int workers, void (*body)(struct worker *))
{
    struct fleet *fleet = fleet_create(schedulers, workers, 0);

    ASSERT_NE(fleet, NULL);
    fleet_set_limit(fleet, 15000);
    for (int i = 0; i < workers; i++)
        fleet_add(fleet, body, NULL);
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

static void contend_for(int kind, int protocol, int robust)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutexattr_setrobust(&attributes, robust);
    ASSERT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    run_fleet(1, 4, contend);
    run_fleet(2, 4, contend);
    EXPECT_EQ(pthread_mutex_destroy(&mutex), 0);
}

TEST(UnseenWaits, mutex)
{
    contend_for(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
}

TEST(UnseenWaits, recursive_mutex)
{
    contend_for(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
}

TEST(UnseenWaits, robust_mutex)
{
    contend_for(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
}

/* The error is the worker's, though another kernel thread asks. */
static void lock_twice(struct block_case *c)
{
    (void)c;
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_lock(&mutex), EDEADLK);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
}

TEST(UnseenWaits, error_checking_mutex)
{
    pthread_mutexattr_t attributes;
    struct block_case c = {0};

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    ASSERT_EQ(pthread_mutex_init(&mutex, &attributes), 0);
    run_in_worker(lock_twice, &c);
}

static void read_and_write(struct worker *self)
{
    for (int i = 0; i < ROUNDS; i++) {
        bool writes = (self->index + i) % 3 == 0;

        EXPECT_EQ((writes ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&rwlock), 0);
        if (writes)
            EXPECT_EQ(flag_add(&inside, 1), 1);
        UmsThreadYield(NULL);
        if (writes)
            EXPECT_EQ(flag_add(&inside, -1), 0);
        EXPECT_EQ(pthread_rwlock_unlock(&rwlock), 0);
    }
}

TEST(UnseenWaits, rwlock)
{
    ASSERT_EQ(pthread_rwlock_init(&rwlock, NULL), 0);
    run_fleet(1, 4, read_and_write);
}

/* ---- One waits, another of the same scheduler lets it go on -------------------------------------------------- */

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

static struct timespec from_now(clockid_t clock, int ms)
{
    struct timespec time;

    clock_gettime(clock, &time);
    time.tv_nsec += ms % 1000 * 1000000L;
    time.tv_sec += ms / 1000 + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void wait_for_condition(struct block_case *c)
{
    struct timespec limit = from_now(CLOCK_REALTIME, 10000);

    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    while (!c->number) {
        EXPECT_EQ(c->data ? pthread_cond_timedwait(&condition, &guard, &limit)
                          : pthread_cond_wait(&condition, &guard),
                  0);
    }
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}

static void signal_condition(struct block_case *c)
{
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    c->number = 1;
    EXPECT_EQ(pthread_cond_signal(&condition), 0);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}

TEST(UnseenWaits, condition)
{
    struct block_case c = {.block = wait_for_condition, .complete = signal_condition};

    run_block_case(&c);
}

TEST(UnseenWaits, condition_with_limit)
{
    struct block_case c = {.block = wait_for_condition, .complete = signal_condition, .data = &c};

    run_block_case(&c);
}

static void wait_too_long(struct block_case *c)
{
    struct timespec limit = from_now(CLOCK_MONOTONIC, 30);

    (void)c;
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    EXPECT_EQ(pthread_cond_clockwait(&condition, &guard, CLOCK_MONOTONIC, &limit), ETIMEDOUT);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}

TEST(UnseenWaits, condition_until)
{
    struct block_case c = {.block = wait_too_long};

    run_block_case(&c);
}

static void take(struct block_case *c)
{
    (void)c;
    EXPECT_EQ(sem_wait(&semaphore), 0);
}

static void give(struct block_case *c)
{
    (void)c;
    EXPECT_EQ(sem_post(&semaphore), 0);
}

TEST(UnseenWaits, semaphore)
{
    struct block_case c = {.block = take, .complete = give};

    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    run_block_case(&c);
}

/* ---- What waits inside libc: the call itself is led to the library ------------------------------------------ */

static void take_in_time(struct block_case *c)
{
    struct timespec limit;

    (void)c;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    EXPECT_EQ(sem_timedwait(&semaphore, &limit), 0);
}

TEST(UnseenWaits, semaphore_with_limit)
{
    struct block_case c = {.block = take_in_time, .complete = give};

    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    run_block_case(&c);
}

static void read_by_number(struct block_case *c)
{
    char byte = 0;

    EXPECT_EQ(syscall(SYS_read, c->fd[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'x');
}

static void read_by_stdio(struct block_case *c)
{
    EXPECT_EQ(fgetc(c->data), 'x');
}

static void write_one(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

TEST(UnseenWaits, call_by_number)
{
    struct block_case c = {.block = read_by_number, .complete = write_one};

    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

TEST(UnseenWaits, stdio)
{
    struct block_case c = {.block = read_by_stdio, .complete = write_one};

    make_pipe(c.fd);
    c.data = fdopen(c.fd[0], "r");
    ASSERT_NE(c.data, NULL);
    run_block_case(&c);
    fclose(c.data);
    c.fd[0] = -1;
    close_all(&c);
}

/* ---- The end of others -------------------------------------------------------------------------------------- */

static void *until_given(void *result)
{
    while (sem_wait(&semaphore) != 0) {
    }
    return result;
}

static void join_one(struct block_case *c)
{
    pthread_t thread;
    void *result = NULL;

    EXPECT_EQ(pthread_create(&thread, NULL, until_given, c), 0);
    EXPECT_EQ(pthread_join(thread, &result), 0);
    EXPECT_EQ(result, (void *)c);
    EXPECT_EQ(pthread_join(pthread_self(), NULL), EDEADLK);
}

TEST(UnseenWaits, join)
{
    struct block_case c = {.block = join_one, .complete = give};

    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    run_block_case(&c);
}

/* ---- Sleeping -------------------------------------------------------------------------------------------------- */

enum { NAP_MS = 30 };

static void nap(struct block_case *c)
{
    struct timespec time = {0, NAP_MS * 1000000}, until = from_now(CLOCK_MONOTONIC, NAP_MS), now;

    switch (c->number) {
    case 0:
        EXPECT_EQ(nanosleep(&time, NULL), 0);
        break;
    case 1:
        EXPECT_EQ(usleep(NAP_MS * 1000), 0);
        break;
    case 2:
        EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
        break;
    case 3:
        EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), 0);
        break;
    default:
        EXPECT_EQ(sleep(1), 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    EXPECT_THAT(now.tv_sec > until.tv_sec ||
                    (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec),
                "way %ld returned too early", c->number);
}

TEST(UnseenWaits, sleeping)
{
    for (int way = 0; way < 5; way++) {
        struct block_case c = {.block = nap, .number = way};

        run_block_case(&c);
    }
}

static void nap_badly(struct block_case *c)
{
    struct timespec bad = {0, 1000000000};

    (void)c;
    errno = 0;
    EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL), EINVAL);
    EXPECT_EQ(errno, 0);
    EXPECT_ERRNO(nanosleep(&bad, NULL), EINVAL);
}

TEST(UnseenWaits, bad_time)
{
    struct block_case c = {0};

    run_in_worker(nap_badly, &c);
}

/* ---- Readiness, sockets, children --------------------------------------------------------------------------------- */

static void wait_readable(struct block_case *c)
{
    struct pollfd one = {c->fd[0], POLLIN, 0};
    struct epoll_event event = {.events = EPOLLIN};
    struct timeval limit = {10, 0};
    fd_set set;
    int set_fd;

    switch (c->number) {
    case 0:
        EXPECT_EQ(poll(&one, 1, 10000), 1);
        EXPECT_EQ(one.revents, POLLIN);
        break;
    case 1:
        FD_ZERO(&set);
        FD_SET(c->fd[0], &set);
        EXPECT_EQ(select(c->fd[0] + 1, &set, NULL, NULL, &limit), 1);
        EXPECT_OK(FD_ISSET(c->fd[0], &set));
        break;
    default:
        set_fd = epoll_create1(EPOLL_CLOEXEC);
        EXPECT_EQ(epoll_ctl(set_fd, EPOLL_CTL_ADD, c->fd[0], &event), 0);
        EXPECT_EQ(epoll_wait(set_fd, &event, 1, 10000), 1);
        close(set_fd);
    }
}

static void make_readable(struct block_case *c)
{
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

TEST(UnseenWaits, readiness)
{
    for (int way = 0; way < 3; way++) {
        struct block_case c = {.block = wait_readable, .complete = make_readable, .number = way};

        make_pipe(c.fd);
        run_block_case(&c);
        close_all(&c);
    }
}

static void accept_one(struct block_case *c)
{
    c->fd[2] = accept(c->fd[0], NULL, NULL);
    EXPECT_GT(c->fd[2], 0);
}

static void connect_one(struct block_case *c)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;

    EXPECT_EQ(getsockname(c->fd[0], (struct sockaddr *)&address, &length), 0);
    c->fd[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(c->fd[1], (struct sockaddr *)&address, length), 0);
}

TEST(UnseenWaits, accept)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct block_case c = {.block = accept_one, .complete = connect_one};

    c.fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(c.fd[0], (struct sockaddr *)&address, sizeof address), 0);
    ASSERT_EQ(listen(c.fd[0], 1), 0);
    run_block_case(&c);
    close_all(&c);
}

static void wait_for_child(struct block_case *c)
{
    int status = -1;

    EXPECT_EQ(waitpid((pid_t)c->number, &status, 0), (pid_t)c->number);
    EXPECT_EQ(status, 7 << 8);
}

TEST(UnseenWaits, child)
{
    struct block_case c = {.block = wait_for_child, .complete = make_readable};
    char byte;

    make_pipe(c.fd);
    c.number = fork();
    if (c.number == 0)
        _exit(read(c.fd[0], &byte, 1) == 1 ? 7 : 1);
    run_block_case(&c);
    close_all(&c);
}

/* ---- Ended, cancelled, suspended and signalled meanwhile ------------------------------------------------------------- */

static struct loose rig;
static int got_it, handled, unwound;

static DWORD WINAPI lock_and_note(LPVOID unused)
{
    (void)unused;
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    flag_set(&got_it, 1);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
    return 0;
}

static struct loose_worker *start_waiter(LPTHREAD_START_ROUTINE routine)
{
    struct loose_worker *worker;

    EXPECT_EQ(pthread_mutex_init(&guard, NULL), 0); /* one that was ended may have it */
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    got_it = handled = unwound = 0;
    memset(&rig, 0, sizeof rig);
    if (!loose_start(&rig, NULL))
        return NULL;
    worker = loose_add(&rig, routine, NULL, 0);
    EXPECT_OK(worker && loose_reaches(&worker->blocked, 1));
    return worker;
}

/* It ends when it gets the mutex, or before anybody has begun to wait for it; and does nothing with it. */
TEST(UnseenWaits, terminated)
{
    struct loose_worker *worker = start_waiter(lock_and_note);

    ASSERT_NE(worker, NULL);
    EXPECT_OK(TerminateThread(worker->bare.thread, 1));
    Sleep(5); /* the helper has it by now, as a rule */
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(flag_get(&got_it), 0);
    EXPECT_OK(loose_finish(&rig));
}

TEST(UnseenWaits, suspended)
{
    struct loose_worker *worker = start_waiter(lock_and_note);

    ASSERT_NE(worker, NULL);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0u);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 50), WAIT_TIMEOUT);
    EXPECT_EQ(flag_get(&got_it), 0);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1u);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(flag_get(&got_it), 1);
    EXPECT_OK(loose_finish(&rig));
}

static pthread_t waiter;

static void note_handled(int number)
{
    (void)number;
    handled += pthread_equal(pthread_self(), waiter) ? 1 : 100;
}

static DWORD WINAPI lock_and_look(LPVOID unused)
{
    waiter = pthread_self();
    return lock_and_note(unused);
}

/* The handler runs on the worker when it has the mutex. */
TEST(UnseenWaits, signalled)
{
    struct sigaction action = {.sa_handler = note_handled};
    struct loose_worker *worker;

    ASSERT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    worker = start_waiter(lock_and_look);
    ASSERT_NE(worker, NULL);
    EXPECT_EQ(pthread_kill(waiter, SIGUSR1), 0);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(got_it, 1);
    EXPECT_OK(loose_finish(&rig));
}

static void unwind(void *unused)
{
    (void)unused;
    unwound++;
}

static DWORD WINAPI wait_to_be_cancelled(LPVOID unused)
{
    (void)unused;
    waiter = pthread_self();
    pthread_cleanup_push(unwind, NULL);
    while (sem_wait(&semaphore) == 0)
        flag_add(&got_it, 1);
    pthread_cleanup_pop(0);
    return 0;
}

/* The post lets it go, and the next wait is a cancellation point. */
TEST(UnseenWaits, cancelled)
{
    struct loose_worker *worker;

    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    worker = start_waiter(wait_to_be_cancelled);
    ASSERT_NE(worker, NULL);
    EXPECT_EQ(pthread_cancel(waiter), 0);
    EXPECT_EQ(sem_post(&semaphore), 0);
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, 10000), WAIT_OBJECT_0);
    EXPECT_EQ(unwound, 1);
    EXPECT_OK(loose_finish(&rig));
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}

/* ---- Threads that are no workers ---------------------------------------------------------------------------------------------- */

/* The same functions on plain threads, once they have been put before libc's. */
TEST(UnseenWaits, plain_thread)
{
    struct timespec time = {0, 1000000}, limit;
    pthread_t thread;

    ASSERT_EQ(pthread_mutex_init(&mutex, NULL), 0);
    run_fleet(1, 2, contend);
    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    EXPECT_EQ(pthread_create(&thread, NULL, until_given, NULL), 0);
    EXPECT_EQ(sem_post(&semaphore), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(nanosleep(&time, NULL), 0);
    EXPECT_EQ(sleep(0), 0);
    EXPECT_EQ(poll(NULL, 0, 1), 0);
    EXPECT_EQ(pthread_mutex_lock(&guard), 0);
    limit = from_now(CLOCK_REALTIME, 5);
    EXPECT_EQ(pthread_cond_timedwait(&condition, &guard, &limit), ETIMEDOUT);
    EXPECT_EQ(pthread_mutex_unlock(&guard), 0);
}
