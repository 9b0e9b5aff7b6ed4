/* SPDX-License-Identifier: MIT
 *
 * signal_at_worker.c - signals sent to one worker by its thread id, whatever the worker does: they
 * reach whoever carries it, run their handler and end its blocking call as they would natively.
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int handled;

static void on_signal(int number)
{
    (void)number;
    flag_add(&handled, 1);
}

static void install(int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};

    handled = 0;
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

static void kill_blocked(struct block_case *c)
{
    EXPECT_EQ(pthread_kill(c->blocked_pthread, SIGUSR1), 0);
}

static void pause_here(struct block_case *c)
{
    (void)c;
    EXPECT_ERRNO(pause(), EINTR);
    EXPECT_EQ(flag_get(&handled), 1);
}

TEST(SignalAtWorker, pause)
{
    struct block_case c = {.block = pause_here, .complete = kill_blocked};

    install(SA_RESTART); /* pause is never restarted */
    run_block_case(&c);
}

static void sleep_here(struct block_case *c)
{
    struct timespec duration = {10, 0};
    struct timespec left = {0, 0};

    (void)c;
    EXPECT_ERRNO(nanosleep(&duration, &left), EINTR);
    EXPECT_EQ(flag_get(&handled), 1);
    EXPECT_GE(left.tv_sec, 8);
}

TEST(SignalAtWorker, nanosleep_is_interrupted)
{
    struct block_case c = {.block = sleep_here, .complete = kill_blocked};

    install(SA_RESTART);
    run_block_case(&c);
}

static void read_here(struct block_case *c)
{
    char byte;

    EXPECT_ERRNO(read(c->fd[0], &byte, 1), EINTR);
    EXPECT_EQ(flag_get(&handled), 1);
}

TEST(SignalAtWorker, read_is_interrupted_without_sa_restart)
{
    struct block_case c = {.block = read_here, .complete = kill_blocked};

    install(0);
    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

static void read_through(struct block_case *c)
{
    char byte = 0;

    EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
    EXPECT_EQ(flag_get(&handled), 1);
}

static void kill_then_write(struct block_case *c)
{
    kill_blocked(c);
    for (int i = 0; i < 50; i++) {
        UmsThreadYield(NULL);
    }
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

TEST(SignalAtWorker, read_is_restarted_with_sa_restart)
{
    struct block_case c = {.block = read_through, .complete = kill_then_write};

    install(SA_RESTART);
    make_pipe(c.fd);
    run_block_case(&c);
    close_all(&c);
}

static void wait_for_signal(struct block_case *c)
{
    struct timespec limit = {5, 0};
    siginfo_t info = {0};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    flag_set((int *)c->data, 1);
    EXPECT_EQ(sigtimedwait(&set, &info, &limit), SIGUSR2);
    EXPECT_EQ(info.si_signo, SIGUSR2);
}

static void send_blocked_signal(struct block_case *c)
{
    EXPECT_EQ(flag_get((int *)c->data), 1);
    EXPECT_EQ(pthread_kill(c->blocked_pthread, SIGUSR2), 0);
}

TEST(SignalAtWorker, sigtimedwait)
{
    int armed = 0;
    struct block_case c = {
        .block = wait_for_signal, .complete = send_blocked_signal, .data = &armed};

    run_block_case(&c);
}

/* ---- to itself, by other ways than raise ---- */

static void tgkill_itself(struct block_case *c)
{
    (void)c;
    for (int i = 1; i <= 5; i++) {
        EXPECT_EQ(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1), 0);
        EXPECT_EQ(flag_get(&handled), i); /* delivered before the call returns */
        UmsThreadYield(NULL);
    }
}

TEST(SignalAtWorker, raw_tgkill_to_itself)
{
    struct block_case c = {.number = 0};

    install(0);
    run_in_worker(tgkill_itself, &c);
}

static void look_at_pending(struct block_case *c)
{
    sigset_t set;
    sigset_t pending;

    (void)c;
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
        if (i % 2) {
            UmsThreadYield(NULL);
        }
        if (tc_failures() > 3) {
            break;
        }
    }
    /* Nobody may send to a thread that has ended. */
    flag_add(&started, -1);
    yield_until(&stop);
    usleep(1000);
}

static DWORD WINAPI send_to_workers(LPVOID param)
{
    long long begun = now_ms();

    (void)param;
    while (flag_get(&started) < WORKERS && elapsed_ms(begun) < 10000) {
        usleep(100);
    }
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
    for (int i = 0; i < WORKERS; i++) {
        fleet_add(fleet, read_and_write, NULL);
    }
    thread = CreateThread(NULL, 0, send_to_workers, NULL, 0, NULL);
    fleet_run(fleet);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_GT(handled, 0);
    CloseHandle(thread);
    fleet_destroy(fleet);
}
