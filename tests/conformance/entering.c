/* SPDX-License-Identifier: MIT
 *
 * entering.c - section 7: EnterUmsSchedulingMode, and the ways out.
 */
#include "rig.h"

#include <string.h>

#define PAGE "W:enterumsschedulingmode"

static struct stage stage; /* of the main thread */

CLAUSE(ES, 1, DOC, PAGE, "The entry point is called at once, on this thread, once with Startup")
{
    struct worker worker;

    stage = (struct stage){0};
    REQUIRE(stage_solo(&stage, &worker, routine_yield, NULL));
    EXPECT_EQ(stage.log[0].reason, UmsSchedulerStartup);
    EXPECT_EQ(stage.log[0].thread_id, GetCurrentThreadId());
    EXPECT_EQ(stage.startups, 1);
    drop_worker(&worker);
    drop_list(stage.list);
}

static int calls_made;

static VOID NTAPI count_calls(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    (void)param;
    calls_made++;
}

static void refused(ULONG version, PUMS_COMPLETION_LIST list, PUMS_SCHEDULER_ENTRY_POINT proc,
                    DWORD error)
{
    UMS_SCHEDULER_STARTUP_INFO info = {version, list, proc, NULL};

    calls_made = 0;
    EXPECT_FAILS(EnterUmsSchedulingMode(&info), error);
    EXPECT_EQ(calls_made, 0);
}

CLAUSE(ES, 2, DOC, "W:ns-winbase-ums_scheduler_startup_info", "A wrong UmsVersion: 0 and 87")
{
    PUMS_COMPLETION_LIST list = make_list();

    refused(UMS_VERSION + 1, list, count_calls, ERROR_INVALID_PARAMETER);
    refused(0, list, count_calls, ERROR_INVALID_PARAMETER);
    drop_list(list);
}

CLAUSE(ES, 3, OBS, PAGE, "No completion list: 0 and 87")
{
    refused(UMS_VERSION, NULL, count_calls, ERROR_INVALID_PARAMETER);
}

static void enter_inside(struct stage *inside, const struct entry *entry)
{
    (void)entry;
    refused(UMS_VERSION, inside->list, count_calls, ERROR_NOT_SUPPORTED);
}

static DWORD WINAPI enter_in_worker(LPVOID list)
{
    refused(UMS_VERSION, list, count_calls, ERROR_NOT_SUPPORTED);
    return 0;
}

CLAUSE(ES, 4, OBS, PAGE, "A scheduler and a worker cannot enter: 0 and 50")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    stage = (struct stage){.hook = enter_inside};
    REQUIRE(stage_solo(&stage, &worker, enter_in_worker, list));
    EXPECT_GE(stage.entries, 2);
    drop_worker(&worker);
    drop_list(stage.list);
    drop_list(list);
}

CLAUSE_FAULTS(ES, 5, UNS, PAGE, "No structure, or no entry point: 0 and 87")
{
    PUMS_COMPLETION_LIST list = make_list();

    EXPECT_FAILS(EnterUmsSchedulingMode(NULL), ERROR_INVALID_PARAMETER);
    refused(UMS_VERSION, list, NULL, ERROR_INVALID_PARAMETER);
    drop_list(list);
}

static UMS_SCHEDULER_STARTUP_INFO short_lived;
static struct worker only_worker;
static int entries;

static VOID NTAPI overwrite(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    entries++;
    if (reason == UmsSchedulerStartup) {
        EXPECT_EQ(param, &only_worker);
        memset(&short_lived, 0xcc, sizeof short_lived);
        EXPECT_EQ(execute(only_worker.context), ERROR_SUCCESS);
    } else if (reason == UmsSchedulerThreadYield) {
        EXPECT_EQ(execute((PUMS_CONTEXT)payload), ERROR_SUCCESS);
    }
}

CLAUSE(ES, 6, OBS, PAGE, "The structure is read once, at the entry")
{
    PUMS_COMPLETION_LIST list = make_list();

    entries = 0;
    REQUIRE(make_arrived(&only_worker, list, routine_yield, NULL));
    short_lived = (UMS_SCHEDULER_STARTUP_INFO){UMS_VERSION, list, overwrite, &only_worker};
    EXPECT_OK(EnterUmsSchedulingMode(&short_lived));
    EXPECT_EQ(entries, 3);
    EXPECT_EQ(arrival(list), only_worker.context);
    drop_worker(&only_worker);
    drop_list(list);
}

/* ---- out again ---- */

static UMS_SCHEDULER_REASON leave_at;

static void leave_there(struct stage *inside, const struct entry *entry)
{
    inside->leave = entry->reason == leave_at;
}

static void after_leaving(void)
{
    EXPECT_FAILS(GetCurrentUmsThread() != NULL, ERROR_NOT_SUPPORTED);
    EXPECT_EQ(flags_of(GetCurrentThread()), 0);
    EXPECT_FAILS(ExecuteUmsThread(&stage), ERROR_NOT_SUPPORTED);
}

/* Leaves from an activation for this reason; the worker is run to its end by the next scheduler. */
static void leave_from(UMS_SCHEDULER_REASON reason, LPTHREAD_START_ROUTINE routine, bool held)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    leave_at = reason;
    REQUIRE(make_arrived(&worker, list, routine, (void *)3));
    stage = (struct stage){.list = list, .ends = 1, .hook = leave_there};
    stage_ready(&stage, worker.context);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.log[stage.entries - 1].reason, reason);
    after_leaving();
    REQUIRE(drive(list, &worker.context, held, 1));
    drop_worker(&worker);
    drop_list(list);
}

static DWORD WINAPI sleep_a_little(LPVOID param)
{
    (void)param;
    Sleep(20);
    return 0;
}

CLAUSE(ES, 7, OBS, PAGE, "Returning from any activation ends the call with nonzero")
{
    leave_from(UmsSchedulerStartup, routine_return, true);
    leave_from(UmsSchedulerThreadYield, routine_yield, true);
    leave_from(UmsSchedulerThreadBlocked, routine_return, false);
    leave_from(UmsSchedulerThreadBlocked, sleep_a_little, false);
}

CLAUSE(ES, 8, OBS, PAGE, "The thread is an ordinary one afterwards, and may enter again")
{
    PUMS_COMPLETION_LIST list = make_list();

    calls_made = 0;
    for (int i = 0; i < 100; i++)
        ASSERT_OK(ums_enter(list, count_calls, NULL));
    EXPECT_EQ(calls_made, 100);
    after_leaving();
    drop_list(list);
}

CLAUSE(ES, 9, OBS, PAGE, "Leaving while workers are blocked is legal: they still arrive")
{
    PUMS_COMPLETION_LIST list = make_list();
    HANDLE wake = make_event(false);
    struct worker worker;

    leave_at = UmsSchedulerThreadBlocked;
    REQUIRE(make_arrived(&worker, list, routine_wait, wake));
    stage = (struct stage){.list = list, .ends = 1, .hook = leave_there};
    stage_ready(&stage, worker.context);
    REQUIRE(stage_run(&stage));
    EXPECT(is_empty(list, 0));
    EXPECT_EQ(is_terminated(worker.context), false);
    EXPECT_OK(SetEvent(wake));
    EXPECT_EQ(arrival(list), worker.context);
    REQUIRE(drive(list, &worker.context, 1, 1));
    drop_worker(&worker);
    EXPECT_OK(CloseHandle(wake));
    drop_list(list);
}

/* ConcRT never returns right after a yield: it has a worker that is about to end run first. */
static struct worker burnt;

static void burn_then_leave(struct stage *inside, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerThreadYield) {
        inside->ready_count = 0;
        stage_ready(inside, burnt.context);
    }
    inside->leave = entry->reason == UmsSchedulerThreadBlocked && entry->executed == burnt.context;
}

CLAUSE(ES, 10, OBS, PAGE, "Leaving after a yield by way of a worker that ends")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker worker;

    REQUIRE(make_arrived(&worker, list, routine_yield, NULL));
    REQUIRE(make_arrived(&burnt, list, routine_return, NULL));
    stage = (struct stage){.list = list, .ends = 2, .hook = burn_then_leave};
    stage_ready(&stage, worker.context);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.yields, 1);
    after_leaving();
    REQUIRE(drive(list, &worker.context, 1, stage.ends));
    drop_worker(&worker);
    drop_worker(&burnt);
    drop_list(list);
}

/* ---- the thread ends inside ---- */

enum { DEATH_CODE = 4711 };
static bool by_terminate;
static struct worker bereaved;

static VOID NTAPI dying_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    if (reason != leave_at)
        EXPECT_EQ(execute(bereaved.context), ERROR_SUCCESS);
    if (by_terminate)
        TerminateThread(GetCurrentThread(), DEATH_CODE);
    else
        ExitThread(DEATH_CODE);
    FAIL("the thread lives on");
}

static DWORD WINAPI enter_and_die(LPVOID list)
{
    ums_enter(list, dying_proc, NULL);
    FAIL("EnterUmsSchedulingMode returned");
    return 0;
}

static void die_inside(bool terminate, UMS_SCHEDULER_REASON at)
{
    PUMS_COMPLETION_LIST list = make_list();
    HANDLE thread;
    DWORD code = 0;

    by_terminate = terminate;
    leave_at = at;
    REQUIRE(make_arrived(&bereaved, list, routine_yield, NULL));
    thread = CreateThread(NULL, 0, enter_and_die, list, 0, NULL);
    ASSERT_OK(thread != NULL);
    ASSERT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, DEATH_CODE);
    EXPECT_OK(CloseHandle(thread));
    REQUIRE(drive(list, &bereaved.context, 1, 1));
    drop_worker(&bereaved);
    drop_list(list);
}

CLAUSE(ES, 11, OBS, PAGE, "A scheduler may end its thread from inside the entry point")
{
    die_inside(false, UmsSchedulerStartup);
    die_inside(false, UmsSchedulerThreadYield);
    die_inside(true, UmsSchedulerStartup);
    die_inside(true, UmsSchedulerThreadYield);
}

static atomic_int spinning, stop_spinning;

static DWORD WINAPI spin(LPVOID param)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();

    (void)param;
    atomic_store(&spinning, 1);
    while (!atomic_load(&stop_spinning) && GetTickCount64() < deadline)
        YieldProcessor();
    return 0;
}

static DWORD WINAPI run_stage(LPVOID param)
{
    stage_run(param);
    return 0;
}

CLAUSE(ES, 12, OBS, PAGE, "Killed while a worker runs on it, a scheduler gives the worker back")
{
    PUMS_COMPLETION_LIST list = make_list(), creation = make_list();
    struct worker worker;
    HANDLE thread;

    atomic_store(&spinning, 0);
    atomic_store(&stop_spinning, 0);
    REQUIRE(make_arrived(&worker, creation, spin, NULL));
    stage = (struct stage){.list = list, .ends = 1};
    stage_ready(&stage, worker.context);
    thread = CreateThread(NULL, 0, run_stage, &stage, 0, NULL);
    REQUIRE(EXPECT_OK(thread != NULL) && comes_true(&spinning, 1));
    EXPECT_OK(TerminateThread(thread, DEATH_CODE));
    ASSERT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    REQUIRE(arrives(worker.context, list, creation));
    EXPECT_EQ(is_terminated(worker.context), false);
    atomic_store(&stop_spinning, 1);
    REQUIRE(drive(creation, &worker.context, 1, 1));
    drop_worker(&worker);
    drop_list(list);
    drop_list(creation);
}

static void note_processor(struct stage *inside, const struct entry *entry)
{
    DWORD_PTR only = (DWORD_PTR)1 << *(DWORD *)inside->argument;

    if (entry->reason == UmsSchedulerStartup)
        EXPECT_NE(SetThreadAffinityMask(GetCurrentThread(), only), 0);
    Sleep(0);
    EXPECT_EQ(GetCurrentProcessorNumber(), *(DWORD *)inside->argument);
}

CLAUSE(ES, 13, DOC, "U", "A scheduler is a thread to the system: its affinity holds")
{
    DWORD_PTR mask = 0, system = 0, old;
    DWORD last = 0;
    struct worker worker;

    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &mask, &system));
    for (DWORD i = 0; i < 64; i++)
        last = mask >> i & 1 ? i : last;
    old = SetThreadAffinityMask(GetCurrentThread(), mask);
    stage = (struct stage){.hook = note_processor, .argument = &last};
    REQUIRE(stage_solo(&stage, &worker, routine_yield, NULL));
    EXPECT_NE(SetThreadAffinityMask(GetCurrentThread(), old ? old : mask), 0);
    drop_worker(&worker);
    drop_list(stage.list);
}
