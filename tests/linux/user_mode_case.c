/* SPDX-License-Identifier: MIT
 *
 * user_mode_case.c - see user_mode_case.h.
 */
#include "user_mode_case.h"

#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "tasks_in.h"

#include <pthread.h>
#include <unistd.h>

enum { SETTLE_US = 20000 };

static void enter(struct worker *self)
{
    struct wait *wait = self->arg;

    wait->call(wait, self->index);
    flag_add(&wait->returned, 1);
}

static void wait_until_blocked(struct wait *wait)
{
    long long started = now_ms();

    for (int i = 0; i < WAITERS; i++) {
        const long *blocked = &fleet_worker(wait->fleet, i)->blocked;

        while (!__atomic_load_n(blocked, __ATOMIC_ACQUIRE) && elapsed_ms(started) < LIMIT_MS)
            usleep(500);
        EXPECT_GE(__atomic_load_n(blocked, __ATOMIC_ACQUIRE), 1);
    }
}

static void expect_nobody_else(struct wait *wait)
{
    int found = tasks_in(wait->nr, wait->other);

    EXPECT_GE(found, 0);
    EXPECT_LE(found, wait->stand);
}

static void *watch(void *arg)
{
    struct wait *wait = arg;

    wait_until_blocked(wait);
    usleep(SETTLE_US);
    if (!wait->ends_by_itself)
        EXPECT_EQ(flag_get(&wait->returned), 0);
    expect_nobody_else(wait);
    wait->release(wait);
    return NULL;
}

void run_wait(struct wait *wait)
{
    pthread_t thread;

    wait->fleet = fleet_create(1, WAITERS, 0);
    ASSERT_NE(wait->fleet, NULL);
    wait->open(wait);
    for (int i = 0; i < WAITERS; i++)
        fleet_add(wait->fleet, enter, wait);
    EXPECT_EQ(pthread_create(&thread, NULL, watch, wait), 0);
    ASSERT_OK(fleet_run(wait->fleet));
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(wait->returned, WAITERS);
    fleet_destroy(wait->fleet);
    for (int i = 0; i < WAITERS; i++) {
        if (wait->fd[i] > 0)
            close(wait->fd[i]);
        if (wait->peer[i] > 0)
            close(wait->peer[i]);
    }
}
