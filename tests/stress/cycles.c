/* SPDX-License-Identifier: MIT
 *
 * cycles.c - workers that are created, run, and end, one after the other: memory, handles,
 * descriptors and kernel threads stay what they were. And many that are alive at once: created,
 * blocked, released and ended in one run.
 *
 * UMSSHIM_STRESS_CYCLES is how many one after the other, UMSSHIM_STRESS_ALIVE how many at once; ten million, and
 * thirty thousand, by hand with UMSSHIM_TEST_LIMIT=0.
 */
#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "own_status.h"
#include "tally.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What another processor's threads take when they begin. */
enum { KIB_MORE = 1024, FEW = 16 };
enum { WARM_UP = 1000, CYCLES = 5000, ALIVE = 500 };

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);

    return text ? atoi(text) : otherwise;
}

/* ---- One after the other ----------------------------------------------------------------------- */

struct held {
    long kib, handles, descriptors, threads;
};

static long descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    long count = 0;

    EXPECT_OK(directory != NULL);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

/* Values that are free are given out again: a new one tells how many there are. */
static long handles(void)
{
    HANDLE probe = CreateEventA(NULL, FALSE, FALSE, NULL);
    long value = (long)(ULONG_PTR)probe;

    EXPECT_GT(value, 0);
    EXPECT_OK(CloseHandle(probe));
    return value / 4;
}

static struct held look(void)
{
    return (struct held){.kib = own_memory_kib(),
                         .handles = handles(),
                         .descriptors = descriptors(),
                         .threads = number_in_status("Threads")};
}

static DWORD WINAPI yield_once(LPVOID param)
{
    UmsThreadYield(param);
    return 0;
}

/* Blocks, so that it has had its part of every stock. */
static DWORD WINAPI sleep_once(LPVOID param)
{
    Sleep(1);
    UmsThreadYield(param);
    return 0;
}

static void cycle(PUMS_COMPLETION_LIST list, int index)
{
    struct bare worker;

    ASSERT_OK(bare_create(&worker, list, index % 64 ? yield_once : sleep_once, NULL, 0));
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    ASSERT_EQ(WaitForSingleObject(worker.thread, 20000), WAIT_OBJECT_0);
    bare_delete(&worker);
    tally_add(TALLY_CREATIONS, 2);
    tally_add(TALLY_ENDS, 1);
    tally_add(TALLY_DELETIONS, 1);
}

TEST(Cycles, one_after_the_other)
{
    int cycles = number("UMSSHIM_STRESS_CYCLES", CYCLES);
    PUMS_COMPLETION_LIST list;
    struct held before, after;

    ASSERT_OK(CreateUmsCompletionList(&list));
    for (int i = 0; i < WARM_UP && !tc_failures(); i++)
        cycle(list, i);
    before = look();
    for (int i = 0; i < cycles && !tc_failures(); i++)
        cycle(list, i);
    after = look();
    tc_note("%d cycles: memory %ld -> %ld KiB, handles %ld -> %ld, descriptors %ld -> %ld, "
            "kernel threads %ld -> %ld",
            cycles, before.kib, after.kib, before.handles, after.handles, before.descriptors,
            after.descriptors, before.threads, after.threads);
    EXPECT_LE(after.kib, before.kib + KIB_MORE);
    EXPECT_LE(after.handles, before.handles + FEW);
    EXPECT_LE(after.descriptors, before.descriptors + FEW);
    EXPECT_LE(after.threads, before.threads + FEW);
    EXPECT_OK(DeleteUmsCompletionList(list));
    tally_say();
}

/* ---- All at once ------------------------------------------------------------------------------- */

static HANDLE gate;
static int wait_for_gate_count;

static void wait_for_gate(struct worker *self)
{
    (void)self;
    UmsThreadYield(NULL);
    EXPECT_EQ(WaitForSingleObject(gate, INFINITE), WAIT_OBJECT_0);
    flag_add(&wait_for_gate_count, 1);
    tally_add(TALLY_WAITS, 1);
    tally_add(TALLY_YIELDS, 1);
}

/* The last worker: it opens the gate when all the others wait. */
static void open_gate(struct worker *self)
{
    int others = (int)(INT_PTR)self->arg;

    for (int i = 0; i < others; i++)
        while (!__atomic_load_n(&fleet_worker(self->fleet, i)->blocked, __ATOMIC_ACQUIRE))
            UmsThreadYield(NULL);
    EXPECT_EQ(flag_get(&wait_for_gate_count), 0);
    EXPECT_OK(SetEvent(gate));
}

TEST(Cycles, all_at_once)
{
    int count = number("UMSSHIM_STRESS_ALIVE", ALIVE);
    struct fleet *fleet = fleet_create(2, count + 1, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    gate = CreateEventA(NULL, TRUE, FALSE, NULL);
    flag_set(&wait_for_gate_count, 0);
    fleet_set_stack(fleet, 64 << 10);
    fleet_set_limit(fleet, (DWORD)(20000 + count * 10));
    for (int i = 0; i < count; i++)
        fleet_add(fleet, wait_for_gate, NULL);
    fleet_add(fleet, open_gate, (void *)(INT_PTR)count);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(flag_get(&wait_for_gate_count), count);
    EXPECT_EQ(fleet_counts(fleet).ended, count + 1);
    tc_note("%d workers were alive and blocked at once", count);
    fleet_destroy(fleet);
    EXPECT_OK(CloseHandle(gate));
    tally_say();
}
