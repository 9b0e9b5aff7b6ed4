/* SPDX-License-Identifier: MIT
 *
 * page_faults_of_files.c - hard faults in views of a file that is slow to read, if UMSSHIM_FAULTS=1
 * asks for upcalls: another worker runs meanwhile, and the page has the right bytes.
 *
 * modes: UMSSHIM_FAULTS=1
 * with: seen_faults.c, ../support/slow_file.c
 * options: SERIAL
 */
#include "fleet.h"
#include "gtest_c.h"
#include "seen_faults.h"
#include "slow_file.h"

#include <stdatomic.h>
#include <stdio.h>

enum { PAGE = 4096, READ_US = 20000, NOTICED = 5, SOON_US = 1500, FAULTS = 60, STEP = 8 };

static volatile unsigned char *view;

/* Never yields: whoever runs meanwhile runs because of a fault. */
static void read_pages(struct worker *self)
{
    /* On a busy machine one may be over before anybody looks, and a look may come late. */
    for (int i = 1; i <= FAULTS && (atomic_load(&faults_seen) < NOTICED ||
                                    atomic_load(&soonest_seen_us) >= SOON_US);
         i++) {
        unsigned char byte;

        atomic_store(&fault_since, now_us());
        byte = view[i * STEP * PAGE];
        atomic_store(&fault_since, 0);
        EXPECT_EQ(byte, i * STEP % 251 + 1);
    }
    atomic_store(&faults_over, true);
}

TEST(PageFaultsOfFiles, a_slow_view)
{
    struct slow_file slow;
    const char *refusal = slow_file_make(&slow, READ_US);
    struct fleet *fleet;
    HANDLE file, section;

    if (refusal)
        SKIP("%s", refusal);
    file = CreateFileA(slow.path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    section = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
    view = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
    EXPECT_OK(view != NULL);
    fleet = fleet_create(1, 2, 0);
    if (view && fleet) {
        fleet_add(fleet, read_pages, NULL);
        fleet_add(fleet, see_faults, NULL);
        EXPECT_OK(fleet_run(fleet));
        EXPECT_GE(atomic_load(&faults_seen), NOTICED);
        EXPECT_GE(fleet_counts(fleet).traps, NOTICED);
        EXPECT_LT(atomic_load(&soonest_seen_us), SOON_US);
        printf("of a fault of %d us another worker ran after %ld us\n", READ_US,
               atomic_load(&soonest_seen_us));
    }
    fleet_destroy(fleet);
    EXPECT_OK(UnmapViewOfFile((void *)view));
    EXPECT_OK(CloseHandle(section));
    EXPECT_OK(CloseHandle(file));
    slow_file_drop(&slow);
}
