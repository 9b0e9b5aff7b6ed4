/* SPDX-License-Identifier: MIT
 *
 * ending_signals.c - a worker that ends is a thread until its last destructor has returned: signals
 * that are sent to it meanwhile run their handlers, as a collector that stops all threads expects.
 *
 * modes: ways
 */
#include "fleet.h"
#include "gtest_c.h"

#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <unistd.h>

enum { STOP = SIGUSR1, GO = SIGUSR2, LIMIT_MS = 8000, A_WHILE_MS = 30 };

/* libc alone knows of a key of C11's: its destructor runs on the worker's own thread. */
static tss_t key;

static struct {
    pthread_t thread;
    int tid;
    int in_destructor, may_end, opens, stopped_on, gone_on;
} ending;

static bool becomes(int *flag, int limit_ms)
{
    while (!flag_get(flag) && limit_ms-- > 0)
        usleep(1000);
    return flag_get(flag) != 0;
}

static void on_stop(int number)
{
    sigset_t open;

    sigfillset(&open);
    sigdelset(&open, GO);
    flag_set(&ending.stopped_on, gettid());
    sigsuspend(&open);
    flag_set(&ending.gone_on, 1);
}

static void on_go(int number)
{
}

static void destroy(void *unused)
{
    sigset_t stop;

    flag_set(&ending.tid, gettid());
    flag_set(&ending.in_destructor, 1);
    EXPECT_EQ(becomes(&ending.may_end, LIMIT_MS), true);
    if (!ending.opens)
        return;
    EXPECT_EQ(flag_get(&ending.stopped_on), 0);
    sigemptyset(&stop);
    sigaddset(&stop, STOP);
    pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
    EXPECT_EQ(flag_get(&ending.gone_on), 1);
}

static void end(struct worker *self)
{
    ending.thread = pthread_self();
    EXPECT_EQ(tss_set(key, &ending), thrd_success);
}

static void block_and_end(struct worker *self)
{
    sigset_t stop;

    sigemptyset(&stop);
    sigaddset(&stop, STOP);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &stop, NULL), 0);
    end(self);
}

static void *stop_and_let_go(void *unused)
{
    if (!becomes(&ending.in_destructor, LIMIT_MS))
        return NULL;
    EXPECT_EQ(pthread_kill(ending.thread, STOP), 0);
    if (ending.opens) {
        usleep(A_WHILE_MS * 1000);
        flag_set(&ending.may_end, 1);
    }
    if (becomes(&ending.stopped_on, LIMIT_MS))
        EXPECT_EQ(pthread_kill(ending.thread, GO), 0);
    becomes(&ending.gone_on, LIMIT_MS);
    flag_set(&ending.may_end, 1);
    return NULL;
}

static void run(worker_body body, bool opens)
{
    struct sigaction action = {.sa_handler = on_stop};
    struct fleet *fleet = fleet_create(1, 1, 0);
    pthread_t sender;

    ASSERT_NE(fleet, NULL);
    ending = (typeof(ending)){.opens = opens};
    EXPECT_EQ(tss_create(&key, destroy), thrd_success);
    sigfillset(&action.sa_mask);
    EXPECT_EQ(sigaction(STOP, &action, NULL), 0);
    action.sa_handler = on_go;
    EXPECT_EQ(sigaction(GO, &action, NULL), 0);
    ASSERT_EQ(pthread_create(&sender, NULL, stop_and_let_go, NULL), 0);
    fleet_add(fleet, body, NULL);
    ASSERT_OK(fleet_run(fleet));
    pthread_join(sender, NULL);
    EXPECT_EQ(flag_get(&ending.gone_on), 1);
    EXPECT_EQ(ending.stopped_on, ending.tid);
    tss_delete(key);
    fleet_destroy(fleet);
}

TEST(EndingSignals, one_sent_to_a_worker_in_its_destructors_runs_its_handler)
{
    run(end, false);
}

TEST(EndingSignals, one_that_the_worker_blocks_waits_until_a_destructor_opens_it)
{
    run(block_and_end, true);
}
