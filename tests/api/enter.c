/* SPDX-License-Identifier: MIT
 *
 * enter.c - EnterUmsSchedulingMode (ES-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <string.h>

struct trace {
    int calls;
    UMS_SCHEDULER_REASON reasons[16];
    PUMS_CONTEXT execute;          /* at Startup */
    UMS_SCHEDULER_REASON leave_at; /* return from the first activation of this kind */
};
static struct trace trace;

static VOID NTAPI traced_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    if (trace.calls < 16)
        trace.reasons[trace.calls] = reason;
    trace.calls++;
    if (reason == trace.leave_at)
        return;
    if (trace.execute) {
        PUMS_CONTEXT context = trace.execute;
        DWORD error;

        if (reason != UmsSchedulerThreadYield)
            trace.execute = NULL;
        error = bare_execute(context);
        FAIL("execute: last error %u", (unsigned)error);
    }
}

static PUMS_COMPLETION_LIST make_list(void)
{
    PUMS_COMPLETION_LIST list = NULL;

    memset(&trace, 0, sizeof trace);
    EXPECT_OK(CreateUmsCompletionList(&list));
    return list;
}

TEST(Enter, startup_once_and_return_ES_1_ES_7)
{
    PUMS_COMPLETION_LIST list = make_list();

    for (int i = 1; i <= 3; i++) { /* ES-8: may be called again */
        EXPECT_OK(bare_enter(list, traced_proc, NULL));
        EXPECT_EQ(trace.calls, i);
        EXPECT_EQ(trace.reasons[i - 1], UmsSchedulerStartup);
    }
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Enter, wrong_version_ES_2)
{
    PUMS_COMPLETION_LIST list = make_list();
    UMS_SCHEDULER_STARTUP_INFO info = {0, list, traced_proc, NULL};

    EXPECT_FAILS(EnterUmsSchedulingMode(&info), ERROR_INVALID_PARAMETER);
    info.UmsVersion = UMS_VERSION + 1;
    EXPECT_FAILS(EnterUmsSchedulingMode(&info), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(trace.calls, 0);
    EXPECT_FAILS(GetCurrentUmsThread(), ERROR_NOT_SUPPORTED);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Enter, null_arguments_ES_3_ES_5)
{
    PUMS_COMPLETION_LIST list = make_list();

    EXPECT_FAILS(bare_enter(NULL, traced_proc, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(bare_enter(list, NULL, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(EnterUmsSchedulingMode(NULL), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(trace.calls, 0);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Enter, what_is_no_list)
{
    char on_stack[256] = {0};
    PUMS_COMPLETION_LIST list = make_list();

    EXPECT_FAILS(bare_enter((void *)1, traced_proc, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(bare_enter(on_stack, traced_proc, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_FAILS(bare_enter(list, traced_proc, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(trace.calls, 0);
}

static VOID NTAPI enter_again(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    EXPECT_FAILS(bare_enter(param, traced_proc, NULL), ERROR_NOT_SUPPORTED);
}

TEST(Enter, from_a_scheduler_ES_4)
{
    PUMS_COMPLETION_LIST list = make_list();

    EXPECT_OK(bare_enter(list, enter_again, list));
    EXPECT_EQ(trace.calls, 0);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void enter_in_worker(struct worker *self)
{
    EXPECT_FAILS(bare_enter(self->arg, traced_proc, NULL), ERROR_NOT_SUPPORTED);
}

TEST(Enter, from_a_worker_ES_4)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, enter_in_worker, list);
    fleet_run(fleet);
    fleet_destroy(fleet);
    EXPECT_EQ(trace.calls, 0);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ES-6: the structure is read once. */
static UMS_SCHEDULER_STARTUP_INFO short_lived;

static VOID NTAPI overwrite_info(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup)
        memset(&short_lived, 0xcc, sizeof short_lived);
    traced_proc(reason, payload, param);
}

TEST(Enter, structure_is_read_once_ES_6)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;
    PUMS_CONTEXT context;

    ASSERT_OK(bare_create_arrived(&worker, list, routine_yield_once, NULL));
    short_lived = (UMS_SCHEDULER_STARTUP_INFO){UMS_VERSION, list, overwrite_info, NULL};
    trace.execute = worker.context;
    trace.leave_at = UmsSchedulerThreadBlocked; /* the end of the worker */
    EXPECT_OK(EnterUmsSchedulingMode(&short_lived));
    EXPECT_EQ(trace.reasons[0], UmsSchedulerStartup);
    /* The worker yielded and was left alone, or it ended. */
    context = worker.context;
    ASSERT_OK(bare_drive(list, &context, is_terminated(context) ? 0 : 1, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void leave_from(UMS_SCHEDULER_REASON reason, LPTHREAD_START_ROUTINE routine, bool held)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;

    ASSERT_OK(bare_create_arrived(&worker, list, routine, NULL));
    trace.execute = worker.context;
    trace.leave_at = reason;
    EXPECT_OK(bare_enter(list, traced_proc, NULL));
    EXPECT_EQ(trace.calls, 2);
    EXPECT_EQ(trace.reasons[1], reason);
    EXPECT_FAILS(GetCurrentUmsThread(), ERROR_NOT_SUPPORTED); /* ES-8 */
    ASSERT_OK(bare_drive(list, &worker.context, held ? 1 : 0, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Enter, return_from_a_yield_activation_ES_7_ES_10)
{
    leave_from(UmsSchedulerThreadYield, routine_yield_once, true);
}

TEST(Enter, return_from_the_activation_of_an_end_ES_7)
{
    leave_from(UmsSchedulerThreadBlocked, routine_return, false);
}

static DWORD WINAPI sleep_once(LPVOID param)
{
    (void)param;
    Sleep(20);
    return 0;
}

/* ES-9: left while its worker was blocked; the worker arrives and is run by the next scheduler. */
TEST(Enter, return_while_a_worker_is_blocked_ES_7_ES_9)
{
    leave_from(UmsSchedulerThreadBlocked, sleep_once, false);
}

TEST(Enter, system_information_before_during_after_ES_8)
{
    PUMS_COMPLETION_LIST list = make_list();
    UMS_SYSTEM_THREAD_INFORMATION info = {UMS_VERSION, {{0}}};

    EXPECT_OK(bare_enter(list, traced_proc, NULL));
    info.ThreadUmsFlags = 3;
    EXPECT_OK(GetUmsSystemThreadInformation(GetCurrentThread(), &info));
    EXPECT_EQ(info.ThreadUmsFlags, 0);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- ES-11: the scheduler thread ends inside its entry point ---- */

enum { DEATH_CODE = 4711 };
static bool die_by_terminate;
static UMS_SCHEDULER_REASON die_at;

static VOID NTAPI dying_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    if (reason != die_at) {
        DWORD error = bare_execute(trace.execute);

        FAIL("execute: last error %u", (unsigned)error);
    }
    if (die_by_terminate)
        TerminateThread(GetCurrentThread(), DEATH_CODE);
    else
        ExitThread(DEATH_CODE);
    FAIL("the thread lives on");
}

static DWORD WINAPI enter_and_die(LPVOID list)
{
    bare_enter(list, dying_proc, NULL);
    FAIL("EnterUmsSchedulingMode returned");
    return 0;
}

static void die_inside(bool by_terminate, UMS_SCHEDULER_REASON at)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct bare worker;
    HANDLE thread;
    DWORD code = 0;

    die_by_terminate = by_terminate;
    die_at = at;
    ASSERT_OK(bare_create_arrived(&worker, list, routine_yield_once, NULL));
    trace.execute = worker.context;
    thread = CreateThread(NULL, 0, enter_and_die, list, 0, NULL);
    ASSERT_OK(thread != NULL);
    ASSERT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, DEATH_CODE);
    EXPECT_OK(CloseHandle(thread));
    ASSERT_OK(bare_drive(list, &worker.context, 1, 1)); /* the worker is still there */
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list)); /* by another thread than the scheduler */
}

TEST(Enter, exit_thread_at_startup_ES_11)
{
    die_inside(false, UmsSchedulerStartup);
}

TEST(Enter, exit_thread_in_a_yield_activation_ES_11)
{
    die_inside(false, UmsSchedulerThreadYield);
}

TEST(Enter, terminate_itself_at_startup_ES_11)
{
    die_inside(true, UmsSchedulerStartup);
}

TEST(Enter, terminate_itself_in_a_yield_activation_ES_11)
{
    die_inside(true, UmsSchedulerThreadYield);
}

static VOID NTAPI return_at_once(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    ++*(int *)param;
}

TEST(Enter, ten_thousand_times)
{
    PUMS_COMPLETION_LIST list = make_list();
    int calls = 0;

    for (int i = 0; i < 10000; i++)
        ASSERT_OK(bare_enter(list, return_at_once, &calls));
    EXPECT_EQ(calls, 10000);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
