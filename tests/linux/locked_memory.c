/* SPDX-License-Identifier: MIT
 *
 * locked_memory.c - a process that locks all its memory (mlockall): what the library only sets
 * aside stays so.
 *
 * modes: default
 */
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORKERS = 4, MOST_KIB = 64 << 10 };

static long resident_kib(void)
{
    char line[128];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");

    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmRSS:", 6) == 0)
            sscanf(line, "VmRSS: %ld", &kib);
    if (status)
        fclose(status);
    return kib;
}

static void sleep_a_while(struct worker *self)
{
    usleep(1000);
}

TEST(LockedMemory, arenas_are_not_filled)
{
    long before;

    if (mlockall(MCL_CURRENT | MCL_FUTURE))
        SKIP("memory cannot be locked here: errno %d", errno);
    before = resident_kib();
    struct fleet *fleet = fleet_create(1, WORKERS, 0);
    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, sleep_a_while, NULL);
    EXPECT_NE(fleet_run(fleet), 0);
    EXPECT_THAT(resident_kib() - before < MOST_KIB, "%ld KiB before, %ld with %d workers", before,
                resident_kib(), WORKERS);
    fleet_destroy(fleet);
    munlockall();
}
