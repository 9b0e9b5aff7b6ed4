/* SPDX-License-Identifier: MIT
 *
 * two_schedulers.h - workers whose next step is on another carrier, or on another scheduler.
 */
#ifndef UMSSHIM_TESTS_LINUX_TWO_SCHEDULERS_H
#define UMSSHIM_TESTS_LINUX_TWO_SCHEDULERS_H

#include "fleet.h"
#include "gtest_c.h"

#include <unistd.h>

/* Blocks, or yields. */
static inline void leave_scheduler(struct worker *self, int round)
{
    if (round % 3 == 2)
        usleep(300);
    else
        UmsThreadYield(self);
}

static inline void run_on_two(int count, worker_body body)
{
    struct fleet *fleet = fleet_create(2, count, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < count; i++)
        fleet_add(fleet, body, NULL);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

#endif
