/* SPDX-License-Identifier: MIT
 *
 * ending.c - section 14: how workers, schedulers and processes end.
 */
#include "rig.h"

static struct stage stage;
static struct worker worker;

static DWORD WINAPI exit_thread(LPVOID code)
{
    ExitThread((DWORD)(ULONG_PTR)code);
    return 0;
}

/* It ends on a scheduler with another list than that of its creation: BL-4 says on which it arrives.
 * One that was never executed, and is ended from outside, can only arrive on the latter. */
CLAUSE(LF, 1, DOC, "W:deleteumsthreadcontext",
       "Returning or ExitThread: terminated, queued, not to be executed, to be deleted")
{
    LPTHREAD_START_ROUTINE routines[] = {routine_return, exit_thread};
    PUMS_COMPLETION_LIST creation = make_list();

    for (int i = 0; i < 2; i++) {
        DWORD code = 0;

        stage = (struct stage){.list = make_list(), .blind = true};
        REQUIRE(make_arrived(&worker, creation, routines[i], (void *)(ULONG_PTR)(40 + i)));
        stage_ready(&stage, worker.context);
        REQUIRE(stage_run(&stage));
        REQUIRE(arrives(worker.context, stage.list, creation));
        EXPECT_EQ(is_terminated(worker.context), true);
        EXPECT_EQ(WaitForSingleObject(worker.thread, patience_ms()), WAIT_OBJECT_0);
        EXPECT_OK(GetExitCodeThread(worker.thread, &code));
        EXPECT_EQ(code, 40 + i);
        drop_worker(&worker);
        drop_list(stage.list);
    }
    drop_list(creation);
}

/* Each worker that comes off the list for the second time must read terminated by then. */
CLAUSE(LF, 2, OBS, "W:deleteumsthreadcontext", "The flag is set before the context is queued, once")
{
    enum { CROWD = 32 };
    static struct worker crowd[CROWD];
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT seen[CROWD];

    for (int i = 0; i < CROWD; i++)
        REQUIRE(make_arrived(&crowd[i], list, routine_return, NULL));
    stage = (struct stage){.list = list, .blind = true};
    for (int i = 0; i < CROWD; i++)
        stage_ready(&stage, crowd[i].context);
    REQUIRE(stage_run(&stage));
    for (int count = 0; count < CROWD;) {
        PUMS_CONTEXT context = NULL;

        dequeued(list, patience_ms(), &context);
        ASSERT_NE(context, NULL);
        for (; context && count < CROWD; context = GetNextUmsListItem(context)) {
            EXPECT_EQ(is_terminated(context), true);
            for (int i = 0; i < count; i++)
                EXPECT_NE(seen[i], context);
            seen[count++] = context;
        }
    }
    EXPECT(is_empty(list, 20));
    for (int i = 0; i < CROWD; i++)
        drop_worker(&crowd[i]);
    drop_list(list);
}

static void refused_after_the_end(struct stage *inside, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerThreadBlocked) {
        stage_take(inside, inside->list, patience_ms());
        EXPECT_EQ(inside->ends, 0);
        EXPECT_FAILS(ExecuteUmsThread(entry->executed), ERROR_INVALID_PARAMETER);
    }
}

CLAUSE(LF, 3, OBS, "U", "Its scheduler is entered with Blocked, and learns the rest from the list")
{
    stage = (struct stage){.hook = refused_after_the_end};
    REQUIRE(stage_solo(&stage, &worker, routine_return, NULL));
    EXPECT_EQ(stage.blocked, 1);
    EXPECT_EQ(stage.arrived, 2);
    drop_worker(&worker);
    drop_list(stage.list);
}

CLAUSE(LF, 4, UNS, "U", "Queued and signalled: both come, the queue first")
{
    for (int i = 0; i < 10; i++) {
        PUMS_COMPLETION_LIST list = make_list();

        REQUIRE(make_arrived(&worker, list, routine_return, NULL));
        stage = (struct stage){.list = list, .blind = true}; /* so that nobody dequeues it */
        stage_ready(&stage, worker.context);
        REQUIRE(stage_run(&stage));
        EXPECT_EQ(WaitForSingleObject(worker.thread, patience_ms()), WAIT_OBJECT_0);
        if (is_empty(list, 0)) {
            if (kit_strict())
                FAIL("the handle was signalled before the context was queued");
            kit_note("the handle may be signalled first");
            EXPECT_EQ(arrival(list), worker.context);
        }
        drop_worker(&worker);
        drop_list(list);
    }
}

/* ---- LF-5: ended from outside ---- */

static HANDLE wake;

static void leave_when_blocked(struct stage *inside, const struct entry *entry)
{
    inside->leave = entry->reason == UmsSchedulerThreadBlocked;
}

static bool becomes_terminated(PUMS_CONTEXT context)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();

    while (!is_terminated(context) && GetTickCount64() < deadline)
        SwitchToThread();
    return is_terminated(context);
}

static void refused_at_startup(struct stage *inside, const struct entry *entry)
{
    (void)entry;
    EXPECT_FAILS(ExecuteUmsThread(inside->argument), ERROR_INVALID_PARAMETER);
}

CLAUSE(LF, 5, OBS, "P:terminatethread",
       "TerminateThread: a parked worker is not queued again, a blocked one is, once")
{
    PUMS_COMPLETION_LIST list = make_list();

    wake = make_event(false);
    REQUIRE(make_arrived(&worker, list, routine_wait, wake));
    EXPECT_OK(TerminateThread(worker.thread, 9));
    EXPECT(becomes_terminated(worker.context));
    EXPECT(is_empty(list, 30));
    stage = (struct stage){.list = list, .hook = refused_at_startup, .argument = worker.context};
    REQUIRE(stage_run(&stage));
    drop_worker(&worker);
    REQUIRE(make_arrived(&worker, list, routine_wait, wake));
    stage = (struct stage){.list = make_list(), .blind = true};
    stage_ready(&stage, worker.context);
    REQUIRE(stage_run(&stage)); /* it waits now */
    EXPECT_OK(TerminateThread(worker.thread, 9));
    REQUIRE(arrives(worker.context, stage.list, list));
    EXPECT_EQ(is_terminated(worker.context), true);
    EXPECT(is_empty(list, 20));
    EXPECT(is_empty(stage.list, 0));
    drop_worker(&worker);
    drop_list(stage.list);
    EXPECT_OK(CloseHandle(wake));
    drop_list(list);
}

static void delete_in_proc(struct stage *inside, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerThreadBlocked) {
        stage_take(inside, inside->list, patience_ms());
        if (is_terminated(worker.context)) {
            EXPECT_OK(DeleteUmsThreadContext(worker.context));
            inside->leave = true;
        }
    }
}

CLAUSE(LF, 6, OBS, "U",
       "A scheduler can finish: dequeue, delete the context, return, delete the list")
{
    stage = (struct stage){.hook = delete_in_proc};
    REQUIRE(stage_solo(&stage, &worker, routine_return, NULL));
    EXPECT(stage.leave);
    EXPECT_OK(DeleteUmsCompletionList(stage.list));
    EXPECT_EQ(WaitForSingleObject(worker.thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(worker.thread));
}

/* One worker parked, one blocked for good, one that never ran. */
PART(exit_with_workers)
{
    static struct worker parked, blocked, fresh;
    PUMS_COMPLETION_LIST list = make_list();

    wake = make_event(false);
    if (!make_arrived(&parked, list, routine_yield, NULL) ||
        !make_arrived(&blocked, list, routine_wait, wake))
        return 1;
    stage = (struct stage){.list = list, .hook = leave_when_blocked};
    stage_ready(&stage, blocked.context);
    if (!stage_run(&stage) || !make_worker(&fresh, list, routine_return, NULL, 0))
        return 2;
    ExitProcess(42);
    return 3;
}

CLAUSE(LF, 7, UNS, "U", "A process with parked and blocked workers ends at once")
{
    EXPECT_EQ(kit_part("exit_with_workers", NULL), 42);
}
