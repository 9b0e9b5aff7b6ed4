/* SPDX-License-Identifier: MIT
 *
 * signals_to_process.c - signals sent to the process while workers run and are blocked.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int handled;
static int stop;

static void count_signal(int number)
{
    int error = errno;

    flag_add(&handled, 1);
    errno = error;
}

static void install(int number, int flags)
{
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = flags};

    handled = 0;
    EXPECT_EQ(sigaction(number, &action, NULL), 0);
}

enum { SIGNALS = 20 };

/* One at a time: the same signal twice while pending counts once. */
static void send_and_see(int number)
{
    for (int i = 0; i < SIGNALS; i++) {
        int before = flag_get(&handled);
        long long started = now_ms();

        EXPECT_EQ(kill(getpid(), number), 0);
        while (flag_get(&handled) == before) {
            if (elapsed_ms(started) > 5000) {
                FAIL("signal %d of %d was not handled in 5 s", i, SIGNALS);
                return;
            }
            if (worker_self())
                UmsThreadYield(NULL);
            else
                sched_yield();
        }
    }
}

/* ---- from a worker, while another one is blocked ---- */

static void read_byte(struct block_case *c)
{
    char byte = 0;

    EXPECT_EQ(read(c->fd[0], &byte, 1), 1); /* a signal meant for the process must not show here */
}

static void signals_then_write(struct block_case *c)
{
    send_and_see(SIGUSR1);
    EXPECT_EQ(c->returned, 0);
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
}

TEST(SignalsToProcess, while_a_worker_is_blocked_in_read)
{
    struct block_case c = {.block = read_byte, .complete = signals_then_write};

    install(SIGUSR1, SA_RESTART);
    make_pipe(c.fd);
    run_block_case(&c);
    EXPECT_EQ(handled, SIGNALS);
    close_all(&c);
}

TEST(SignalsToProcess, without_sa_restart)
{
    struct block_case c = {.block = read_byte, .complete = signals_then_write};

    install(SIGUSR1, 0);
    make_pipe(c.fd);
    run_block_case(&c);
    EXPECT_EQ(handled, SIGNALS);
    close_all(&c);
}

/* ---- from a plain thread, while every scheduler is busy or idle ---- */

static void spin_and_yield(struct worker *self)
{
    while (!flag_get(&stop)) {
        for (volatile int i = 0; i < 1000; i++) {
        }
        UmsThreadYield(NULL);
    }
}

static void wait_in_read(struct worker *self)
{
    char byte;
    int fd = (int)(long)self->arg;

    EXPECT_EQ(read(fd, &byte, 1), 1);
}

struct sender {
    struct block_case *c;
    int workers;
};

static DWORD WINAPI send_many(LPVOID param)
{
    struct sender *sender = param;

    send_and_see(SIGUSR1);
    flag_set(&stop, 1);
    for (int i = 0; i < sender->workers; i++)
        EXPECT_EQ(write(sender->c->fd[1], "x", 1), 1);
    return 0;
}

static void from_outside(bool busy)
{
    struct block_case c = {.number = 0};
    struct sender sender = {&c, 10};
    struct fleet *fleet = fleet_create(2, 12, FLEET_SHARED_READY);
    HANDLE thread;

    ASSERT_NE(fleet, NULL);
    stop = 0;
    install(SIGUSR1, SA_RESTART);
    make_pipe(c.fd);
    for (int i = 0; i < sender.workers; i++)
        fleet_add(fleet, wait_in_read, (void *)(long)c.fd[0]);
    for (int i = 0; busy && i < 2; i++)
        fleet_add(fleet, spin_and_yield, NULL);
    thread = CreateThread(NULL, 0, send_many, &sender, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(handled, SIGNALS);
    CloseHandle(thread);
    fleet_destroy(fleet);
    close_all(&c);
}

TEST(SignalsToProcess, while_schedulers_are_busy)
{
    from_outside(true);
}

TEST(SignalsToProcess, while_schedulers_are_idle)
{
    from_outside(false);
}

/* ---- one worker has it blocked, another can take it ---- */

static void block_and_spin(struct worker *self)
{
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &one, NULL), 0);
    spin_and_yield(self);
}

static void open_and_read(struct worker *self)
{
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &one, NULL), 0);
    wait_in_read(self);
}

/* No plain thread has it open, so the library has to find the worker. */
TEST(SignalsToProcess, goes_by_who_has_it_blocked)
{
    struct block_case c = {.number = 0};
    struct sender sender = {&c, 1};
    struct fleet *fleet;
    sigset_t one, before;
    HANDLE thread;

    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &one, &before), 0);
    fleet = fleet_create(2, 3, FLEET_SHARED_READY);
    ASSERT_NE(fleet, NULL);
    stop = 0;
    install(SIGUSR1, SA_RESTART);
    make_pipe(c.fd);
    fleet_add(fleet, open_and_read, (void *)(long)c.fd[0]);
    fleet_add(fleet, block_and_spin, NULL);
    fleet_add(fleet, block_and_spin, NULL);
    thread = CreateThread(NULL, 0, send_many, &sender, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(handled, SIGNALS);
    CloseHandle(thread);
    fleet_destroy(fleet);
    close_all(&c);
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

/* ---- a timer that fires all the time ---- */

static void work_under_timer(struct worker *self)
{
    struct block_case *c = self->arg;
    char byte;

    for (int i = 0; i < 50; i++) {
        struct timespec duration = {0, 1000000};

        while (nanosleep(&duration, &duration) != 0)
            EXPECT_EQ(errno, EINTR); /* nobody else has the signal open */
        EXPECT_EQ(write(c->fd[1], "x", 1), 1);
        EXPECT_EQ(read(c->fd[0], &byte, 1), 1);
        EXPECT_OK(UmsThreadYield(NULL));
        if (tc_failures() > 3)
            return;
    }
}

TEST(SignalsToProcess, interval_timer)
{
    struct itimerval every_ms = {{0, 1000}, {0, 1000}};
    struct itimerval off = {{0, 0}, {0, 0}};
    struct block_case c = {.number = 0};
    struct fleet *fleet = fleet_create(2, 8, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    install(SIGALRM, SA_RESTART);
    make_pipe(c.fd);
    for (int i = 0; i < 8; i++)
        fleet_add(fleet, work_under_timer, &c);
    EXPECT_EQ(setitimer(ITIMER_REAL, &every_ms, NULL), 0);
    fleet_run(fleet);
    EXPECT_EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
    EXPECT_GT(handled, 5);
    fleet_destroy(fleet);
    close_all(&c);
}

/* ---- the handler may use the thread it interrupts: which one must be a sane one ---- */

static int bad_threads;

static void check_thread(int number)
{
    int error = errno;
    volatile char here[512];

    here[0] = 1;
    if (gettid() <= 0 || !pthread_self() || here[0] != 1)
        flag_add(&bad_threads, 1);
    flag_add(&handled, 1);
    errno = error;
}

static void keep_errno(struct worker *self)
{
    for (int i = 0; i < 20000 && !tc_failures(); i++) {
        errno = 77;
        UmsThreadYield(NULL);
        EXPECT_EQ(errno, 77);
    }
}

TEST(SignalsToProcess, interval_timer_over_yields)
{
    struct itimerval often = {{0, 500}, {0, 500}};
    struct itimerval off = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = check_thread, .sa_flags = SA_RESTART};
    struct fleet *fleet = fleet_create(2, 4, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    EXPECT_EQ(sigaction(SIGALRM, &action, NULL), 0);
    for (int i = 0; i < 4; i++)
        fleet_add(fleet, keep_errno, NULL);
    EXPECT_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
    fleet_run(fleet);
    EXPECT_EQ(setitimer(ITIMER_REAL, &off, NULL), 0);
    EXPECT_EQ(bad_threads, 0);
    fleet_destroy(fleet);
}
