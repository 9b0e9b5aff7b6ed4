/* SPDX-License-Identifier: MIT
 *
 * execute_race.c - section 9: two schedulers want one context (EX-12).
 */
#include "rig.h"

enum { ROUNDS = 3000, RACERS = 2 };

static struct {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT _Atomic offered;
    atomic_int inside, twice, rounds, ended, others;
    ULONGLONG deadline;
} race;

static DWORD WINAPI yield_many(LPVOID param)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (atomic_fetch_add(&race.inside, 1))
            atomic_fetch_add(&race.twice, 1);
        atomic_fetch_add(&race.rounds, 1);
        atomic_fetch_sub(&race.inside, 1);
        UmsThreadYield(param);
    }
    return 0;
}

static VOID NTAPI racing_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    if (reason == UmsSchedulerThreadBlocked) {
        PUMS_CONTEXT context = NULL;

        dequeued(race.list, 0, &context);
        while (context) {
            PUMS_CONTEXT next = GetNextUmsListItem(context);

            if (is_terminated(context))
                atomic_store(&race.ended, 1);
            context = next;
        }
    }
    /* Both try all the time: the one that finds it ready has it. */
    while (!atomic_load(&race.ended) && GetTickCount64() < race.deadline) {
        DWORD error;

        SetLastError(SENTINEL);
        ExecuteUmsThread(atomic_load(&race.offered));
        error = GetLastError();
        if (error != ERROR_INTERNAL_ERROR && error != ERROR_RETRY) {
            PUMS_CONTEXT context = NULL;

            atomic_fetch_add(&race.others, error != ERROR_INVALID_PARAMETER);
            dequeued(race.list, 10, &context);
            if (is_terminated(atomic_load(&race.offered)))
                atomic_store(&race.ended, 1);
        }
        YieldProcessor();
    }
}

static DWORD WINAPI second_scheduler(LPVOID param)
{
    (void)param;
    EXPECT_OK(ums_enter(race.list, racing_proc, NULL));
    return 0;
}

CLAUSE(EX, 12, OBS, "W:executeumsthread",
       "Of two schedulers that want one context one gets it; the other sees 1359 or 1237")
{
    struct worker worker;
    HANDLE thread;

    atomic_store(&race.inside, 0);
    atomic_store(&race.twice, 0);
    atomic_store(&race.rounds, 0);
    atomic_store(&race.ended, 0);
    atomic_store(&race.others, 0);
    race.deadline = GetTickCount64() + 2 * patience_ms();
    race.list = make_list();
    REQUIRE(make_arrived(&worker, race.list, yield_many, NULL));
    atomic_store(&race.offered, worker.context);
    thread = CreateThread(NULL, 0, second_scheduler, NULL, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_OK(ums_enter(race.list, racing_proc, NULL));
    ASSERT_EQ(WaitForSingleObject(thread, 3 * patience_ms()), WAIT_OBJECT_0);
    EXPECT_EQ(atomic_load(&race.rounds), ROUNDS);
    EXPECT_EQ(atomic_load(&race.twice), 0);
    EXPECT_EQ(atomic_load(&race.others), 0);
    EXPECT_OK(CloseHandle(thread));
    drop_worker(&worker);
    drop_list(race.list);
}
