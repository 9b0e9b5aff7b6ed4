/* SPDX-License-Identifier: MIT
 *
 * pair_stress.c - many workers at one mutex pair and at memory objects, with what must always hold.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

#include <string.h>

/* Where each switch takes its time, on a busy machine, ENOUGH_MS end it instead of ROUNDS. */
enum { LIMIT_MS = 20000, ENOUGH_MS = 6000, TASKS = 24, ROUNDS = 4000, SCHEDULERS = 3 };

static SOS_UNFAIR_MUTEX_PAIR s_pair;
static volatile LONG s_inFirst, s_inSecond, s_broken, s_rounds;
static ULONGLONG s_enough;
static LONGLONG s_first, s_second; /* plain: the mutexes are their guards */

static DWORD next_random(DWORD *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void inside(DWORD halves, DWORD random)
{
    BOOL both = halves == SOS_PAIR_BOTH;
    DWORD word = (DWORD)s_pair.word;

    if (both && (InterlockedIncrement(&s_inFirst) != 1 || !(word & 0x8000)))
        InterlockedIncrement(&s_broken);
    if (InterlockedIncrement(&s_inSecond) != 1 || !(word & 0x80000000))
        InterlockedIncrement(&s_broken);
    if (s_pair.ownerTask[1] != SosCurrentTask() ||
        s_pair.ownerScheduler[1] != CurrentWorker()->scheduler)
        InterlockedIncrement(&s_broken);
    if (both)
        s_first++;
    s_second++;
    if (random % 64 == 0)
        SosYield(); /* the owner is switched away */
    if (random % 512 == 1)
        Sleep(0);
    if (both)
        InterlockedDecrement(&s_inFirst);
    InterlockedDecrement(&s_inSecond);
}

static DWORD contend(PVOID argument)
{
    DWORD random = (DWORD)(ULONG_PTR)argument;
    LONG rounds;

    for (rounds = 0; rounds < ROUNDS && GetTickCount64() < s_enough; rounds++) {
        DWORD drawn = next_random(&random);
        DWORD halves = drawn % 4 == 0 ? SOS_PAIR_SECOND : SOS_PAIR_BOTH;

        if (drawn % 16 == 3) {
            if (!SosPairTryAcquire(&s_pair, halves))
                SosPairAcquire(&s_pair, halves);
        } else {
            SosPairAcquire(&s_pair, halves);
        }
        inside(halves, next_random(&random));
        SosPairRelease(&s_pair, halves);
        if (drawn % 8 == 5)
            SosYieldCheck();
    }
    InterlockedExchangeAdd(&s_rounds, rounds);
    return 0;
}

static void run_all(SOS_ROUTINE routine, PVOID (*argument)(int))
{
    SOS_TASK *tasks[TASKS];

    for (int i = 0; i < TASKS; i++)
        tasks[i] = SosSubmit(i % SCHEDULERS, routine, argument(i));
    for (int i = 0; i < TASKS; i++) {
        DWORD result = 99;
        SOS_STATUS status;

        ASSERT_OK(tasks[i]);
        status = SosTaskWait(tasks[i], LIMIT_MS, &result);
        EXPECT_THAT(status == SOS_OK && result == 0, "task %d: status %d, result %u", i, status,
                    (unsigned)result);
        SosTaskRelease(tasks[i]);
    }
}

static PVOID seeded(int index)
{
    static DWORD seed;

    if (!seed)
        seed = tc_seed();
    return (PVOID)(ULONG_PTR)(seed + 7919u * (unsigned)index);
}

TEST(SqlosPairStress, one_owner_at_a_time_and_nobody_is_left_behind)
{
    SOS_CONFIG config = {.schedulers = SCHEDULERS};

    SosPairInit(&s_pair);
    ASSERT_OK(SosStart(&config));
    s_enough = GetTickCount64() + ENOUGH_MS;
    run_all(contend, seeded);
    EXPECT_EQ(s_broken, 0);
    EXPECT_EQ(s_pair.word, 0);
    EXPECT_GT(s_rounds, 0);
    EXPECT_EQ(s_second, s_rounds);
    EXPECT_LT(s_first, s_second);
    EXPECT_OK(s_pair.sleeps > 0);
    EXPECT_OK(SosStop(LIMIT_MS));
}

/* ---- Memory objects -------------------------------------------------------------------------- */

static SOS_MEMORY_OBJECT *s_memory;
static PVOID volatile s_exchange; /* blocks are freed by others, elsewhere, too */

static DWORD allocate_and_free(PVOID argument)
{
    DWORD random = (DWORD)(ULONG_PTR)argument;
    unsigned char *held[8] = {NULL};
    SIZE_T sizes[8] = {0};

    for (int i = 0; i < 600; i++) {
        int slot = (int)(next_random(&random) % 8);

        if (held[slot]) {
            for (SIZE_T b = 0; b < sizes[slot]; b += 61)
                if (held[slot][b] != (unsigned char)slot)
                    return 1; /* somebody else's */
            SosMemoryFree(InterlockedExchangePointer((PVOID volatile *)&s_exchange, held[slot]));
            held[slot] = NULL;
            continue;
        }
        sizes[slot] = next_random(&random) % (i % 32 ? 3000 : 20000);
        held[slot] = (unsigned char *)SosMemoryAllocate(s_memory, sizes[slot]);
        if (!held[slot])
            return 2;
        for (SIZE_T b = 0; b < sizes[slot]; b++)
            if (held[slot][b])
                return 3; /* not zeroed */
        memset(held[slot], slot, sizes[slot]);
    }
    for (int slot = 0; slot < 8; slot++)
        SosMemoryFree(held[slot]);
    return 0;
}

static DWORD free_last_and_report(PVOID argument)
{
    SOS_MEMORY_REPORT report;

    SosMemoryFree(InterlockedExchangePointer((PVOID volatile *)&s_exchange, NULL));
    SosMemoryReport(s_memory, &report);
    EXPECT_EQ(report.partitions, (int)(ULONG_PTR)argument);
    EXPECT_EQ(report.allocations, report.frees);
    EXPECT_GE(report.allocations, TASKS * 300);
    EXPECT_EQ(report.bytes, 0);
    EXPECT_OK(!SosMemoryAllocate(s_memory, (SIZE_T)-1));
    return 0;
}

static void check_partitioning(SOS_PARTITIONING partitioning, int partitions)
{
    SOS_CONFIG config = {.schedulers = SCHEDULERS, .nodes = 2};
    SOS_TASK *last;

    ASSERT_OK(SosStart(&config));
    s_memory = SosMemoryCreate(partitioning);
    ASSERT_OK(s_memory);
    run_all(allocate_and_free, seeded);
    last = SosSubmit(1, free_last_and_report, (PVOID)(ULONG_PTR)partitions);
    EXPECT_EQ(SosTaskWait(last, LIMIT_MS, NULL), SOS_OK);
    SosTaskRelease(last);
    SosMemoryDestroy(s_memory);
    EXPECT_OK(SosStop(LIMIT_MS));
}

CALL_TEST(SqlosMemory, a_global_object_is_one_heap, check_partitioning(SOS_MEMORY_GLOBAL, 1))
CALL_TEST(SqlosMemory, partitioned_by_node_there_are_as_many_heaps_as_nodes,
          check_partitioning(SOS_MEMORY_PER_NODE, 2))
CALL_TEST(SqlosMemory, partitioned_by_processor_there_are_as_many_heaps_as_schedulers,
          check_partitioning(SOS_MEMORY_PER_CPU, SCHEDULERS))

TEST(SqlosMemory, destroying_takes_what_is_left_along)
{
    SOS_CONFIG config = {.schedulers = SCHEDULERS};

    ASSERT_OK(SosStart(&config));
    for (int round = 0; round < 20; round++) {
        s_memory = SosMemoryCreate(SOS_MEMORY_PER_CPU);
        ASSERT_OK(s_memory);
        run_all(allocate_and_free, seeded);
        s_exchange = NULL; /* one block is left */
        SosMemoryDestroy(s_memory);
    }
    EXPECT_OK(SosStop(LIMIT_MS));
}
