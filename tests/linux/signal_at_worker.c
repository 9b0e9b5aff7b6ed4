/* SPDX-License-Identifier: MIT
 *
 * signal_at_worker.c - signals sent to one worker by pthread_kill: the process handles them. They end
 * pause, and no other blocking call.
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

static void sleep_here(struct block_case *c)
{
    struct timespec duration = {0, 200000000};

    (void)c;
    EXPECT_EQ(nanosleep(&duration, NULL), 0);
}

static void kill_and_see(struct block_case *c)
{
    ULONGLONG deadline = GetTickCount64() + 5000;

    kill_blocked(c);
    while (!flag_get(&handled) && GetTickCount64() < deadline) {
        UmsThreadYield(NULL);
    }
    EXPECT_EQ(flag_get(&handled), 1);
}

/* Unlike natively: docs/differences.md. */
TEST(SignalAtWorker, is_handled_while_the_call_goes_on)
{
    struct block_case c = {.block = sleep_here, .complete = kill_and_see};

    install(SA_RESTART);
    run_block_case(&c);
}

/* ---- to itself, by other ways than raise ---- */

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
