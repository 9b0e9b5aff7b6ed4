/* SPDX-License-Identifier: MIT
 *
 * signal_waits.c - sending signals, waiting for them, calls that they interrupt.
 */
#include "assertion.h"
#include "caught.h"

#include <signal.h>

ASSERTION(queued_values_come_in_order)
{
    sigset_t set = only(SIGRTMIN);
    siginfo_t info;
    block(SIGRTMIN);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(sigqueue(getpid(), SIGRTMIN, (union sigval){i}), 0);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(sigwaitinfo(&set, &info), SIGRTMIN);
        EXPECT_EQ(info.si_value.sival_int, i);
        EXPECT_EQ(info.si_code, SI_QUEUE);
        EXPECT_EQ(info.si_pid, getpid());
    }
    EXPECT_ERRNO(sigqueue(getpid(), 9999, (union sigval){0}), EINVAL);
}

ASSERTION(sigwait_takes_a_pending_signal)
{
    sigset_t set = only(SIGUSR1);
    int sig;
    block(SIGUSR1);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(sigwait(&set, &sig), 0);
    EXPECT_EQ(sig, SIGUSR1);
    EXPECT(!is_pending(SIGUSR1));
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    EXPECT_EQ(sigwait(&set, &sig), 0);
    EXPECT_EQ(sig, SIGUSR1);
}

static pthread_t first;
static int thread_sends;
static void send_one(void)
{
    if (thread_sends)
        EXPECT_EQ(pthread_kill(first, SIGUSR1), 0);
    else
        EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
}

static void *send_soon(void *unused)
{
    sleep_ms(60);
    send_one();
    return unused;
}

/* Again and again, one at a time: the first may come before the wait that a signal is to end. */
static volatile int over, sent;
static void *send_until_over(void *unused)
{
    for (sleep_ms(60); !get(&over); sleep_ms(60)) {
        sent++;
        send_one();
        for (int i = 0; i < 5000 && signals < sent; i++)
            sleep_ms(1);
    }
    return unused;
}

static pthread_t start_sending(void)
{
    set(&over, 0);
    return start(send_until_over, NULL);
}

static void stop_sending(pthread_t sender)
{
    set(&over, 1);
    join(sender);
    EXPECT(sent >= 1);
    EXPECT_EQ(signals, sent);
}

ASSERTION(sigwait_waits_for_a_signal)
{
    sigset_t set = only(SIGUSR1);
    int sig;
    first = pthread_self();
    block(SIGUSR1);
    for (thread_sends = 0; thread_sends < 2; thread_sends++) {
        pthread_t other = start(send_soon, NULL);
        EXPECT_EQ(sigwait(&set, &sig), 0);
        EXPECT_EQ(sig, SIGUSR1);
        join(other);
    }
}

ASSERTION(sigtimedwait_times_out)
{
    sigset_t set = only(SIGUSR1);
    block(SIGUSR1);
    long long began = now_on(CLOCK_MONOTONIC);
    EXPECT_ERRNO(sigtimedwait(&set, NULL, &(struct timespec){0, 60000000}), EAGAIN);
    EXPECT(ms_since(began) >= 60);
    EXPECT_ERRNO(sigtimedwait(&set, NULL, &(struct timespec){0, -1}), EINVAL);
}

ASSERTION(sigsuspend_waits_for_a_handler)
{
    sigset_t none;
    sigemptyset(&none);
    catch (SIGUSR1, 0);
    block(SIGUSR1);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_ERRNO(sigsuspend(&none), EINTR); /* pending already */
    EXPECT_EQ(signals, 1);
    first = pthread_self();
    thread_sends = 1;
    start(send_soon, NULL);
    EXPECT_ERRNO(sigsuspend(&none), EINTR);
    EXPECT_EQ(signals, 2);
}

ASSERTION(pause_waits_for_a_handler)
{
    catch (SIGUSR1, SA_RESTART);
    first = pthread_self();
    thread_sends = 1;
    pthread_t sender = start_sending();
    EXPECT_ERRNO(pause(), EINTR);
    stop_sending(sender);
}

static void interrupts(int flags, int by_thread)
{
    struct timespec left;
    int ends[2];
    char byte;
    EXPECT_EQ(pipe(ends), 0);
    catch (SIGUSR1, flags);
    first = pthread_self();
    thread_sends = by_thread;
    pthread_t sender = start_sending();
    EXPECT_ERRNO(nanosleep(&(struct timespec){5, 0}, &left), EINTR); /* never restarted */
    EXPECT(left.tv_sec >= 3);
    stop_sending(sender);
    if (flags & SA_RESTART)
        return;
    sender = start_sending();
    EXPECT_ERRNO(read(ends[0], &byte, 1), EINTR);
    stop_sending(sender);
}

ASSERTION(pthread_kill_interrupts_a_call)
{
    interrupts(0, 1);
    EXPECT(pthread_equal(handled_by, pthread_self()));
}
ASSERTION(pthread_kill_interrupts_a_sleep_in_spite_of_sa_restart)
{
    interrupts(SA_RESTART, 1);
}
static int ends_of_pipe[2];
static void *signal_then_write(void *unused)
{
    sleep_ms(60);
    EXPECT_EQ(pthread_kill(first, SIGUSR1), 0);
    sleep_ms(60);
    EXPECT_EQ(write(ends_of_pipe[1], "x", 1), 1);
    return unused;
}
ASSERTION(sa_restart_restarts_a_read)
{
    char byte;
    EXPECT_EQ(pipe(ends_of_pipe), 0);
    catch (SIGUSR1, SA_RESTART);
    first = pthread_self();
    pthread_t other = start(signal_then_write, NULL);
    EXPECT_EQ(read(ends_of_pipe[0], &byte, 1), 1);
    EXPECT_EQ(signals, 1);
    join(other);
}

static volatile int spinning;
static void *kill_first(void *unused)
{
    EXPECT(comes_true(&spinning));
    EXPECT_EQ(pthread_kill(first, SIGUSR1), 0);
    return unused;
}
ASSERTION(pthread_kill_reaches_one_that_computes)
{
    catch (SIGUSR1, 0);
    first = pthread_self();
    pthread_t other = start(kill_first, NULL);
    __atomic_store_n(&spinning, 1, __ATOMIC_RELEASE);
    long long began = now_on(CLOCK_MONOTONIC);
    while (!signals)
        EXPECT(ms_since(began) < 5000);
    EXPECT(pthread_equal(handled_by, pthread_self()));
    join(other);
    EXPECT_EQ(pthread_kill(pthread_self(), 9999), EINVAL);
    EXPECT_EQ(pthread_kill(pthread_self(), 0), 0);
}

static volatile int child_ready;
static void *wait_blocked(void *unused)
{
    sigset_t set = only(SIGUSR1);
    int sig;
    __atomic_store_n(&child_ready, 1, __ATOMIC_RELEASE);
    EXPECT_EQ(sigwait(&set, &sig), 0);
    return unused;
}
ASSERTION(a_signal_of_the_process_goes_to_who_waits_for_it)
{
    block(SIGUSR1);
    pthread_t other = start(wait_blocked, NULL);
    EXPECT(comes_true(&child_ready));
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    join(other);
}

ASSERTION(kill_reaches_the_caller_before_it_returns)
{
    /* No other thread has it open: main blocks it before it makes any. */
    catch (SIGUSR1, 0);
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    wait_for(1);
}
