/* SPDX-License-Identifier: MIT
 *
 * posting.c - transfers are posted by the scheduler, so many at once as its depth says, in their order.
 */
#include "sqlos_private.h"

#include "gtest_c.h"

#include <string.h>

enum { LIMIT_MS = 15000, READERS = 5, DEPTH = 1 };

static HANDLE s_pipe[2];
static char s_read[READERS];

static DWORD read_one(PVOID number)
{
    DWORD done = 0;

    EXPECT_EQ(SosReadFile(s_pipe[0], 0, &s_read[(ULONG_PTR)number], 1, &done), SOS_OK);
    return done;
}

/* In a task of the same scheduler, so nothing changes while it looks. */
static DWORD look(PVOID argument)
{
    SOS_SCHEDULER_STATS *stats = (SOS_SCHEDULER_STATS *)argument;
    ULONGLONG limit = GetTickCount64() + LIMIT_MS / 2;

    do {
        SosYield();
        SosSchedulerStats(0, stats);
    } while (stats->onIo < READERS && GetTickCount64() < limit);
    return 0;
}

static DWORD finish(SOS_TASK *task)
{
    DWORD result = 99;

    EXPECT_OK(task);
    if (task) {
        EXPECT_EQ(SosTaskWait(task, LIMIT_MS, &result), SOS_OK);
        SosTaskRelease(task);
    }
    return result;
}

TEST(SqlosPosting, a_scheduler_has_no_more_transfers_under_way_than_its_depth)
{
    SOS_CONFIG config = {.schedulers = 1, .ioDepth = DEPTH};
    SOS_TASK *readers[READERS];
    SOS_SCHEDULER_STATS stats = {0};
    DWORD done;

    ASSERT_OK(CreatePipe(&s_pipe[0], &s_pipe[1], NULL, 0));
    ASSERT_OK(SosStart(&config));
    for (int i = 0; i < READERS; i++)
        readers[i] = SosSubmit(0, read_one, (PVOID)(ULONG_PTR)i);
    finish(SosSubmit(0, look, &stats));
    EXPECT_EQ(stats.onIo, READERS);
    EXPECT_EQ(stats.ioPosted, DEPTH);
    EXPECT_EQ(stats.ioPending, READERS - DEPTH);
    EXPECT_OK(WriteFile(s_pipe[1], "abcde", READERS, &done, NULL));
    for (int i = 0; i < READERS; i++)
        EXPECT_EQ(finish(readers[i]), 1);
    EXPECT_THAT(!memcmp(s_read, "abcde", READERS), "read in another order: %.*s", READERS, s_read);
    SosSchedulerStats(0, &stats);
    EXPECT_EQ(stats.ioPosted, READERS);
    EXPECT_EQ(stats.onIo, 0);
    EXPECT_EQ(stats.ioPending, 0);
    EXPECT_OK(SosStop(LIMIT_MS));
    CloseHandle(s_pipe[0]);
    CloseHandle(s_pipe[1]);
}

TEST(SqlosPosting, a_bad_depth_is_refused)
{
    SOS_CONFIG config = {.schedulers = 1, .ioDepth = -1};

    EXPECT_FAILS(SosStart(&config), ERROR_INVALID_PARAMETER);
}
