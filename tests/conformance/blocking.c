/* SPDX-License-Identifier: MIT
 *
 * blocking.c - section 14: waits of workers, and their ends.
 */
#include "rig.h"
#include "stopwatch.h"

static struct stage stage;
static struct worker first, second;
static HANDLE event;

static bool solo(LPTHREAD_START_ROUTINE routine, void *argument,
                 void (*hook)(struct stage *, const struct entry *))
{
    stage = (struct stage){.hook = hook};
    return stage_solo(&stage, &first, routine, argument);
}

static void done(void)
{
    drop_worker(&first);
    drop_list(stage.list);
}

static DWORD WINAPI set_it(LPVOID param)
{
    EXPECT_OK(SetEvent(param));
    return 0;
}

/* The last one made ready runs first: the waiter, then the one that lets it go. */
CLAUSE(BL, 1, DOC, "U", "A wait lets the scheduler run another worker, which may end the wait")
{
    int waits = 0;

    event = make_event(false);
    stage = (struct stage){.list = make_list(), .ends = 2};
    REQUIRE(make_arrived(&second, stage.list, set_it, event));
    REQUIRE(make_arrived(&first, stage.list, routine_wait, event));
    stage_ready(&stage, second.context);
    stage_ready(&stage, first.context);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.log[1].executed, first.context);
    for (int i = 1; i < stage.entries; i++) {
        EXPECT_EQ(stage.log[i].reason, UmsSchedulerThreadBlocked);
        waits += stage.log[i].executed == first.context && stage.log[i].payload & 1;
    }
    EXPECT_GE(waits, 2); /* the wait and the end */
    drop_worker(&second);
    done();
    EXPECT_OK(CloseHandle(event));
}

enum { CALLS = 20000, A_FEW = 20 };

static DWORD WINAPI call_a_lot(LPVOID param)
{
    for (int i = 0; i < CALLS; i++) {
        SetEvent(param);
        GetTickCount();
        ResetEvent(param);
        GetCurrentThreadId();
    }
    return 0;
}

CLAUSE(BL, 2, OBS, "U", "Calls that do not wait are not reported")
{
    event = make_event(true);
    REQUIRE(solo(call_a_lot, event, NULL));
    EXPECT_LE(stage.blocked, 1 + A_FEW);
    done();
    EXPECT_OK(CloseHandle(event));
}

static DWORD WINAPI touch_pages(LPVOID param)
{
    enum { PAGES = 256, PAGE_BYTES = 4096 };
    volatile char *area =
        VirtualAlloc(NULL, PAGES * PAGE_BYTES, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    int wrong = 0;

    (void)param;
    if (EXPECT_OK(area != NULL)) {
        for (int i = 0; i < PAGES; i++) {
            wrong += area[i * PAGE_BYTES] != 0;
            area[i * PAGE_BYTES] = 1;
        }
        EXPECT_OK(VirtualFree((void *)area, 0, MEM_RELEASE));
    }
    EXPECT_EQ(wrong, 0);
    return 0;
}

CLAUSE(BL, 3, DOC, "N:nc-winnt-rtl_ums_scheduler_entry_point",
       "A page fault is never told as a system call")
{
    int told = 0;

    REQUIRE(solo(touch_pages, NULL, NULL));
    for (int i = 1; i < stage.entries && i < MAX_ENTRIES; i++)
        told += stage.log[i].payload & 1;
    EXPECT_LE(told, 1 + 4); /* the end; the two calls around the faults may each tell */
    done();
}

/* ---- BL-4 ---- */

static atomic_int progress;

static DWORD WINAPI wait_then_note(LPVOID param)
{
    EXPECT_EQ(WaitForSingleObject(param, patience_ms()), WAIT_OBJECT_0);
    atomic_store(&progress, 1);
    return 0;
}

/* Says which of two answers this system gives (arrival_rule.c). */
CLAUSE(BL, 4, OBS, "W:executeumsthread",
       "Unblocked it arrives on its last scheduler's list, signals it, and waits to be executed")
{
    PUMS_COMPLETION_LIST own = make_list(), there;
    enum rule rule = arrival_rule(), expected = expected_rule();
    HANDLE arrived = NULL;

    ASSERT_NE(rule, NO_RULE);
    if (expected != NO_RULE)
        EXPECT_EQ(rule, expected);
    kit_note(rule == CREATION ? "on the list of its creation, as the page says"
                              : "on the list of the scheduler that executed it last");
    event = make_event(false);
    atomic_store(&progress, 0);
    REQUIRE(make_arrived(&first, own, wait_then_note, event));
    stage = (struct stage){.list = make_list(), .blind = true};
    stage_ready(&stage, first.context);
    there = by_rule(stage.list, own);
    EXPECT_OK(GetUmsCompletionListEvent(there, &arrived));
    WaitForSingleObject(arrived, there == own ? 1000 : 0); /* of its creation */
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(WaitForSingleObject(arrived, 0), WAIT_TIMEOUT);
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(arrived, patience_ms()), WAIT_OBJECT_0);
    Sleep(20);
    EXPECT_EQ(atomic_load(&progress), 0);
    REQUIRE(arrives(first.context, stage.list, own));
    REQUIRE(drive(own, &first.context, 1, 1));
    EXPECT_EQ(atomic_load(&progress), 1);
    done();
    EXPECT_OK(CloseHandle(arrived));
    EXPECT_OK(CloseHandle(event));
    drop_list(own);
}

static DWORD WINAPI random_work(LPVOID seed)
{
    unsigned state = (unsigned)(ULONG_PTR)seed;

    for (int i = 0; i < 60; i++) {
        state = state * 1664525u + 1013904223u;
        if (state >> 30 == 0)
            Sleep(state >> 8 & 1);
        else if (state >> 30 == 1)
            EXPECT_EQ(WaitForSingleObject(event, state >> 8 & 1), WAIT_TIMEOUT);
        else
            UmsThreadYield(NULL);
    }
    return 0;
}

CLAUSE(BL, 5, OBS, "U", "Each Blocked has its one arrival, a yield has none")
{
    enum { CROWD = 8 };
    struct worker crowd[CROWD];

    event = make_event(false);
    stage = (struct stage){.list = make_list(), .ends = CROWD};
    for (int i = 0; i < CROWD; i++)
        REQUIRE(make_worker(&crowd[i], stage.list, random_work, (void *)(ULONG_PTR)(i + 1), 0));
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.arrived, CROWD + stage.blocked);
    EXPECT_GE(stage.blocked, CROWD + 1);
    EXPECT(is_empty(stage.list, 20));
    for (int i = 0; i < CROWD; i++)
        drop_worker(&crowd[i]);
    drop_list(stage.list);
    EXPECT_OK(CloseHandle(event));
}

static atomic_int first_is_over;

static DWORD WINAPI look_at_results(LPVOID param)
{
    HANDLE both[2] = {event, param};
    ULONGLONG started = stopwatch();

    SetLastError(SENTINEL);
    EXPECT_EQ(WaitForSingleObject(event, 20), WAIT_TIMEOUT);
    EXPECT_GE(stopwatch() - started, 20 - TICK_MS);
    atomic_store(&first_is_over, 1);
    EXPECT_EQ(WaitForMultipleObjects(2, both, FALSE, patience_ms()), WAIT_OBJECT_0 + 1);
    EXPECT_EQ(SleepEx(5, TRUE), 0);
    SetLastError(SENTINEL);
    Sleep(2);
    EXPECT_EQ(GetLastError(), SENTINEL);
    EXPECT_EQ(WaitForSingleObject((HANDLE)0x7654320, 5), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
    return 0;
}

static void let_go_later(struct stage *inside, const struct entry *entry)
{
    (void)entry;
    if (atomic_load(&first_is_over))
        EXPECT_OK(SetEvent(inside->argument)); /* it is in the second, or past it */
}

CLAUSE(BL, 6, OBS, "U", "Results of a blocking call are intact: values, time-outs, last error")
{
    HANDLE other = make_event(true);

    event = make_event(false);
    atomic_store(&first_is_over, 0);
    stage = (struct stage){.hook = let_go_later, .argument = other};
    REQUIRE(stage_solo(&stage, &first, look_at_results, other));
    EXPECT_GE(stage.blocked, 2); /* the second wait, the end */
    done();
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(other));
}

static atomic_int second_ran;

static DWORD WINAPI note_second(LPVOID param)
{
    atomic_store(&second_ran, 1);
    return (DWORD)(ULONG_PTR)param;
}

static DWORD WINAPI keep_busy(LPVOID param)
{
    ULONGLONG end = GetTickCount64() + 60;

    (void)param;
    while (GetTickCount64() < end)
        YieldProcessor();
    EXPECT_EQ(atomic_load(&second_ran), 0);
    return 0;
}

/* Also where it says Sleep(0) and SwitchToThread (BL-8), below. */
static void alone_first(LPTHREAD_START_ROUTINE routine)
{
    atomic_store(&second_ran, 0);
    stage = (struct stage){.list = make_list(), .ends = 2};
    REQUIRE(make_arrived(&second, stage.list, note_second, NULL));
    REQUIRE(make_arrived(&first, stage.list, routine, NULL));
    stage_ready(&stage, second.context);
    stage_ready(&stage, first.context);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(atomic_load(&second_ran), 1);
    drop_worker(&second);
    done();
}

CLAUSE(BL, 7, DOC, "W:umsthreadyield",
       "A worker that neither yields nor blocks keeps its scheduler")
{
    alone_first(keep_busy);
}

static DWORD WINAPI give_way(LPVOID param)
{
    (void)param;
    for (int i = 0; i < 20; i++) {
        Sleep(0);
        SwitchToThread();
        YieldProcessor();
    }
    EXPECT_EQ(atomic_load(&second_ran), 0);
    return 0;
}

CLAUSE(BL, 8, UNS, "U", "Sleep(0), SwitchToThread, YieldProcessor do not tell the scheduler")
{
    alone_first(give_way);
    EXPECT_EQ(stage.blocked, 2);
}

UNTESTED(BL, 9, UNS, "U", "Blocking calls that nothing can see keep the scheduler",
         "which calls those are is the engine's business: docs/differences.md lists them")

static DWORD WINAPI change_itself(LPVOID param)
{
    DWORD_PTR mask = 0, system = 0;

    EXPECT_OK(SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL));
    EXPECT_EQ(GetThreadPriority(GetCurrentThread()), THREAD_PRIORITY_BELOW_NORMAL);
    EXPECT_OK(GetProcessAffinityMask(GetCurrentProcess(), &mask, &system));
    EXPECT_NE(SetThreadAffinityMask(GetCurrentThread(), mask), 0);
    UmsThreadYield(param);
    EXPECT_EQ(GetThreadPriority(GetCurrentThread()), THREAD_PRIORITY_BELOW_NORMAL);
    return 0;
}

CLAUSE(BL, 10, DOC, "U", "Priority and affinity of a worker can be set; the effect is advisory")
{
    REQUIRE(solo(change_itself, NULL, NULL));
    EXPECT_EQ(stage.yields, 1);
    done();
}
