/* SPDX-License-Identifier: MIT
 *
 * signal_waits.c - pause, sigsuspend, sigtimedwait, signalfd: workers that wait for signals sent to
 * the process, whose handlers run outside UMS.
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
    (void)c;
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

    (void)c;
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

    (void)c;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    EXPECT_ERRNO(sigtimedwait(&set, NULL, &limit), EAGAIN);
    EXPECT_GE(elapsed_ms(started), 59);
}

TEST(SignalWaits, sigtimedwait_times_out)
{
    struct block_case c = {.block = wait_in_vain};

    run_block_case(&c);
}

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
