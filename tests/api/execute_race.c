/* SPDX-License-Identifier: MIT
 *
 * execute_race.c - two schedulers that want the same worker: exactly one gets it (EX-12).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <string.h>

enum { RACERS = 2, ROUNDS = 3000 };

/* One worker that counts how often it runs, and yields. The scheduler that sees the yield opens a new round;
 * everybody else tries to execute the worker all the time. */
static struct {
    PUMS_CONTEXT context;
    PUMS_COMPLETION_LIST
    list;       /* both name it: the worker ends on one of them, nobody knows on which */
    int runs;   /* by the worker */
    int yields; /* by the schedulers */
    int inside; /* 1 while the worker runs */
    int over;
    int refusals;
    ULONGLONG deadline;
} race;

static DWORD WINAPI count_runs(LPVOID param)
{
    (void)param;
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT_EQ(flag_add(&race.inside, 1), 1);
        flag_add(&race.runs, 1);
        flag_add(&race.inside, -1);
        UmsThreadYield(NULL);
    }
    return 0;
}

static VOID NTAPI race_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)param;
    if (reason == UmsSchedulerThreadYield) {
        EXPECT_EQ(payload, race.context);
        flag_add(&race.yields, 1);
    }
    while (!flag_get(&race.over)) {
        DWORD error;

        SetLastError(TC_SENTINEL);
        EXPECT_EQ(ExecuteUmsThread(race.context), 0);
        error = GetLastError();
        flag_add(&race.refusals, 1);
        if (error == ERROR_INVALID_PARAMETER && is_terminated(race.context)) {
            flag_set(&race.over, 1);
        } else if (error != ERROR_INTERNAL_ERROR && error != ERROR_RETRY) {
            FAIL("refused with last error %u", (unsigned)error);
            flag_set(&race.over, 1);
        }
        if (GetTickCount64() > race.deadline) {
            FAIL("time out after %d runs", flag_get(&race.runs));
            flag_set(&race.over, 1);
        }
    }
}

static DWORD WINAPI racer(LPVOID param)
{
    EXPECT_OK(bare_enter(race.list, race_proc, param));
    return 0;
}

TEST(ExecuteRace, exactly_one_wins_EX_12)
{
    struct bare worker;
    HANDLE threads[RACERS];

    memset(&race, 0, sizeof race);
    race.deadline = GetTickCount64() + 15000;
    ASSERT_OK(CreateUmsCompletionList(&race.list));
    ASSERT_OK(bare_create_arrived(&worker, race.list, count_runs, NULL));
    race.context = worker.context;
    for (int i = 0; i < RACERS; i++) {
        threads[i] = CreateThread(NULL, 0, racer, NULL, 0, NULL);
        ASSERT_OK(threads[i] != NULL);
    }
    for (int i = 0; i < RACERS; i++) {
        ASSERT_EQ(WaitForSingleObject(threads[i], 20000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    EXPECT_EQ(race.runs, ROUNDS);
    EXPECT_EQ(race.yields, ROUNDS);
    EXPECT_EQ(bare_arrival(race.list), worker.context);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(race.list));
}
