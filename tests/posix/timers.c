/* SPDX-License-Identifier: MIT
 *
 * timers.c - clocks, sleeping, timers.
 */
#include "assertion.h"

#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t signals, value;

static void on_signal(int sig, siginfo_t *info, void *unused)
{
    value = info->si_value.sival_int;
    signals++;
}

static void catch (int sig)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    EXPECT_EQ(sigaction(sig, &action, NULL), 0);
}

static void wait_for(int count)
{
    for (int i = 0; i < 5000 && signals < count; i++)
        sleep_ms(1);
    EXPECT(signals >= count);
}

ASSERTION(sleeping_takes_its_time)
{
    long long began = now_on(CLOCK_MONOTONIC);
    EXPECT_EQ(nanosleep(&(struct timespec){0, 60000000}, NULL), 0);
    EXPECT(ms_since(began) >= 60);
    began = now_on(CLOCK_MONOTONIC);
    EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 60000000}, NULL), 0);
    EXPECT(ms_since(began) >= 60);
    struct timespec at = in_ms(CLOCK_REALTIME, 60);
    EXPECT_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL), 0);
    EXPECT(now_on(CLOCK_REALTIME) >= at.tv_sec * 1000000000ll + at.tv_nsec);
    at.tv_sec -= 10;
    EXPECT_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL), 0);
}

ASSERTION(sleeping_refuses_bad_times)
{
    EXPECT_ERRNO(nanosleep(&(struct timespec){0, 1000000000}, NULL), EINVAL);
    EXPECT_ERRNO(nanosleep(&(struct timespec){-1, 0}, NULL), EINVAL);
    EXPECT_EQ(clock_nanosleep(CLOCK_REALTIME, 0, &(struct timespec){0, -1}, NULL), EINVAL);
    EXPECT_EQ(clock_nanosleep(12345, 0, &(struct timespec){0, 1}, NULL), EINVAL);
    EXPECT_EQ(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &(struct timespec){0, 1}, NULL), EINVAL);
}

ASSERTION(clocks_have_a_resolution)
{
    struct timespec resolution;
    EXPECT_EQ(clock_getres(CLOCK_REALTIME, &resolution), 0);
    EXPECT_EQ(resolution.tv_sec, 0);
    EXPECT_ERRNO(clock_getres(12345, &resolution), EINVAL);
    EXPECT_ERRNO(clock_gettime(12345, &resolution), EINVAL);
    EXPECT_ERRNO(clock_settime(CLOCK_MONOTONIC, &resolution), EINVAL);
}

ASSERTION(the_clock_of_the_process_goes_on)
{
    clockid_t clock;
    EXPECT_EQ(clock_getcpuclockid(0, &clock), 0);
    long long began = now_on(clock), other = now_on(CLOCK_PROCESS_CPUTIME_ID);
    for (volatile int i = 0; i < 3000000; i++)
        ;
    EXPECT(now_on(clock) > began);
    EXPECT(now_on(CLOCK_PROCESS_CPUTIME_ID) > other);
}

ASSERTION(a_timer_sends_its_signal_and_value)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec when = {{0, 10000000}, {0, 30000000}}, left;
    timer_t timer;
    event.sigev_value.sival_int = 12;
    catch (SIGRTMIN);
    EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    EXPECT_EQ(timer_settime(timer, 0, &when, NULL), 0);
    EXPECT_EQ(timer_gettime(timer, &left), 0);
    EXPECT(left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 30000000);
    wait_for(3);
    EXPECT_EQ(value, 12);
    EXPECT(timer_getoverrun(timer) >= 0);
    EXPECT_EQ(timer_delete(timer), 0);
    EXPECT_ERRNO(timer_gettime(timer, &left), EINVAL);
}

static volatile int told, told_as;
static void tell(union sigval v)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    told_as = v.sival_int;
    __atomic_fetch_add(&told, 1, __ATOMIC_RELEASE);
}
ASSERTION(a_timer_starts_threads)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tell};
    struct itimerspec when = {{0, 10000000}, {0, 10000000}};
    timer_t timer;
    event.sigev_value.sival_int = 8;
    EXPECT_EQ(timer_create(CLOCK_REALTIME, &event, &timer), 0);
    EXPECT_EQ(timer_settime(timer, 0, &when, NULL), 0);
    for (int i = 0; i < 5000 && get(&told) < 3; i++)
        sleep_ms(1);
    EXPECT(get(&told) >= 3);
    EXPECT_EQ(told_as, 8);
    EXPECT_EQ(timer_delete(timer), 0);
}

ASSERTION(an_absolute_timer_of_the_past_is_due)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec when = {{0, 0}, {1, 0}};
    timer_t timer;
    catch (SIGUSR1);
    EXPECT_EQ(timer_create(CLOCK_REALTIME, &event, &timer), 0);
    EXPECT_EQ(timer_settime(timer, TIMER_ABSTIME, &when, NULL), 0);
    wait_for(1);
    when.it_value.tv_nsec = -1;
    EXPECT_ERRNO(timer_settime(timer, 0, &when, NULL), EINVAL);
}

ASSERTION(alarm_is_sent_and_taken_back)
{
    struct itimerval interval = {{0, 0}, {0, 50000}};
    catch (SIGALRM);
    EXPECT_EQ(alarm(100), 0);
    EXPECT_EQ(alarm(0), 100);
    EXPECT_EQ(setitimer(ITIMER_REAL, &interval, NULL), 0);
    wait_for(1);
    EXPECT_EQ(signals, 1);
}
