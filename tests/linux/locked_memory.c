/* SPDX-License-Identifier: MIT
 *
 * locked_memory.c - a process that locks all its memory (mlockall): memory that the library only
 * reserves stays without pages.
 *
 * modes: default
 */
#include "fleet.h"
#include "gtest_c.h"
#include "own_status.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORKERS = 4, MOST_KIB = 64 << 10 };

static void sleep_a_while(struct worker *self)
{
    usleep(1000);
}

TEST(LockedMemory, arenas_are_not_filled)
{
    long before;

    if (mlockall(MCL_CURRENT | MCL_FUTURE))
        SKIP("memory cannot be locked here: errno %d", errno);
    before = number_in_status("VmRSS");
    struct fleet *fleet = fleet_create(1, WORKERS, 0);
    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, sleep_a_while, NULL);
    EXPECT_NE(fleet_run(fleet), 0);
    EXPECT_THAT(number_in_status("VmRSS") - before < MOST_KIB,
                "%ld KiB before, %ld with %d workers", before, number_in_status("VmRSS"), WORKERS);
    fleet_destroy(fleet);
    munlockall();
}
