/* SPDX-License-Identifier: MIT
 *
 * signals_that_come_soon.c - signals that come again before the last one was handled: a worker's
 * calls about its mask, or about its own process, return, and the worker goes on.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_LIMIT_MS = 10000 }; /* a worker that hangs cannot say so: another process does */

static int handled, depth_left, ran_in_place;

static void count_signal(int number)
{
    flag_add(&handled, 1);
}

static void install(int number)
{
    struct sigaction action = {.sa_handler = count_signal};

    flag_set(&handled, 0);
    EXPECT_EQ(sigaction(number, &action, NULL), 0);
}

static void interval(int microseconds)
{
    struct itimerval often = {{0, microseconds}, {0, microseconds}};

    EXPECT_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
}

/* ---- a timer ---- */

static void short_polls(struct block_case *c)
{
    for (int i = 0; i < 200; i++)
        poll(NULL, 0, 1);
}

static int poll_under_timer(void *microseconds)
{
    struct block_case c = {.number = 0};

    install(SIGALRM);
    interval((int)(long)microseconds);
    run_in_worker(short_polls, &c);
    interval(0);
    EXPECT_GE(flag_get(&handled), 10);
    return tc_failures() != 0;
}

CALL_TEST(SignalsThatComeSoon, timer_of_20_us,
          EXPECT_IN_CHILD(poll_under_timer, (void *)20L, CHILD_LIMIT_MS))
CALL_TEST(SignalsThatComeSoon, timer_of_100_us,
          EXPECT_IN_CHILD(poll_under_timer, (void *)100L, CHILD_LIMIT_MS))

/* ---- another process that sends without an end: queued ones slower, since each is handled ---- */

static void change_and_send(struct block_case *c)
{
    int number = (int)c->number;
    sigset_t one, old;

    sigemptyset(&one);
    sigaddset(&one, number);
    for (int i = 0; i < 100; i++) {
        EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &one, &old), 0);
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &old, NULL), 0);
        EXPECT_EQ(kill(getpid(), number), 0);
    }
}

static pid_t start_sender(int number)
{
    const struct timespec gap = {0, 50000};
    pid_t target = getpid(), child = fork();

    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        kill(target, number);
        if (number >= SIGRTMIN)
            nanosleep(&gap, NULL);
    }
}

/* Waits for the child's end. The child's last signal may come meanwhile, and waitpid then has to
 * say EINTR. */
static pid_t ended(pid_t child)
{
    pid_t answer;

    do
        answer = waitpid(child, NULL, 0);
    while (answer == -1 && errno == EINTR);
    return answer;
}

static int change_under_fire(void *number)
{
    struct block_case c = {.number = (long)number};

    install((int)c.number);
    pid_t sender = start_sender((int)c.number);
    EXPECT_GE(sender, 1);
    run_in_worker(change_and_send, &c);
    EXPECT_EQ(kill(sender, SIGKILL), 0);
    EXPECT_EQ(ended(sender), sender);
    return tc_failures() != 0;
}

CALL_TEST(SignalsThatComeSoon, standard_ones_from_outside,
          EXPECT_IN_CHILD(change_under_fire, (void *)(long)SIGUSR1, CHILD_LIMIT_MS))
CALL_TEST(SignalsThatComeSoon, queued_ones_from_outside,
          EXPECT_IN_CHILD(change_under_fire, (void *)(long)(SIGRTMIN + 3), CHILD_LIMIT_MS))

/* ---- a worker's own, which are all handled before it goes on ---- */

static void send_again(int number)
{
    flag_add(&handled, 1);
    if (depth_left-- > 0)
        raise(number);
}

static void raise_often(struct block_case *c)
{
    depth_left = 300;
    EXPECT_EQ(raise(SIGUSR1), 0);
    ran_in_place = flag_get(&handled);
}

TEST(SignalsThatComeSoon, sent_again_by_its_handler)
{
    struct block_case c = {.number = 0};
    struct sigaction action = {.sa_handler = send_again};

    flag_set(&handled, 0);
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    run_in_worker(raise_often, &c);
    EXPECT_EQ(ran_in_place, 301);
}
