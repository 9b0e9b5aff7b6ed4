/* SPDX-License-Identifier: MIT
 *
 * user_wait_ends.c - workers that are ended, or suspended, while they wait in one of the ways that
 * need not take their thread: they end, once, and no longer take what others are to have.
 *
 * modes: default
 * libraries: synchronization
 */
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"
#include "waiters.h"

enum { CODE = 0x7e57, LIMIT_MS = 8000 };

static struct loose rig;
static HANDLE object, copy;
static int entered, returned;

static DWORD WINAPI wait_for_object(LPVOID milliseconds)
{
    flag_add(&entered, 1);
    EXPECT_EQ(WaitForSingleObject(object, (DWORD)(ULONG_PTR)milliseconds), WAIT_OBJECT_0);
    flag_add(&returned, 1);
    return 0;
}

static DWORD WINAPI sleep_long(LPVOID milliseconds)
{
    flag_add(&entered, 1);
    Sleep((DWORD)(ULONG_PTR)milliseconds);
    flag_add(&returned, 1);
    return 0;
}

/* The alert itself. What waits for it in ntdll (WaitOnAddress, SRW locks, condition variables) has
 * queues with entries on the stacks of who waits, and nobody takes out those of a thread that is ended:
 * the next to look there may find memory that is gone. */
static DWORD WINAPI wait_for_alert(LPVOID milliseconds)
{
    LONG(NTAPI * wait)
    (void *, LARGE_INTEGER *) =
        (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtWaitForAlertByThreadId");
    LARGE_INTEGER limit = {.QuadPart = -10000LL * (LONG)(ULONG_PTR)milliseconds};

    flag_add(&entered, 1);
    wait(NULL, milliseconds ? &limit : NULL);
    flag_add(&returned, 1);
    return 0;
}

/* Waits until the worker's wait has left its scheduler, and then for some time or for none. */
static struct loose_worker *blocked_in(LPTHREAD_START_ROUTINE routine, void *arg, DWORD age)
{
    struct loose_worker *worker;

    entered = returned = 0;
    if (!loose_start(&rig, NULL) || !(worker = loose_add(&rig, routine, arg, 0)) ||
        !loose_reaches(&worker->blocked, 1))
        return NULL;
    EXPECT_EQ(flag_get(&entered), 1);
    Sleep(age);
    return worker;
}

static void expect_ended(struct loose_worker *worker)
{
    DWORD code = 0;

    EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
    EXPECT_EQ(WaitForSingleObject(worker->bare.thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(worker->bare.thread, &code));
    EXPECT_EQ(code, CODE);
    ASSERT_OK(loose_reaches(&worker->ended, 1));
    EXPECT_EQ(flag_get(&returned), 0);
}

static void finish(void)
{
    ASSERT_OK(loose_finish(&rig));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
}

static void end_in(LPTHREAD_START_ROUTINE routine, void *arg, DWORD age)
{
    struct loose_worker *worker = blocked_in(routine, arg, age);

    ASSERT_OK(worker != NULL);
    expect_ended(worker);
    finish();
}

/* ---- Objects --------------------------------------------------------------------------------- */

static void signal_it(bool semaphore)
{
    EXPECT_OK(semaphore ? ReleaseSemaphore(object, 1, NULL) : SetEvent(object));
}

/* What is signalled after the end is still there. */
static void end_and_signal(bool semaphore, DWORD milliseconds, DWORD age, bool shared)
{
    object =
        semaphore ? CreateSemaphoreA(NULL, 0, 5, NULL) : CreateEventA(NULL, FALSE, FALSE, NULL);
    copy = NULL;
    if (shared) {
        EXPECT_OK(DuplicateHandle(GetCurrentProcess(), object, GetCurrentProcess(), &copy, 0, FALSE,
                                  DUPLICATE_SAME_ACCESS));
    }
    end_in(wait_for_object, (void *)(ULONG_PTR)milliseconds, age);
    signal_it(semaphore);
    EXPECT_EQ(WaitForSingleObject(object, 100), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(object, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(object));
    if (copy)
        EXPECT_OK(CloseHandle(copy));
}

CALL_TEST(UserWaitEnds, event_waited_for_just_now, end_and_signal(false, INFINITE, 0, false))
CALL_TEST(UserWaitEnds, event_waited_for_long, end_and_signal(false, INFINITE, 30, false))
CALL_TEST(UserWaitEnds, event_with_a_limit, end_and_signal(false, 60000, 0, false))
CALL_TEST(UserWaitEnds, event_that_is_shared, end_and_signal(false, 60000, 30, true))
CALL_TEST(UserWaitEnds, semaphore_waited_for_just_now, end_and_signal(true, INFINITE, 0, false))
CALL_TEST(UserWaitEnds, semaphore_waited_for_long, end_and_signal(true, 60000, 30, false))

static DWORD WINAPI end_by_itself(LPVOID param)
{
    return 0;
}

TEST(UserWaitEnds, thread)
{
    object = CreateThread(NULL, 0, end_by_itself, NULL, CREATE_SUSPENDED, NULL);
    end_in(wait_for_object, (void *)(ULONG_PTR)60000, 10);
    EXPECT_EQ(ResumeThread(object), 1);
    EXPECT_EQ(WaitForSingleObject(object, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(object));
}

/* ---- Time and alerts ------------------------------------------------------------------------- */

CALL_TEST(UserWaitEnds, sleep, end_in(sleep_long, (void *)(ULONG_PTR)60000, 0))
CALL_TEST(UserWaitEnds, sleep_for_ever, end_in(sleep_long, (void *)(ULONG_PTR)INFINITE, 0))
CALL_TEST(UserWaitEnds, alert, end_in(wait_for_alert, NULL, 0))
CALL_TEST(UserWaitEnds, alert_with_a_limit, end_in(wait_for_alert, (void *)(ULONG_PTR)60000, 0))

/* ---- Suspended, and signalled meanwhile ------------------------------------------------------ */

static void suspend_in(LPTHREAD_START_ROUTINE routine, void *arg)
{
    struct loose_worker *worker = blocked_in(routine, arg, 0);

    ASSERT_OK(worker != NULL);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    if (routine == wait_for_object)
        EXPECT_OK(SetEvent(object));
    ASSERT_OK(loose_reaches(&worker->arrivals, 2)); /* the wait is over, and it stays where it is */
    ASSERT_OK(loose_reaches(&worker->refusals, 1));
    EXPECT_EQ(flag_get(&returned), 0);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    ASSERT_OK(loose_reaches(&worker->ended, 1));
    EXPECT_EQ(returned, 1);
    finish();
}

TEST(UserWaitEnds, suspended_in_a_wait)
{
    object = CreateEventA(NULL, FALSE, FALSE, NULL);
    suspend_in(wait_for_object, (void *)(ULONG_PTR)LIMIT_MS);
    EXPECT_EQ(WaitForSingleObject(object, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(object));
}

TEST(UserWaitEnds, suspended_in_a_sleep)
{
    suspend_in(sleep_long, (void *)(ULONG_PTR)50);
}

/* ---- Ends and signals that meet -------------------------------------------------------------- */

/* Ended after the signal, the worker may have had it, and run; ended before, it must not have. */
TEST(UserWaitEnds, end_and_signal_at_once)
{
    object = CreateEventA(NULL, FALSE, FALSE, NULL);
    ASSERT_OK(loose_start(&rig, NULL));
    for (int i = 0; i < 40; i++) {
        struct loose_worker *worker;
        bool first = i % 2;

        returned = 0;
        worker = loose_add(&rig, wait_for_object, (void *)(ULONG_PTR)60000, 0);
        ASSERT_OK(worker != NULL);
        ASSERT_REACHES(worker->blocked, 1);
        if (first)
            EXPECT_OK(SetEvent(object));
        EXPECT_OK(TerminateThread(worker->bare.thread, CODE));
        /* Whether it arrives depends on whether the scheduler had it in its hands: see finish. */
        ASSERT_EQ(WaitForSingleObject(worker->bare.thread, LIMIT_MS), WAIT_OBJECT_0);
        if (first && !returned)
            WaitForSingleObject(object, 0);
        EXPECT_EQ(WaitForSingleObject(object, 0), WAIT_TIMEOUT);
        EXPECT_OK(SetEvent(object));
        EXPECT_EQ(WaitForSingleObject(object, 0), WAIT_OBJECT_0);
    }
    finish();
    EXPECT_OK(CloseHandle(object));
}
