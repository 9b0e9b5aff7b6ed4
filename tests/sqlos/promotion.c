/* SPDX-License-Identifier: MIT
 *
 * promotion.c - a dynamic memory object goes from global to nodes to processors where it is contended.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

enum { LIMIT_MS = 15000, SCHEDULERS = 4, NODES = 2, ALLOCATORS = 4, ALONE = 5000 };

static SOS_MEMORY_OBJECT *s_memory;
static volatile LONG s_enough;
static SOS_MEMORY_REPORT s_report;

static DWORD finish(SOS_TASK *task)
{
    DWORD result = 99;

    EXPECT_OK(task);
    if (!task)
        return result;
    EXPECT_EQ(SosTaskWait(task, LIMIT_MS, &result), SOS_OK);
    SosTaskRelease(task);
    return result;
}

static DWORD report(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    SosMemoryReport(s_memory, &s_report);
    return 0;
}

static DWORD allocate_alone(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    for (int i = 0; i < ALONE; i++)
        SosMemoryFree(SosMemoryAllocate(s_memory, 100));
    return 0;
}

/* Frees last what it allocated first, at whatever level that was. */
static DWORD allocate_until_enough(PVOID argument)
{
    PVOID first = SosMemoryAllocate(s_memory, 3000);

    UNREFERENCED_PARAMETER(argument);
    while (!s_enough && first) {
        SosMemoryFree(SosMemoryAllocate(s_memory, 100));
        SosYield();
    }
    SosMemoryFree(first);
    return first == NULL;
}

/* Holds the heap of this scheduler while each of the others on it runs: each collides. */
static DWORD hold_until_promoted(PVOID level)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS / 2;

    do {
        SOS_UNFAIR_MUTEX_PAIR *pair = MemoryPair(s_memory, SosCurrentScheduler());

        SosPairAcquire(pair, SOS_PAIR_BOTH);
        SosYield();
        SosPairRelease(pair, SOS_PAIR_BOTH);
        SosYield();
        SosMemoryReport(s_memory, &s_report);
    } while (s_report.level < (SOS_PARTITIONING)(ULONG_PTR)level && GetTickCount64() < limit);
    InterlockedExchange(&s_enough, TRUE);
    return (DWORD)s_report.level;
}

static void contend_until(SOS_PARTITIONING level)
{
    SOS_TASK *allocators[ALLOCATORS];
    SOS_TASK *holder;

    s_enough = FALSE;
    for (int i = 0; i < ALLOCATORS; i++)
        allocators[i] = SosSubmit(0, allocate_until_enough, NULL);
    holder = SosSubmit(0, hold_until_promoted, (PVOID)(ULONG_PTR)level);
    EXPECT_EQ(finish(holder), (DWORD)level);
    for (int i = 0; i < ALLOCATORS; i++)
        EXPECT_EQ(finish(allocators[i]), 0);
    finish(SosSubmit(1, report, NULL));
    EXPECT_EQ(s_report.level, level);
    EXPECT_EQ(s_report.allocations, s_report.frees);
    EXPECT_EQ(s_report.bytes, 0);
}

static void start(int schedulers, int nodes)
{
    SOS_CONFIG config = {.schedulers = schedulers, .nodes = nodes};

    EXPECT_OK(SosStart(&config));
    s_memory = SosMemoryCreate(SOS_MEMORY_DYNAMIC);
    EXPECT_OK(s_memory);
}

static void stop(void)
{
    SosMemoryDestroy(s_memory);
    EXPECT_OK(SosStop(LIMIT_MS));
}

TEST(SqlosPromotion, without_contention_it_stays_global)
{
    start(SCHEDULERS, NODES);
    finish(SosSubmit(0, allocate_alone, NULL));
    finish(SosSubmit(1, allocate_alone, NULL));
    finish(SosSubmit(3, report, NULL));
    EXPECT_EQ(s_report.level, SOS_MEMORY_GLOBAL);
    EXPECT_EQ(s_report.partitions, 1);
    EXPECT_EQ(s_report.allocations, 2 * ALONE);
    stop();
}

TEST(SqlosPromotion, contention_leads_to_nodes_and_then_to_processors)
{
    start(SCHEDULERS, NODES);
    contend_until(SOS_MEMORY_PER_NODE);
    EXPECT_EQ(s_report.partitions, NODES);
    contend_until(SOS_MEMORY_PER_CPU);
    EXPECT_EQ(s_report.partitions, SCHEDULERS);
    stop();
}

TEST(SqlosPromotion, a_level_that_divides_nothing_is_left_out)
{
    start(2, 1); /* one node: as good as global */
    contend_until(SOS_MEMORY_PER_CPU);
    EXPECT_EQ(s_report.partitions, 2);
    stop();
}
