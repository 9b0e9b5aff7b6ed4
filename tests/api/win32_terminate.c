/* SPDX-License-Identifier: MIT
 *
 * win32_terminate.c - TerminateThread from outside: workers that do not run, waits of every kind,
 * schedulers (LF-5, ES-12). win32_terminate_running.c has the threads that run.
 *
 * TerminateThread on Windows leaves locks of the heap and critical sections behind.
 *
 * modes: win32
 * options: APART
 * except: plain_thread_in_every_wait, worker_blocked_in_every_wait_LF_5
 */
#include "ended.h"

static HANDLE owned;

/* ---- workers that do not run ---- */

static DWORD WINAPI must_not_run(LPVOID param)
{
    FAIL("a worker that was ended runs");
    return 0;
}

TEST(Win32Terminate, worker_held_by_the_program_LF_5)
{
    struct loose_worker *worker;

    rig.hold = 1;
    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, must_not_run, NULL, 0);
    ASSERT_REACHES(worker->arrivals, 1);
    EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
    expect_ended(worker->bare.thread);
    EXPECT_EQ(is_terminated(worker->bare.context), true);
    finish();
    EXPECT_EQ(worker->dropped, 1); /* it was not queued again */
    EXPECT_EQ(worker->arrivals, 1);
}

TEST(Win32Terminate, worker_on_its_list)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare worker;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create(&worker, list, must_not_run, NULL, 0));
    ASSERT_OK(bare_has_arrived(list));
    EXPECT_OK(TerminateThread(worker.thread, CODE));
    expect_ended(worker.thread);
    EXPECT_EQ(bare_arrival(list), worker.context); /* once, as terminated */
    EXPECT_EQ(is_terminated(worker.context), true);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Win32Terminate, worker_created_suspended)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT more = NULL;
    struct bare worker;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create(&worker, list, must_not_run, NULL, CREATE_SUSPENDED));
    EXPECT_OK(TerminateThread(worker.thread, CODE));
    expect_ended(worker.thread);
    ResumeThread(worker.thread);
    EXPECT_EQ(is_terminated(worker.context), true);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 10, &more));
    EXPECT_THAT(!more || more == worker.context, "%p", more);
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- blocked, in every kind of wait ---- */

static CRITICAL_SECTION section;
static SRWLOCK slim = SRWLOCK_INIT;
static CONDITION_VARIABLE variable = CONDITION_VARIABLE_INIT;
static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
static LONG word;

enum wait_kind {
    FOR_EVENT,
    FOR_EVENT_TIMED,
    FOR_ANY,
    FOR_ALL,
    SLEEP,
    SLEEP_FOR_EVER,
    FOR_SECTION,
    FOR_SLIM,
    FOR_SLIM_SHARED,
    FOR_CONDITION,
    FOR_CONDITION_TIMED,
    AT_ADDRESS,
    AT_ADDRESS_TIMED,
    FOR_INIT_ONCE,
    SIGNAL_AND_WAIT,
    WAIT_KINDS
};

static void wait_by(enum wait_kind kind)
{
    HANDLE two[2] = {never, CreateEventA(NULL, TRUE, TRUE, NULL)};
    LONG zero = 0;
    BOOL pending;

    switch (kind) {
    case FOR_EVENT:
        WaitForSingleObject(never, INFINITE);
        break;
    case FOR_EVENT_TIMED:
        WaitForSingleObjectEx(never, 60000, TRUE);
        break;
    case FOR_ANY:
        WaitForMultipleObjects(1, two, FALSE, 60000);
        break;
    case FOR_ALL:
        WaitForMultipleObjects(2, two, TRUE, INFINITE);
        break;
    case SLEEP:
        Sleep(60000);
        break;
    case SLEEP_FOR_EVER:
        SleepEx(INFINITE, TRUE);
        break;
    case FOR_SECTION:
        EnterCriticalSection(&section);
        break;
    case FOR_SLIM:
        AcquireSRWLockExclusive(&slim);
        break;
    case FOR_SLIM_SHARED:
        AcquireSRWLockShared(&slim);
        break;
    case FOR_CONDITION: {
        CRITICAL_SECTION own;

        InitializeCriticalSection(&own);
        EnterCriticalSection(&own);
        SleepConditionVariableCS(&variable, &own, INFINITE);
        break;
    }
    case FOR_CONDITION_TIMED: {
        SRWLOCK own = SRWLOCK_INIT;

        AcquireSRWLockExclusive(&own);
        SleepConditionVariableSRW(&variable, &own, 60000, 0);
        break;
    }
    case AT_ADDRESS:
        WaitOnAddress(&word, &zero, sizeof word, INFINITE);
        break;
    case AT_ADDRESS_TIMED:
        WaitOnAddress(&word, &zero, sizeof word, 60000);
        break;
    case FOR_INIT_ONCE:
        InitOnceBeginInitialize(&once, 0, &pending, NULL);
        break;
    default:
        SignalObjectAndWait(two[1], never, INFINITE, FALSE);
    }
    FAIL("wait %d ended by itself", (int)kind);
}

static DWORD WINAPI own_and_wait(LPVOID kind)
{
    EXPECT_EQ(WaitForSingleObject(owned, 8000) & ~WAIT_ABANDONED, WAIT_OBJECT_0);
    flag_add(&progress, 1);
    wait_by((enum wait_kind)(ULONG_PTR)kind);
    return 0;
}

/* Takes what the waiters want, and keeps it. */
static void take_everything(void)
{
    BOOL pending = FALSE;

    never = CreateEventA(NULL, FALSE, FALSE, NULL);
    owned = CreateMutexA(NULL, FALSE, NULL);
    InitializeCriticalSection(&section);
    EnterCriticalSection(&section);
    AcquireSRWLockExclusive(&slim);
    EXPECT_OK(InitOnceBeginInitialize(&once, 0, &pending, NULL));
    EXPECT_EQ(pending, TRUE);
}

/* Workers that were ended while they waited take nothing, and leave nothing locked. */
static void give_everything_back(void)
{
    LeaveCriticalSection(&section);
    EXPECT_OK(TryEnterCriticalSection(&section));
    LeaveCriticalSection(&section);
    DeleteCriticalSection(&section);
    ReleaseSRWLockExclusive(&slim);
    AcquireSRWLockShared(&slim);
    ReleaseSRWLockShared(&slim);
    AcquireSRWLockExclusive(&slim);
    ReleaseSRWLockExclusive(&slim);
    EXPECT_OK(InitOnceComplete(&once, 0, NULL));
    WakeAllConditionVariable(&variable);
    word = 1;
    WakeByAddressAll(&word);
    EXPECT_OK(SetEvent(never));
    EXPECT_EQ(WaitForSingleObject(never, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(never));
    EXPECT_OK(CloseHandle(owned));
}

TEST(Win32Terminate, worker_blocked_in_every_wait_LF_5)
{
    take_everything();
    ASSERT_OK(loose_start(&rig, NULL));
    for (enum wait_kind kind = 0; kind < WAIT_KINDS; kind++) {
        struct loose_worker *worker = loose_add(&rig, own_and_wait, (void *)(ULONG_PTR)kind, 0);

        ASSERT_OK(worker != NULL);
        ASSERT_REACHES(worker->blocked, 1);
        EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
        expect_ended(worker->bare.thread);
        ASSERT_REACHES(worker->ended, 1);
        EXPECT_EQ(worker->arrivals, 2); /* queued once */
        EXPECT_EQ(WaitForSingleObject(owned, 0), WAIT_ABANDONED);
        EXPECT_OK(ReleaseMutex(owned));
    }
    EXPECT_EQ(progress, WAIT_KINDS);
    finish();
    give_everything_back();
}

TEST(Win32Terminate, plain_thread_in_every_wait)
{
    take_everything();
    for (enum wait_kind kind = 0; kind < WAIT_KINDS; kind++) {
        HANDLE thread = CreateThread(NULL, 0, own_and_wait, (void *)(ULONG_PTR)kind, 0, NULL);

        ASSERT_REACHES(progress, (int)kind + 1);
        if (kind % 2)
            Sleep(2); /* it waits, probably; without, it may be on its way */
        EXPECT_OK(TerminateThread(thread, CODE));
        expect_ended(thread);
        EXPECT_EQ(WaitForSingleObject(owned, 0), WAIT_ABANDONED);
        EXPECT_OK(ReleaseMutex(owned));
        EXPECT_OK(CloseHandle(thread));
    }
    give_everything_back();
}

/* ---- schedulers ---- */

static DWORD WINAPI compute(LPVOID param)
{
    for (;;)
        flag_add(&progress, 1);
    return 0;
}

TEST(Win32Terminate, scheduler_while_a_worker_runs_on_it_ES_12)
{
    static struct loose heir;
    struct loose_worker *worker;

    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, compute, NULL, 0);
    ASSERT_REACHES(progress, 1);
    EXPECT_OK(TerminateThread(rig.thread, CODE));
    expect_ended(rig.thread);
    ASSERT_OK(loose_stands_still(&progress));
    EXPECT_EQ(is_terminated(worker->bare.context), false);
    /* Its worker is back on the list: any scheduler may execute it. */
    progress = 0;
    ASSERT_OK(loose_start(&heir, rig.list));
    ASSERT_REACHES(worker->arrivals, 2);
    ASSERT_REACHES(progress, 1);
    EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
    expect_ended(worker->bare.thread);
    ASSERT_REACHES(worker->ended, 1);
    ASSERT_OK(loose_finish(&heir));
    bare_delete(&worker->bare);
    EXPECT_OK(CloseHandle(rig.thread));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
}

static int wait_in_proc;

static VOID NTAPI stay_in_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID list)
{
    PUMS_CONTEXT context;

    flag_set(&progress, 1);
    while (!wait_in_proc) {
    }
    DequeueUmsCompletionListItems(list, INFINITE, &context);
    FAIL("the scheduler goes on");
}

static DWORD WINAPI schedule(LPVOID list)
{
    ums_enter(list, stay_in_proc, list);
    FAIL("the scheduler came back");
    return 0;
}

TEST(Win32Terminate, scheduler_in_its_entry_point)
{
    for (wait_in_proc = 0; wait_in_proc < 2; wait_in_proc++) {
        PUMS_COMPLETION_LIST list = NULL;
        HANDLE thread;

        progress = 0;
        ASSERT_OK(CreateUmsCompletionList(&list));
        thread = CreateThread(NULL, 0, schedule, list, 0, NULL);
        ASSERT_REACHES(progress, 1);
        EXPECT_OK(TerminateThread(thread, CODE));
        expect_ended(thread);
        EXPECT_OK(CloseHandle(thread));
        EXPECT_OK(DeleteUmsCompletionList(list));
    }
}
