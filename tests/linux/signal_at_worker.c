/* SPDX-License-Identifier: MIT
 *
 * signal_at_worker.c - signals sent to one worker by pthread_kill: that worker handles them, and they
 * end or restart the call in which it waits.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "signal_case.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void kill_blocked(struct block_case *c)
{
    EXPECT_EQ(pthread_kill(c->blocked_pthread, SIGUSR1), 0);
}

TEST(SignalAtWorker, pause)
{
    struct block_case c = {.block = pause_here, .complete = kill_blocked};

    install(SA_RESTART); /* pause is never restarted */
    run_block_case(&c);
}

/* Never restarted; what is left of it is told. */
static void sleep_here(struct block_case *c)
{
    struct timespec duration = {20, 0};
    struct timespec left = {0, 0};

    EXPECT_ERRNO(nanosleep(&duration, &left), EINTR);
    EXPECT_EQ(flag_get(&handled), 1);
    EXPECT_THAT(left.tv_sec >= 15 && left.tv_sec < 20, "%ld s left", (long)left.tv_sec);
}

TEST(SignalAtWorker, ends_a_sleep)
{
    struct block_case c = {.block = sleep_here, .complete = kill_blocked};

    install(SA_RESTART);
    run_block_case(&c);
}

static pthread_t handled_on;

static void note_thread(int number)
{
    on_signal(number);
    handled_on = pthread_self();
}

static void read_here(struct block_case *c)
{
    char byte = 0;

    if (c->number)
        EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
    else
        EXPECT_ERRNO(read(c->fd[0], &byte, 1), EINTR);
    EXPECT_EQ(flag_get(&handled), 1);
    EXPECT_THAT(pthread_equal(handled_on, pthread_self()), "handled by another thread");
}

static void kill_then_write(struct block_case *c)
{
    ULONGLONG deadline = GetTickCount64() + 5000;

    kill_blocked(c);
    while (!flag_get(&handled) && GetTickCount64() < deadline)
        UmsThreadYield(NULL);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

static void read_with(int flags)
{
    struct block_case c = {.block = read_here, .complete = kill_then_write};
    struct sigaction action = {.sa_handler = note_thread, .sa_flags = flags};

    handled = 0;
    c.number = flags;
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

TEST(SignalAtWorker, ends_a_read)
{
    read_with(0);
}

TEST(SignalAtWorker, restarts_a_read)
{
    read_with(SA_RESTART);
}

/* A worker that only computes is interrupted. */
static void spin(struct block_case *c)
{
    ULONGLONG deadline = GetTickCount64() + 5000;

    flag_set((int *)c->data, 1);
    while (!flag_get(&handled) && GetTickCount64() < deadline) {
    }
    EXPECT_EQ(flag_get(&handled), 1);
}

struct target {
    pthread_t thread;
    int ready;
};

static DWORD WINAPI kill_target(LPVOID param)
{
    struct target *target = param;
    long long begun = now_ms();

    while (!flag_get(&target->ready) && elapsed_ms(begun) < 5000)
        usleep(100);
    EXPECT_EQ(pthread_kill(target->thread, SIGUSR1), 0);
    return 0;
}

static void spin_and_be_killed(struct block_case *c)
{
    struct target target = {pthread_self(), 0};
    HANDLE thread = CreateThread(NULL, 0, kill_target, &target, 0, NULL);

    c->data = &target.ready;
    spin(c);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    CloseHandle(thread);
}

TEST(SignalAtWorker, interrupts_computing)
{
    struct block_case c = {.number = 0};

    install(0);
    run_in_worker(spin_and_be_killed, &c);
}

/* ---- to itself, by other ways than raise ---- */

static void look_at_pending(struct block_case *c)
{
    sigset_t set;
    sigset_t pending;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(sigpending(&pending), 0);
    EXPECT_EQ(sigismember(&pending, SIGUSR1), 1);
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    EXPECT_EQ(flag_get(&handled), 1);
}

TEST(SignalAtWorker, sigpending_shows_it)
{
    struct block_case c = {.number = 0};

    install(0);
    run_in_worker(look_at_pending, &c);
}

/* ---- at single workers, from a plain thread ---- */

enum { WORKERS = 6 };
static pthread_t threads[WORKERS];
static int started;
static int stop;
static void read_and_write(struct worker *self)
{
    int fd[2];
    char byte;

    make_pipe(fd);
    threads[self->index] = pthread_self();
    flag_add(&started, 1);
    for (int i = 0; !flag_get(&stop); i++) {
        struct timespec duration = {0, 100000};
        int result;

        result = nanosleep(&duration, NULL);
        EXPECT_THAT(result == 0 || errno == EINTR, "nanosleep: errno %d", errno);
        EXPECT_EQ(write(fd[1], "x", 1), 1);
        EXPECT_EQ(read(fd[0], &byte, 1), 1);
        if (i % 2)
            UmsThreadYield(NULL);
        if (tc_failures() > 3)
            break;
    }
    /* Nobody may send to a thread that has ended. */
    flag_add(&started, -1);
    yield_until(&stop);
    usleep(1000);
}

static DWORD WINAPI send_to_workers(LPVOID param)
{
    long long begun = now_ms();

    while (flag_get(&started) < WORKERS && elapsed_ms(begun) < 10000)
        usleep(100);
    for (int i = 0; i < 400 && flag_get(&started) == WORKERS; i++) {
        pthread_kill(threads[i % WORKERS], SIGUSR1);
        usleep(200);
    }
    flag_set(&stop, 1);
    return 0;
}

TEST(SignalAtWorker, storm)
{
    struct fleet *fleet = fleet_create(2, WORKERS, FLEET_SHARED_READY);
    HANDLE thread;

    ASSERT_NE(fleet, NULL);
    started = stop = 0;
    install(SA_RESTART);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, read_and_write, NULL);
    thread = CreateThread(NULL, 0, send_to_workers, NULL, 0, NULL);
    fleet_run(fleet);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_GT(handled, 0);
    CloseHandle(thread);
    fleet_destroy(fleet);
}
