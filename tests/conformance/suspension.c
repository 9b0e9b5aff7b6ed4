/* SPDX-License-Identifier: MIT
 *
 * suspension.c - section 14: SuspendThread and ResumeThread on workers and schedulers.
 */
#include "rig.h"

static struct stage stage;
static struct worker worker;

static void refused_now(struct stage *inside, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerStartup) {
        EXPECT_FAILS(ExecuteUmsThread(inside->argument), ERROR_INVALID_PARAMETER);
        inside->leave = true;
    }
}

/* Suspended and held: refused, resumed, run. */
static void suspend_held(bool look_at_list)
{
    PUMS_COMPLETION_LIST list = make_list();

    REQUIRE(make_arrived(&worker, list, routine_yield, NULL));
    EXPECT_EQ(SuspendThread(worker.thread), 0);
    EXPECT_EQ(SuspendThread(worker.thread), 1);
    REQUIRE(EXPECT(becomes_suspended(worker.context, true)));
    stage = (struct stage){.list = list, .hook = refused_now, .argument = worker.context};
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(ResumeThread(worker.thread), 2);
    EXPECT_EQ(is_suspended(worker.context), true);
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    REQUIRE(EXPECT(becomes_suspended(worker.context, false)));
    if (look_at_list)
        EXPECT(is_empty(list, 50));
    REQUIRE(drive(list, &worker.context, 1, 1));
    drop_worker(&worker);
    drop_list(list);
}

CLAUSE(SU, 1, DOC, "W:executeumsthread", "A suspended worker is refused, a resumed one runs")
{
    suspend_held(false);
}

CLAUSE(SU, 2, OBS, "W:executeumsthread", "A resume does not queue what the program already holds")
{
    suspend_held(true);
}

/* ---- SU-3: suspended while it runs ---- */

static atomic_int running, release, went_on;

static DWORD WINAPI run_on(LPVOID param)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();

    (void)param;
    atomic_store(&running, 1);
    while (!atomic_load(&release) && GetTickCount64() < deadline)
        YieldProcessor();
    atomic_store(&went_on, 1);
    return 0;
}

static DWORD WINAPI suspend_it(LPVOID param)
{
    (void)param;
    if (comes_true(&running, 1))
        EXPECT_EQ(SuspendThread(worker.thread), 0);
    return 0;
}

static void leave_when_blocked(struct stage *inside, const struct entry *entry)
{
    inside->leave = entry->reason == UmsSchedulerThreadBlocked;
}

CLAUSE(
    SU, 3, OBS, "U",
    "A running worker that is suspended leaves its scheduler (payload 0), and is queued at resume")
{
    PUMS_COMPLETION_LIST creation = make_list();
    HANDLE thread;

    atomic_store(&running, 0);
    atomic_store(&release, 0);
    atomic_store(&went_on, 0);
    stage = (struct stage){.list = make_list(), .hook = leave_when_blocked};
    REQUIRE(make_arrived(&worker, creation, run_on, NULL));
    stage_ready(&stage, worker.context);
    thread = CreateThread(NULL, 0, suspend_it, NULL, 0, NULL);
    ASSERT_OK(thread != NULL);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.traps, 1);
    EXPECT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    REQUIRE(EXPECT(becomes_suspended(worker.context, true)));
    atomic_store(&release, 1);
    EXPECT(is_empty(stage.list, 30));
    EXPECT(is_empty(creation, 0));
    EXPECT_EQ(atomic_load(&went_on), 0);
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    REQUIRE(arrives(worker.context, stage.list, creation));
    EXPECT(becomes_suspended(worker.context, false));
    REQUIRE(drive(creation, &worker.context, 1, 1));
    EXPECT_EQ(atomic_load(&went_on), 1);
    drop_worker(&worker);
    drop_list(stage.list);
    drop_list(creation);
}

CLAUSE(SU, 4, UNS, "U", "A blocked worker that is suspended arrives, and is refused until resumed")
{
    HANDLE wake = make_event(false);
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT context = NULL;

    REQUIRE(make_arrived(&worker, list, routine_wait, wake));
    stage = (struct stage){.list = list, .hook = leave_when_blocked};
    stage_ready(&stage, worker.context);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(SuspendThread(worker.thread), 0);
    REQUIRE(EXPECT(becomes_suspended(worker.context, true)));
    EXPECT_OK(SetEvent(wake));
    dequeued(list, 500, &context);
    if (context) {
        EXPECT_EQ(context, worker.context);
        stage = (struct stage){.list = list, .hook = refused_now, .argument = context};
        REQUIRE(stage_run(&stage));
    } else {
        EXPECT(!kit_strict()); /* Windows may keep it back until then */
        kit_note("it arrives when it is resumed");
    }
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    REQUIRE(EXPECT(becomes_suspended(worker.context, false)));
    if (!context)
        ASSERT_EQ(arrival(list), worker.context);
    REQUIRE(drive(list, &worker.context, 1, 1));
    drop_worker(&worker);
    EXPECT_OK(CloseHandle(wake));
    drop_list(list);
}

/* ---- SU-5 ---- */

static atomic_int ticks, stop;

static DWORD WINAPI tick(LPVOID param)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();

    while (!atomic_load(&stop) && GetTickCount64() < deadline) {
        atomic_fetch_add(&ticks, 1);
        UmsThreadYield(param);
    }
    return 0;
}

static DWORD WINAPI run_stage(LPVOID param)
{
    stage_run(param);
    return 0;
}

/* Whether it stands still within a second: a suspension may take a moment to come into effect. */
static bool stands_still(void)
{
    for (int i = 0; i < 20; i++) {
        int before = atomic_load(&ticks);

        Sleep(50);
        if (atomic_load(&ticks) == before)
            return true;
    }
    return false;
}

CLAUSE(SU, 5, OBS, "U", "A suspended scheduler stands still with its workers; others go on")
{
    static struct stage frozen;
    struct worker guest, other;
    HANDLE thread;
    int before;

    atomic_store(&ticks, 0);
    atomic_store(&stop, 0);
    frozen = (struct stage){.list = make_list(), .ends = 1};
    REQUIRE(make_worker(&guest, frozen.list, tick, NULL, 0));
    thread = CreateThread(NULL, 0, run_stage, &frozen, 0, NULL);
    ASSERT_OK(thread != NULL);
    while (!atomic_load(&ticks))
        SwitchToThread();
    EXPECT_EQ(SuspendThread(thread), 0);
    EXPECT(stands_still());
    /* On a busy machine it may have stood only for want of a processor: then it stands soon. */
    for (int i = 0; i < 20; i++) {
        before = atomic_load(&ticks);
        stage = (struct stage){0};
        REQUIRE(stage_solo(&stage, &other, routine_yield, NULL));
        drop_worker(&other);
        drop_list(stage.list);
        if (atomic_load(&ticks) == before)
            break;
    }
    EXPECT_EQ(atomic_load(&ticks), before);
    EXPECT_EQ(ResumeThread(thread), 1);
    for (ULONGLONG end = GetTickCount64() + patience_ms();
         atomic_load(&ticks) == before && GetTickCount64() < end;)
        SwitchToThread();
    EXPECT_NE(atomic_load(&ticks), before);
    atomic_store(&stop, 1);
    ASSERT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    drop_worker(&guest);
    drop_list(frozen.list);
}
