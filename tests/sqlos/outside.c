/* SPDX-License-Identifier: MIT
 *
 * outside.c - any number of workers are preemptive at once, and their threads are used again.
 */
#include "task_end.h"

enum { GUESTS = 8 };

static volatile LONG s_outside, s_together, s_go, s_inside;

static void note_most(LONG now)
{
    LONG most = s_together;

    while (now > most) {
        LONG before = InterlockedCompareExchange(&s_together, now, most);

        if (before == most)
            return;
        most = before;
    }
}

/* Goes on only when all are outside with it. Nobody blocks or yields there: each needs a thread. */
static DWORD meet_outside(PVOID argument)
{
    ULONGLONG limit = GetTickCount64() + LIMIT_MS / 3;
    DWORD thread = GetCurrentThreadId();

    UNREFERENCED_PARAMETER(argument);
    SosLeaveScheduler();
    note_most(InterlockedIncrement(&s_outside));
    while (s_together < GUESTS && GetTickCount64() < limit)
        YieldProcessor();
    if (SosMode() != SOS_MODE_FIBERS)
        EXPECT_EQ(GetCurrentThreadId(), thread);
    InterlockedDecrement(&s_outside);
    SosReturnToScheduler();
    return s_together >= GUESTS;
}

static DWORD stay_inside(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    while (!s_go) {
        s_inside++;
        SosYield();
    }
    return 0;
}

TEST(SqlosOutside, as_many_as_want_are_preemptive_at_once)
{
    SOS_CONFIG config = {.schedulers = 1, .maxWorkers = GUESTS + 1};
    SOS_SCHEDULER_STATS stats;
    SOS_WAIT_STATS waits;
    SOS_TASK *inside;

    ASSERT_OK(SosStart(&config));
    inside = SosSubmit(0, stay_inside, NULL);
    for (int round = 0; round < 2; round++) {
        SOS_TASK *tasks[GUESTS];
        LONG before = s_inside;

        s_together = 0;
        for (int i = 0; i < GUESTS; i++)
            tasks[i] = SosSubmit(0, meet_outside, NULL);
        for (int i = 0; i < GUESTS; i++)
            finish(tasks[i], TRUE);
        EXPECT_EQ(s_together, GUESTS);
        EXPECT_GT(s_inside, before); /* the scheduler went on meanwhile */
    }
    InterlockedExchange(&s_go, TRUE);
    finish(inside, 0);
    EXPECT_LE(SosHostCount(), GUESTS); /* each round uses those of the first */
    SosSchedulerStats(0, &stats);
    EXPECT_EQ(stats.excursions, 2 * GUESTS);
    SosWaitStats(SOS_WAIT_PREEMPTIVE, &waits);
    EXPECT_EQ(waits.waits, 2 * GUESTS);
    EXPECT_OK(SosStop(LIMIT_MS));
}

/* Blocks outside: its thread is free meanwhile, and there is one again when it comes back. */
static DWORD block_outside(PVOID argument)
{
    ULONG_PTR rounds = (ULONG_PTR)argument;

    while (rounds-- > 0) {
        SosLeaveScheduler();
        Sleep(1);
        InterlockedIncrement(&s_outside);
        Sleep(0);
        SosReturnToScheduler();
    }
    return 0;
}

TEST(SqlosOutside, those_that_block_out_there_come_back)
{
    SOS_CONFIG config = {.schedulers = 2};
    SOS_TASK *tasks[GUESTS];

    ASSERT_OK(SosStart(&config));
    s_outside = 0;
    for (int i = 0; i < GUESTS; i++)
        tasks[i] = SosSubmit(i % 2, block_outside, (PVOID)20);
    for (int i = 0; i < GUESTS; i++)
        finish(tasks[i], 0);
    EXPECT_EQ(s_outside, GUESTS * 20);
    EXPECT_LE(SosHostCount(), GUESTS);
    EXPECT_OK(SosStop(LIMIT_MS));
    ASSERT_OK(SosStart(&config)); /* and nothing of them is left */
    EXPECT_EQ(SosHostCount(), SosMode() == SOS_MODE_THREADS ? 0 : 1);
    EXPECT_OK(SosStop(LIMIT_MS));
}
