/* SPDX-License-Identifier: MIT
 *
 * meeting.c - see meeting.h.
 */
#include <winsock2.h>

#include "fleet.h"
#include "gtest_c.h"
#include "meeting.h"

static void blocked_worker(struct worker *self)
{
    struct meeting *meeting = self->arg;

    flag_set(&meeting->entered, 1);
    meeting->block(meeting);
    flag_set(&meeting->returned, 1);
}

static void completing_worker(struct worker *self)
{
    struct meeting *meeting = self->arg;

    if (!yield_until(&meeting->entered))
        return;
    EXPECT_EQ(flag_get(&meeting->returned), 0); /* else we ran after it, not meanwhile */
    if (meeting->complete)
        meeting->complete(meeting);
}

void meet(struct meeting *meeting)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, blocked_worker, meeting);
    fleet_add(fleet, completing_worker, meeting);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(meeting->returned, 1);
    EXPECT_GE(fleet_worker(fleet, 0)->blocked, 2); /* the call, and its end */
    fleet_destroy(fleet);
    if (meeting->a)
        EXPECT_OK(CloseHandle(meeting->a));
    if (meeting->b)
        EXPECT_OK(CloseHandle(meeting->b));
}
