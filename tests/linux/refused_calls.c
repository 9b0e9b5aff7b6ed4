/* SPDX-License-Identifier: MIT
 *
 * refused_calls.c - a sandbox refuses, before the first scheduler, one of the calls that the
 * library makes and the program need not make. The program's own calls give the same results.
 *
 * modes: default, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=0, UMSSHIM_RING=0
 * modes: UMSSHIM_FRONT=functions
 */
#include "child.h"
#include "filters.h"
#include "fleet.h"
#include "gtest_c.h"
#include "scenario.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Without mmap or threads there is nothing at all. */
static const int refused[] = {SYS_preadv2,   SYS_fcntl,
                              SYS_lseek,     SYS_fstat,
                              SYS_gettid,    SYS_getpid,
                              SYS_clone,     SYS_epoll_pwait,
                              SYS_epoll_ctl, SYS_epoll_create1,
                              SYS_eventfd2,  SYS_ioctl,
                              SYS_ppoll,     SYS_rt_tgsigqueueinfo};

enum { LIMIT_MS = 20000 };

static int run_refused(void *number)
{
    EXPECT_EQ(refuse_call(*(unsigned *)number, EPERM), 0);
    return scenario_run(1);
}

TEST(RefusedCalls, what_the_program_need_not_make)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        unsigned number = (unsigned)refused[i];
        struct child_result result = child_run(run_refused, &number, LIMIT_MS);

        EXPECT_THAT(!result.timed_out && result.exited && result.code == 0,
                    "system call %d: %s, code %d, signal %d: %s", refused[i],
                    result.timed_out ? "hangs" : "ended", result.code, result.signal,
                    result.output);
    }
}

static void raise_it(struct worker *self)
{
    raise(SIGTERM);
    FAIL("a worker goes on behind its SIGTERM");
}

static int end_by_signal(void *unused)
{
    struct fleet *fleet;

    EXPECT_EQ(refuse_call(SYS_rt_tgsigqueueinfo, EPERM), 0);
    fleet = fleet_create(1, 1, 0);
    fleet_add(fleet, raise_it, NULL);
    EXPECT_OK(fleet_run(fleet));
    return 0;
}

TEST(RefusedCalls, a_default_action_ends_the_program)
{
    struct child_result result = child_run(end_by_signal, NULL, LIMIT_MS);

    EXPECT_CHILD_SIGNAL(result, SIGTERM);
}

/* ---- A signal that goes back to the process ---- */

static void end_worker(int number)
{
    pthread_exit(NULL);
}

static void do_nothing(int number)
{
}

static void both_signals(sigset_t *both)
{
    sigemptyset(both);
    sigaddset(both, SIGUSR1);
    sigaddset(both, SIGUSR2);
}

/* The worker takes both signals of the process, and ends in the handler of the first. */
static void take_both(struct worker *self)
{
    sigset_t both;

    both_signals(&both);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &both, NULL), 0);
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    EXPECT_EQ(kill(getpid(), SIGUSR2), 0);
    pthread_sigmask(SIG_UNBLOCK, &both, NULL);
    FAIL("a worker goes on behind the handler that ends it");
}

static int end_with_a_signal(void *unused)
{
    struct sigaction ends = {.sa_handler = end_worker}, action = {.sa_handler = do_nothing};
    sigset_t pending;
    struct fleet *fleet;

    both_signals(&ends.sa_mask);
    EXPECT_EQ(sigaction(SIGUSR1, &ends, NULL), 0);
    EXPECT_EQ(sigaction(SIGUSR2, &action, NULL), 0);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &ends.sa_mask, NULL), 0);
    EXPECT_EQ(refuse_call(SYS_rt_sigqueueinfo, EPERM), 0);
    fleet = fleet_create(1, 1, 0);
    fleet_add(fleet, take_both, NULL);
    EXPECT_OK(fleet_run(fleet));
    EXPECT_EQ(sigpending(&pending), 0);
    EXPECT_EQ(sigismember(&pending, SIGUSR1), 0);
    EXPECT_EQ(sigismember(&pending, SIGUSR2), 1);
    return 0;
}

CALL_TEST(RefusedCalls, a_worker_ends_with_a_signal_of_the_process,
          EXPECT_IN_CHILD(end_with_a_signal, NULL, LIMIT_MS))

/* ---- Signals of the process ---- */

enum { VALUE = 77 };

static int values_seen;

static void see_value(int number, siginfo_t *info, void *context)
{
    EXPECT_EQ(number, SIGUSR1);
    EXPECT_EQ(info->si_pid, getpid());
    if (info->si_code == SI_QUEUE)
        values_seen += info->si_value.sival_int;
    else
        values_seen++;
}

static void handle_in_worker(struct worker *self)
{
    union sigval value = {.sival_int = VALUE};
    sigset_t both, none;

    sigemptyset(&none);
    both_signals(&both);
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    EXPECT_ERRNO(sigsuspend(&none), EINTR);
    EXPECT_EQ(values_seen, 1);
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &both, NULL), 0);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &both, NULL), 0); /* waits for the engine's thread */
    EXPECT_EQ(sigqueue(getpid(), SIGUSR1, value), 0);
    EXPECT_ERRNO(sigsuspend(&none), EINTR);
    EXPECT_EQ(values_seen, 1 + VALUE);
}

/* Runs the worker in a child process in which a sandbox refuses rt_sigtimedwait. */
static void run_with_signals(void (*work)(struct worker *))
{
    struct sigaction action = {.sa_sigaction = see_value, .sa_flags = SA_SIGINFO};
    sigset_t both;
    struct fleet *fleet;

    both_signals(&both);
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &both, NULL), 0);
    EXPECT_EQ(refuse_call(SYS_rt_sigtimedwait, EPERM), 0);
    fleet = fleet_create(1, 1, 0);
    fleet_add(fleet, work, NULL);
    EXPECT_OK(fleet_run(fleet));
}

static int handle_signals(void *unused)
{
    run_with_signals(handle_in_worker);
    return 0;
}

CALL_TEST(RefusedCalls, signals_of_the_process_come_to_workers,
          EXPECT_IN_CHILD(handle_signals, NULL, LIMIT_MS))

static void handle_own_signals(struct worker *self)
{
    sigset_t both;

    both_signals(&both);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &both, NULL), 0);
        EXPECT_EQ(raise(SIGUSR1), 0);
        EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &both, NULL), 0);
    }
    EXPECT_EQ(values_seen, 3);
}

static int do_without_them(void *unused)
{
    EXPECT_EQ(refuse_call(SYS_signalfd4, EPERM), 0);
    run_with_signals(handle_own_signals);
    return 0;
}

TEST(RefusedCalls, a_line_says_that_they_do_not_come)
{
    struct child_result result = child_run(do_without_them, NULL, LIMIT_MS);
    const char line[] = "umsshim: signals of the process do not come to workers: ";
    const char *detect = getenv("UMSSHIM_DETECT");
    bool mask_waits = !detect || strcmp(detect, "0") != 0; /* for the thread that has told it */

    EXPECT_CHILD_OK(result);
    EXPECT_THAT(child_said(&result, line) == 1 || (!mask_waits && !child_said(&result, line)),
                "\"%s\" is not once in \"%s\"", line, result.output);
}

/* ---- What every thread has to make ---- */

static void change_group(struct worker *self)
{
    EXPECT_ERRNO(setgid(getgid()), ENOSYS);
    EXPECT_ERRNO(setgid(getgid()), ENOSYS);
}

static int change_in_part(void *number)
{
    struct fleet *fleet;

    EXPECT_EQ(refuse_call(*(unsigned *)number, EPERM), 0);
    fleet = fleet_create(1, 1, 0);
    fleet_add(fleet, change_group, NULL);
    EXPECT_OK(fleet_run(fleet));
    return 0;
}

TEST(RefusedCalls, ids_are_changed_in_all_threads_or_in_none)
{
    static const unsigned needed[] = {SYS_rt_tgsigqueueinfo, SYS_getdents64};
    const char line[] = "umsshim: not all threads can be given the user or group id: ";

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        unsigned number = needed[i];
        struct child_result result = child_run(change_in_part, &number, LIMIT_MS);

        EXPECT_CHILD_OK(result);
        EXPECT_THAT(child_said(&result, line) == 1, "\"%s\" is not once in \"%s\"", line,
                    result.output);
    }
}
