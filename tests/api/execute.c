/* SPDX-License-Identifier: MIT
 *
 * execute.c - ExecuteUmsThread (EX-*, TC-5).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"

#include <stdlib.h>

static PUMS_COMPLETION_LIST list;
static struct bare worker;
static PUMS_CONTEXT target;
static DWORD seen;    /* what the refused Execute said */
static BOOL returned; /* and returned */
static int activations;
static int done;

static bool set_up(LPTHREAD_START_ROUTINE routine, void *arg)
{
    seen = 0;
    returned = 1;
    activations = 0;
    done = 0;
    target = NULL;
    return TC_OK(CreateUmsCompletionList(&list)) &&
           bare_create_arrived(&worker, list, routine, arg);
}

static void finish(bool held)
{
    ASSERT_OK(bare_drive(list, &worker.context, held ? 1 : 0, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static void refused(PUMS_CONTEXT context)
{
    SetLastError(TC_SENTINEL);
    returned = ExecuteUmsThread(context);
    seen = GetLastError();
}

/* Tries the target; the scheduler goes on as if nothing had happened (EX-2). */
static VOID NTAPI try_target(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    activations++;
    if (reason == UmsSchedulerStartup) {
        refused(target);
        bare_execute(worker.context);
        FAIL("execute failed: last error %u", (unsigned)GetLastError());
    }
}

static void refuse(PUMS_CONTEXT context, DWORD error)
{
    target = context;
    activations = 0;
    EXPECT_OK(bare_enter(list, try_target, NULL));
    EXPECT_EQ(returned, 0);
    EXPECT_EQ(seen, error);
    EXPECT_EQ(activations, 2);
}

TEST(Execute, success_does_not_return_EX_1)
{
    ASSERT_OK(set_up(routine_return, NULL));
    finish(true);
}

TEST(Execute, null_EX_4_EX_2)
{
    ASSERT_OK(set_up(routine_return, NULL));
    refuse(NULL, ERROR_INVALID_PARAMETER);
    finish(false);
}

/* Deleted just now: any context that is created later may lie where it lay. */
static PUMS_CONTEXT deleted_context(void)
{
    PUMS_CONTEXT context = NULL;

    EXPECT_OK(CreateUmsThreadContext(&context));
    EXPECT_OK(DeleteUmsThreadContext(context));
    return context;
}

TEST(Execute, what_is_no_context)
{
    static char nothing[256];
    char *on_heap = calloc(1, 256);
    void *wrong[] = {(void *)1, nothing, on_heap, (void *)~(uintptr_t)7};

    for (int i = 0; i < 4; i++) {
        ASSERT_OK(set_up(routine_return, NULL));
        refuse(wrong[i], ERROR_INVALID_PARAMETER);
        finish(false);
    }
    ASSERT_OK(set_up(routine_return, NULL));
    refuse(deleted_context(), ERROR_INVALID_PARAMETER);
    finish(false);
    ASSERT_OK(set_up(routine_return, NULL));
    refuse(list, ERROR_INVALID_PARAMETER);
    finish(false);
    free(on_heap);
}

TEST(Execute, context_without_thread_TC_5_EX_6)
{
    PUMS_CONTEXT empty = NULL;

    ASSERT_OK(CreateUmsThreadContext(&empty));
    ASSERT_OK(set_up(routine_return, NULL));
    refuse(empty, ERROR_INVALID_PARAMETER);
    finish(false);
    EXPECT_OK(DeleteUmsThreadContext(empty));
}

static VOID NTAPI try_own(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    (void)param;
    refused(GetCurrentUmsThread());
}

TEST(Execute, the_schedulers_own_context_EX_6)
{
    ASSERT_OK(set_up(routine_return, NULL));
    EXPECT_OK(bare_enter(list, try_own, NULL));
    EXPECT_EQ(returned, 0);
    EXPECT_EQ(seen, ERROR_INVALID_PARAMETER);
    finish(true);
}

TEST(Execute, from_a_plain_thread_EX_5)
{
    ASSERT_OK(set_up(routine_return, NULL));
    EXPECT_FAILS(ExecuteUmsThread(worker.context), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(ExecuteUmsThread(NULL), ERROR_INVALID_PARAMETER); /* EX-10: NULL comes first */
    finish(true);
}

static DWORD WINAPI execute_in_worker(LPVOID param)
{
    (void)param;
    EXPECT_FAILS(ExecuteUmsThread(target), ERROR_NOT_SUPPORTED);
    EXPECT_FAILS(ExecuteUmsThread(GetCurrentUmsThread()), ERROR_NOT_SUPPORTED);
    return 0;
}

TEST(Execute, from_a_worker_EX_5)
{
    struct bare other;

    ASSERT_OK(set_up(execute_in_worker, NULL));
    ASSERT_OK(bare_create_arrived(&other, list, routine_return, NULL));
    target = other.context;
    ASSERT_OK(bare_drive(list, &worker.context, 1, 1));
    ASSERT_OK(bare_drive(list, &other.context, 1, 1));
    bare_delete(&other);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Execute, terminated_EX_8)
{
    struct bare ended;

    ASSERT_OK(set_up(routine_return, NULL));
    ASSERT_OK(bare_create(&ended, list, routine_return, NULL, 0));
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    EXPECT_EQ(is_terminated(ended.context), true);
    refuse(ended.context, ERROR_INVALID_PARAMETER);
    finish(false);
    bare_delete(&ended);
}

TEST(Execute, suspended_EX_9_EX_11)
{
    struct bare suspended;

    ASSERT_OK(set_up(routine_return, NULL));
    ASSERT_OK(bare_create(&suspended, list, routine_return, NULL, CREATE_SUSPENDED));
    refuse(suspended.context, ERROR_INVALID_PARAMETER);
    EXPECT_EQ(is_suspended(suspended.context), true);
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    /* It has neither run, nor come by the list because of the refusal. */
    EXPECT_EQ(is_terminated(suspended.context), false);
    EXPECT_EQ(is_terminated(worker.context), true);
    EXPECT_EQ(ResumeThread(suspended.thread), 1);
    ASSERT_OK(bare_drive(list, NULL, 0, 1));
    bare_delete(&suspended);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- still blocked (EX-7) ---- */

static HANDLE wake;

static DWORD WINAPI wait_for_wake(LPVOID param)
{
    (void)param;
    EXPECT_EQ(WaitForSingleObject(wake, 5000), WAIT_OBJECT_0);
    return 0;
}

static VOID NTAPI try_blocked(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    if (reason == UmsSchedulerStartup) {
        bare_execute(worker.context);
        FAIL("execute failed: last error %u", (unsigned)GetLastError());
    }
    refused(worker.context);
}

TEST(Execute, blocked_EX_7)
{
    wake = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_OK(set_up(wait_for_wake, NULL));
    EXPECT_OK(bare_enter(list, try_blocked, NULL));
    EXPECT_EQ(returned, 0);
    EXPECT_THAT(seen == ERROR_INTERNAL_ERROR || seen == ERROR_RETRY, "last error %u",
                (unsigned)seen);
    EXPECT_OK(SetEvent(wake));
    finish(false);
    EXPECT_OK(CloseHandle(wake));
}

/* Not dequeued: refused or, on some systems, allowed; here it must be refused and stay there. */
/* Executes what nobody dequeued, and leaves UMS mode when it is re-entered. */
static VOID NTAPI execute_undequeued(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)payload;
    (void)param;
    if (reason == UmsSchedulerStartup)
        refused(target);
}

/* Nobody owns a queued worker (EX-7 speaks of owned ones): executing it takes it off its list. */
TEST(Execute, still_on_its_list)
{
    struct bare queued;

    ASSERT_OK(set_up(routine_return, NULL));
    ASSERT_OK(bare_create(&queued, list, routine_return, NULL, 0));
    EXPECT_EQ(WaitForSingleObject(queued.thread, 100), WAIT_TIMEOUT); /* queued by now */
    target = queued.context;
    EXPECT_OK(bare_enter(list, execute_undequeued, NULL));
    EXPECT_EQ(seen, 0); /* it did not come back */
    EXPECT_EQ(bare_arrival(list), queued.context);
    EXPECT_OK(is_terminated(queued.context));
    bare_delete(&queued);
    finish(true);
}

/* ---- running on another scheduler (EX-7) ---- */

static DWORD WINAPI spin_until_done(LPVOID param)
{
    ULONGLONG deadline = GetTickCount64() + 10000;

    flag_set(param, 1);
    while (!flag_get(&done) && GetTickCount64() < deadline)
        SwitchToThread();
    return 0;
}

static DWORD WINAPI drive_it(LPVOID param)
{
    PUMS_CONTEXT context = param;

    bare_drive(list, &context, 1, 1);
    return 0;
}

static VOID NTAPI try_running(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason;
    (void)payload;
    refused(param);
}

TEST(Execute, running_elsewhere_EX_7)
{
    PUMS_COMPLETION_LIST other = NULL;
    int running = 0;
    HANDLE thread;

    ASSERT_OK(set_up(spin_until_done, &running));
    ASSERT_OK(CreateUmsCompletionList(&other));
    thread = CreateThread(NULL, 0, drive_it, worker.context, 0, NULL);
    ASSERT_OK(wait_until(&running, 5000));
    EXPECT_OK(bare_enter(other, try_running, worker.context));
    EXPECT_EQ(returned, 0);
    EXPECT_EQ(seen, ERROR_INTERNAL_ERROR);
    flag_set(&done, 1);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    bare_delete(&worker);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(DeleteUmsCompletionList(other));
    EXPECT_OK(DeleteUmsCompletionList(list));
}
