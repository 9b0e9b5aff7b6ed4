/* SPDX-License-Identifier: MIT
 *
 * many_blocked_workers.c - a thousand workers block in read at once, and are released in another
 * order.
 *
 * modes: ways
 * options: LABELS stress, LIMIT 60
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MANY = 1000 };

static int pipes[MANY][2];
static int woken;

static void wait_in_read(struct worker *self)
{
    char byte = 0;

    EXPECT_EQ(read(pipes[self->index][0], &byte, 1), 1);
    EXPECT_EQ(byte, (char)self->index);
    flag_add(&woken, 1);
}

static void wake_all(struct worker *self)
{
    int count = (int)(long)self->arg;

    for (int i = 0; i < count; i++) /* until a scheduler was told that it waits */
        while (!__atomic_load_n(&fleet_worker(self->fleet, i)->blocked, __ATOMIC_ACQUIRE))
            if (!UmsThreadYield(NULL))
                return;
    EXPECT_EQ(flag_get(&woken), 0);
    for (int i = 0; i < count; i++) {
        int chosen = (int)((i * 7919l) % count); /* 7919 is prime: everyone once */
        char byte = (char)chosen;

        EXPECT_EQ(write(pipes[chosen][1], &byte, 1), 1);
    }
}

static void run(int schedulers, int count)
{
    struct rlimit files = {0, 0};
    struct fleet *fleet;

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < (rlim_t)(2 * count + 100))
        SKIP("only %ld descriptors allowed", (long)files.rlim_cur);
    fleet = fleet_create(schedulers, count + 1, FLEET_SHARED_READY);
    ASSERT_NE(fleet, NULL);
    woken = 0;
    fleet_set_stack(fleet, 64 * 1024);
    for (int i = 0; i < count; i++) {
        make_pipe(pipes[i]);
        fleet_add(fleet, wait_in_read, NULL);
    }
    fleet_add(fleet, wake_all, (void *)(long)count);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(woken, count);
    for (int i = 0; i < count; i++) {
        EXPECT_GE(fleet_worker(fleet, i)->blocked, 2);
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    fleet_destroy(fleet);
}

CALL_TEST(ManyBlockedWorkers, two_hundred, run(1, 200))
CALL_TEST(ManyBlockedWorkers, thousand_one_scheduler, run(1, MANY))
CALL_TEST(ManyBlockedWorkers, thousand_two_schedulers, run(2, MANY))
