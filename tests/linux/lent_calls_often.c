/* SPDX-License-Identifier: MIT
 *
 * lent_calls_often.c - many short sleeps in lent calls (lent_calls.c): a scheduler's workers run
 * one at a time, on whatever carrier, even if they are suspended again and again.
 *
 * modes: UMSSHIM_FAULTS=1, UMSSHIM_FAULTS=1 UMSSHIM_FRONT=functions
 * with: ../support/short_ring.c
 */
#include "fleet.h"
#include "gtest_c.h"
#include "short_ring.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { SLEEPERS = 4, SLEEPS = 1500 };

static atomic_int worst, finished;

/* A worker's time in its section: from which number of suspensions on; 0: it is not there. */
static _Atomic unsigned inside[SLEEPERS];
/* Of each worker, by the thread that interferes: before SuspendThread, and when ResumeThread has returned. From 1 on. */
static _Atomic unsigned begun[SLEEPERS], over[SLEEPERS];

/* A worker that is suspended in its section leaves its scheduler to others, and stays there. */
static bool may_be_suspended(int other, unsigned since)
{
    return since == UINT_MAX || atomic_load(&begun[other]) != since;
}

static void enter_section(int own)
{
    unsigned done = atomic_load(&over[own]), asked = atomic_load(&begun[own]);
    int others = 0;

    atomic_store(&inside[own], done == asked ? asked : UINT_MAX);
    for (int i = 0; i < SLEEPERS; i++) {
        unsigned since = i == own ? 0 : atomic_load(&inside[i]);

        others += since && !may_be_suspended(i, since);
    }
    if (others > atomic_load(&worst))
        atomic_store(&worst, others);
}

/* A scheduler's workers run one at a time, whoever carries them. */
static void sleep_shortly(struct worker *self)
{
    struct short_ring ring;
    unsigned draw = (unsigned)self->index * 7919u + 1;

    EXPECT_OK(short_ring_open(&ring));
    ring.bare = self->index % 2;
    for (int i = 0; i < SLEEPS; i++) {
        enter_section(self->index);
        for (volatile int spin = 0; spin < 200; spin++)
            continue;
        atomic_store(&inside[self->index], 0);
        draw = draw * 1103515245u + 12345;
        EXPECT_EQ(short_ring_sleep(&ring, (draw >> 16) % 200 * 1000l), -ETIME);
        if (draw >> 28 == 0)
            UmsThreadYield(NULL);
    }
    short_ring_close(&ring);
    atomic_fetch_add(&finished, 1);
}

static struct fleet *sleepers;

static void *interfere(void *unused)
{
    for (unsigned turn = 0; atomic_load(&finished) < SLEEPERS; turn++) {
        int which = (int)(turn % SLEEPERS);
        HANDLE victim = fleet_worker(sleepers, which)->thread;

        atomic_fetch_add(&begun[which], 1);
        if (SuspendThread(victim) != (DWORD)-1)
            ResumeThread(victim);
        atomic_fetch_add(&over[which], 1);
        usleep(300);
    }
    return NULL;
}

static void run_sleepers(bool interfering)
{
    struct short_ring ring;
    pthread_t thread;

    if (!short_ring_open(&ring))
        SKIP("io_uring is not to be had: %s", strerror(errno));
    short_ring_close(&ring);
    sleepers = fleet_create(1, SLEEPERS, 0);
    atomic_store(&worst, 0);
    atomic_store(&finished, 0);
    for (int i = 0; i < SLEEPERS; i++) {
        atomic_store(&begun[i], 1);
        atomic_store(&over[i], 1);
    }
    for (int i = 0; i < SLEEPERS; i++)
        fleet_add(sleepers, sleep_shortly, NULL);
    if (interfering)
        ASSERT_EQ(pthread_create(&thread, NULL, interfere, NULL), 0);
    EXPECT_OK(fleet_run(sleepers));
    if (interfering)
        EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(atomic_load(&worst), 0);
    EXPECT_GE(fleet_counts(sleepers).blocked, SLEEPERS);
    fleet_destroy(sleepers);
}

TEST(LentCallsOften, and_nothing_else)
{
    run_sleepers(false);
}

TEST(LentCallsOften, of_workers_that_are_suspended_again_and_again)
{
    run_sleepers(true);
}
