/* SPDX-License-Identifier: MIT
 *
 * signal_waits.c - pause, sigsuspend, sigwait and its relatives, signalfd, timers of one thread: workers
 * that wait for signals, sent to the process or to them.
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
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void kill_process(struct block_case *c)
{
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
}

TEST(SignalWaits, pause)
{
    struct block_case c = {.block = pause_here, .complete = kill_process};

    install(SA_RESTART); /* pause is never restarted */
    run_block_case(&c);
}

static void suspend_here(struct block_case *c)
{
    sigset_t none;

    sigemptyset(&none);
    EXPECT_ERRNO(sigsuspend(&none), EINTR);
    EXPECT_EQ(flag_get(&handled), 1);
}

TEST(SignalWaits, sigsuspend)
{
    struct block_case c = {.block = suspend_here, .complete = kill_process};

    install(0);
    run_block_case(&c);
}

/* ---- waits for a blocked signal ---- */

static void wait_for_signal(struct block_case *c)
{
    struct timespec limit = {10, 0};
    siginfo_t info = {0};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    flag_set((int *)c->data, 1);
    EXPECT_EQ(sigtimedwait(&set, &info, &limit), SIGUSR2);
    EXPECT_EQ(info.si_signo, SIGUSR2);
}

static void wait_in_vain(struct block_case *c)
{
    struct timespec limit = {0, 60000000};
    long long started = now_ms();
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_ERRNO(sigtimedwait(&set, NULL, &limit), EAGAIN);
    EXPECT_GE(elapsed_ms(started), 59);
}

BLOCK_TEST(SignalWaits, sigtimedwait_times_out, .block = wait_in_vain)

/* The usual way to handle signals in a program with threads: blocked everywhere, one thread takes
 * them; here that is a worker. */
static void send_to_process(struct block_case *c)
{
    EXPECT_EQ(flag_get((int *)c->data), 1);
    EXPECT_EQ(kill(getpid(), SIGUSR2), 0);
}

TEST(SignalWaits, sigtimedwait_for_a_process_signal)
{
    int armed = 0;
    struct block_case c = {.block = wait_for_signal, .complete = send_to_process, .data = &armed};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    run_block_case(&c);
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}

static void read_signalfd(struct block_case *c)
{
    struct signalfd_siginfo info = {0};

    flag_set((int *)c->data, 1);
    EXPECT_EQ(read(c->fd[0], &info, sizeof info), sizeof info);
    EXPECT_EQ(info.ssi_signo, SIGUSR2);
}

TEST(SignalWaits, signalfd)
{
    int armed = 0;
    struct block_case c = {.block = read_signalfd, .complete = send_to_process, .data = &armed};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    c.fd[0] = signalfd(-1, &set, SFD_CLOEXEC);
    run_block_case(&c);
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    close_all(&c);
}

/* ---- one worker alone: every way a signal can come, before the wait or during it ---- */

static int way;
static pthread_t waiter;

static void send_one(int value)
{
    union sigval data = {.sival_int = value};

    switch (way) {
    case 0:
        EXPECT_EQ(kill(getpid(), SIGUSR2), 0);
        break;
    case 1:
        EXPECT_EQ(pthread_kill(waiter, SIGUSR2), 0);
        break;
    case 2:
        EXPECT_EQ(sigqueue(getpid(), SIGUSR2, data), 0);
        break;
    default:
        EXPECT_EQ(pthread_sigqueue(waiter, SIGUSR2, data), 0);
        break;
    }
}

static void *send_later(void *unused)
{
    usleep(20000);
    send_one(78);
    return NULL;
}

WORKER_TEST(SignalWaits, sigwait_and_sigwaitinfo)
{
    sigset_t set;

    waiter = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    for (way = 0; way < 4; way++) {
        siginfo_t info = {0};
        pthread_t sender;
        sigset_t pending;
        int number = 0;

        tc_note("way %d", way);
        send_one(77);
        EXPECT_EQ(sigwaitinfo(&set, &info), SIGUSR2);
        EXPECT_EQ(info.si_signo, SIGUSR2);
        EXPECT_EQ(info.si_pid, getpid());
        if (way >= 2)
            EXPECT_EQ(info.si_value.sival_int, 77);
        EXPECT_EQ(pthread_create(&sender, NULL, send_later, NULL), 0);
        EXPECT_EQ(sigwait(&set, &number), 0);
        EXPECT_EQ(number, SIGUSR2);
        pthread_join(sender, NULL);
        EXPECT_EQ(sigpending(&pending), 0);
        EXPECT_EQ(sigismember(&pending, SIGUSR2), 0);
    }
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}

/* sigsuspend sets its mask and begins to wait in one step. */
static void suspend_for_pending(struct block_case *c)
{
    sigset_t none;
    sigset_t set;
    sigset_t now;

    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(i % 2 ? raise(SIGUSR1) : kill(getpid(), SIGUSR1), 0);
        EXPECT_EQ(flag_get(&handled), i);
        EXPECT_ERRNO(sigsuspend(&none), EINTR);
        EXPECT_EQ(flag_get(&handled), i + 1);
        EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
        EXPECT_EQ(sigismember(&now, SIGUSR1), 1);
    }
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}

TEST(SignalWaits, sigsuspend_for_what_is_pending)
{
    struct block_case c = {.number = 0};

    install(SA_RESTART);
    run_in_worker(suspend_for_pending, &c);
}

/* A timer that signals this very thread. */
WORKER_TEST(SignalWaits, timer_of_a_worker)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
    struct itimerspec soon = {{0, 0}, {0, 20000000}};
    siginfo_t info = {0};
    sigset_t set;
    timer_t timer;

    event._sigev_un._tid = gettid();
    event.sigev_value.sival_int = 79;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    EXPECT_EQ(timer_settime(timer, 0, &soon, NULL), 0);
    EXPECT_EQ(sigwaitinfo(&set, &info), SIGUSR2);
    EXPECT_EQ(info.si_code, SI_TIMER);
    EXPECT_EQ(info.si_value.sival_int, 79);
    EXPECT_EQ(timer_delete(timer), 0);
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
}
