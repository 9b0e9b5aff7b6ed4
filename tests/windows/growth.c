/* SPDX-License-Identifier: MIT
 *
 * growth.c - a thousand workers at once, and many one after the other: neither handles nor memory
 * may grow with those that have ended.
 *
 * modes: default
 * libraries: synchronization, ws2_32
 * options: LIMIT 60
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdlib.h>

enum { WARM_UP = 300, CYCLES = 1500 };

/* Wine counts neither handles nor private memory. A handle's value tells how many there are: values
 * that are free are given out again. Memory is gone through. */
static DWORD handles(void)
{
    HANDLE probe = CreateEventA(NULL, FALSE, FALSE, NULL);
    DWORD value = (DWORD)(ULONG_PTR)probe / 4;

    EXPECT_GT(value, 0);
    EXPECT_OK(CloseHandle(probe));
    return value;
}

static SIZE_T committed(void)
{
    MEMORY_BASIC_INFORMATION region;
    SIZE_T bytes = 0;

    for (char *at = NULL; VirtualQuery(at, &region, sizeof region);
         at = (char *)region.BaseAddress + region.RegionSize)
        if (region.State == MEM_COMMIT && region.Type == MEM_PRIVATE)
            bytes += region.RegionSize;
    EXPECT_GT(bytes, 0);
    return bytes;
}

/* Sleeps on an address, so that the worker has had its event as well. */
static DWORD WINAPI block_once(LPVOID param)
{
    LONG zero = 0, value = 0;

    WaitOnAddress(&value, &zero, sizeof zero, 0);
    UmsThreadYield(NULL);
    return 0;
}

static void cycle(PUMS_COMPLETION_LIST list)
{
    struct bare worker;

    ASSERT_OK(bare_create(&worker, list, block_once, NULL, 0));
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    EXPECT_EQ(WaitForSingleObject(worker.thread, 5000), WAIT_OBJECT_0);
    bare_delete(&worker);
}

TEST(Growth, create_run_finish)
{
    const char *text = getenv("UMSSHIM_CYCLES");
    int cycles = text ? atoi(text) : CYCLES;
    PUMS_COMPLETION_LIST list;
    DWORD handles_before;
    SIZE_T memory_before;

    ASSERT_OK(CreateUmsCompletionList(&list));
    for (int i = 0; i < WARM_UP && !tc_failures(); i++)
        cycle(list);
    handles_before = handles();
    memory_before = committed();
    for (int i = 0; i < cycles && !tc_failures(); i++)
        cycle(list);
    tc_note("handles %u -> %u, memory %u -> %u KiB", (unsigned)handles_before, (unsigned)handles(),
            (unsigned)(memory_before >> 10), (unsigned)(committed() >> 10));
    EXPECT_LE(handles(), handles_before + 8);
    EXPECT_LE(committed(), memory_before + (1 << 20));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void sleep_once(struct worker *self)
{
    UmsThreadYield(NULL);
    Sleep(20);
    UmsThreadYield(self);
}

TEST(Growth, a_thousand_workers)
{
    struct fleet *fleet = fleet_create(2, 1000, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    fleet_set_stack(fleet, 64 << 10);
    for (int i = 0; i < 1000; i++)
        fleet_add(fleet, sleep_once, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(fleet_counts(fleet).ended, 1000);
    fleet_destroy(fleet);
}
