/* SPDX-License-Identifier: MIT
 *
 * migration.c - the run matrix of the contract's section 17: schedulers by workers, one list or
 * several, workers that stay and workers that move (EX-13, CL-4, YD-8, BL-4, BL-5).
 *
 * modes: ums, UMSSHIM_STRICT=1
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"

struct work {
    int steps;
    int sleeps; /* every so many steps; 0: never */
    int inside; /* workers in this section of user code, by worker: must never exceed 1 */
    long long sum;
};

static void yield_and_sleep(struct worker *self)
{
    struct work *work = self->arg;

    for (int i = 0; i < work->steps; i++) {
        if (flag_add(&work->inside, 1) != 1)
            FAIL("YD-8: worker %d runs twice at once", self->index);
        work->sum += i;
        flag_add(&work->inside, -1);
        if (work->sleeps && i % work->sleeps == work->sleeps - 1) {
            Sleep(1);
        } else if (!UmsThreadYield(NULL)) {
            FAIL("yield failed: last error %u", (unsigned)GetLastError());
            return;
        }
    }
}

static void run(int schedulers, int workers, unsigned flags, int steps, int sleeps)
{
    static struct work works[128];
    struct fleet *fleet = fleet_create(schedulers, workers, flags);
    long long sum = (long long)steps * (steps - 1) / 2;

    ASSERT_NE(fleet, NULL);
    if (flags & FLEET_RANDOM)
        fleet_set_seed(fleet, tc_seed());
    for (int i = 0; i < workers; i++) {
        works[i] = (struct work){.steps = steps, .sleeps = sleeps};
        fleet_add(fleet, yield_and_sleep, &works[i]);
    }
    ASSERT_OK(fleet_run(fleet));
    for (int i = 0; i < workers; i++)
        EXPECT_EQ(works[i].sum, sum);
    fleet_destroy(fleet);
}

CALL_TEST(Migration, one_by_one, run(1, 1, 0, 20000, 1000))
CALL_TEST(Migration, one_by_many, run(1, 40, 0, 2000, 500))
CALL_TEST(Migration, many_by_many_shared_list_own_queues, run(2, 40, 0, 2000, 200))
CALL_TEST(Migration, many_by_many_own_lists_own_queues, run(3, 40, FLEET_OWN_LISTS, 2000, 200))

/* Here the list of a worker's creation is often not that of the scheduler it runs on (BL-4). */
CALL_TEST(Migration, many_by_many_own_lists_shared_queue,
          run(3, 40, FLEET_OWN_LISTS | FLEET_SHARED_READY, 2000, 100))
CALL_TEST(Migration, many_by_many_shared_list_shared_queue,
          run(2, 40, FLEET_SHARED_READY, 2000, 100))
CALL_TEST(Migration, random_order,
          run(3, 64, FLEET_OWN_LISTS | FLEET_SHARED_READY | FLEET_RANDOM, 1000, 50))
CALL_TEST(Migration, yields_only, run(2, 8, FLEET_SHARED_READY, 20000, 0))
CALL_TEST(Migration, sleeps_only, run(2, 64, FLEET_SHARED_READY, 30, 1))
CALL_TEST(Migration, more_schedulers_than_workers, run(4, 2, FLEET_SHARED_READY, 5000, 100))
CALL_TEST(Migration, eight_schedulers,
          run(8, 64, FLEET_OWN_LISTS | FLEET_SHARED_READY | FLEET_RANDOM, 500, 50))
