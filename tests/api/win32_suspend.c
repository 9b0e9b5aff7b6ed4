/* SPDX-License-Identifier: MIT
 *
 * win32_suspend.c - SuspendThread and ResumeThread of workers that do not run, schedulers and plain
 * threads (SU-*). win32_suspend_running.c has the workers that do.
 *
 * modes: win32
 * with: restless.c
 * options: APART
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"
#include "restless.h"

static DWORD WINAPI compute(LPVOID param)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        __atomic_store_n(&progress, progress + 1, __ATOMIC_RELAXED);
    return 5;
}

/* ---- workers that do not run ---- */

TEST(Win32Suspend, ready_worker_SU_1_SU_2)
{
    struct loose_worker *worker;
    int ran = 0;

    rig.hold = 1;
    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, run_once, &ran, 0);
    ASSERT_OK(worker != NULL);
    ASSERT_REACHES(worker->arrivals, 1);
    EXPECT_EQ(is_suspended(worker->bare.context), false);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    EXPECT_EQ(is_suspended(worker->bare.context), true);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 1);
    flag_set(&rig.hold, 0);
    ASSERT_REACHES(worker->refusals, 5); /* EX-9 */
    EXPECT_EQ(ResumeThread(worker->bare.thread), 2);
    ASSERT_REACHES(worker->refusals, flag_get(&worker->refusals) + 5);
    EXPECT_EQ(flag_get(&ran), 0);
    EXPECT_EQ(is_suspended(worker->bare.context), true);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    ASSERT_REACHES(ran, 1);
    finish();
    EXPECT_EQ(worker->arrivals, 2); /* its birth and its end: the resumption queued nothing */
    EXPECT_EQ(ResumeThread(GetCurrentThread()), 0);
}

TEST(Win32Suspend, worker_on_its_list)
{
    PUMS_COMPLETION_LIST list = NULL;
    struct bare worker;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create(&worker, list, routine_return, NULL, 0));
    ASSERT_OK(bare_has_arrived(list));
    EXPECT_EQ(SuspendThread(worker.thread), 0);
    EXPECT_EQ(is_suspended(worker.context), true);
    EXPECT_EQ(bare_arrival(list), worker.context); /* it arrived before */
    EXPECT_EQ(ResumeThread(worker.thread), 1);
    EXPECT_EQ(is_suspended(worker.context), false);
    EXPECT_EQ(ResumeThread(worker.thread), 0);
    ASSERT_OK(bare_drive(list, &worker.context, 1, 1));
    bare_delete(&worker);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

static DWORD WINAPI wait_for_event(LPVOID event)
{
    EXPECT_EQ(WaitForSingleObject(event, 8000), WAIT_OBJECT_0);
    flag_add(&progress, 1);
    return 0;
}

TEST(Win32Suspend, blocked_worker_SU_4)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    struct loose_worker *worker;

    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, wait_for_event, event, 0);
    ASSERT_REACHES(worker->blocked, 1);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    EXPECT_EQ(is_suspended(worker->bare.context), true);
    EXPECT_OK(SetEvent(event));
    ASSERT_REACHES(worker->arrivals, 2); /* the suspended worker is queued all the same */
    ASSERT_REACHES(worker->refusals, 3);
    EXPECT_EQ(flag_get(&progress), 0);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    ASSERT_REACHES(progress, 1);
    finish();
    EXPECT_EQ(worker->arrivals, 3);
    EXPECT_EQ(worker->traps, 0);
    EXPECT_OK(CloseHandle(event));
}

TEST(Win32Suspend, blocked_worker_resumed_before_its_event)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    struct loose_worker *worker;

    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, wait_for_event, event, 0);
    ASSERT_REACHES(worker->blocked, 1);
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    EXPECT_EQ(flag_get(&worker->arrivals), 1);
    EXPECT_OK(SetEvent(event));
    ASSERT_REACHES(progress, 1);
    finish();
    EXPECT_EQ(worker->arrivals, 3);
    EXPECT_OK(CloseHandle(event));
}

static DWORD WINAPI suspend_itself(LPVOID param)
{
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(SuspendThread(GetCurrentThread()), 0);
        flag_add(&progress, 1);
    }
    return 0;
}

TEST(Win32Suspend, worker_suspends_itself)
{
    struct loose_worker *worker;

    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, suspend_itself, NULL, 0);
    for (int i = 0; i < 3; i++) {
        ASSERT_REACHES(worker->traps, i + 1);
        EXPECT_EQ(is_suspended(worker->bare.context), true);
        EXPECT_EQ(flag_get(&progress), i);
        EXPECT_EQ(flag_get(&worker->arrivals), i + 1);
        EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
        ASSERT_REACHES(progress, i + 1);
    }
    finish();
    EXPECT_EQ(worker->arrivals, 5);
}

/* ---- schedulers ---- */

TEST(Win32Suspend, scheduler_and_what_runs_on_it_SU_5)
{
    static struct loose other;
    struct loose_worker *elsewhere;
    int ran = 0;
    int before;

    ASSERT_OK(loose_start(&rig, NULL));
    ASSERT_OK(loose_start(&other, NULL));
    ASSERT_OK(loose_add(&rig, compute, NULL, 0) != NULL);
    ASSERT_REACHES(progress, 1000);
    EXPECT_EQ(SuspendThread(rig.thread), 0);
    ASSERT_OK(loose_stands_still(&progress));
    before = flag_get(&progress);
    elsewhere = loose_add(&other, run_once, &ran, 0);
    ASSERT_REACHES(elsewhere->ended, 1); /* other schedulers go on */
    EXPECT_EQ(flag_get(&progress), before);
    EXPECT_EQ(ResumeThread(rig.thread), 1);
    ASSERT_REACHES(progress, before + 1000);
    finish();
    ASSERT_OK(loose_finish(&other));
    EXPECT_OK(DeleteUmsCompletionList(other.list));
}

TEST(Win32Suspend, idle_scheduler)
{
    int ran = 0;
    struct loose_worker *worker;

    ASSERT_OK(loose_start(&rig, NULL));
    ASSERT_REACHES(rig.inside, 1);
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(SuspendThread(rig.thread), 0);
        if (i % 4 == 0) {
            ran = 0;
            worker = loose_add(&rig, run_once, &ran, 0);
            ASSERT_OK(worker != NULL);
        }
        EXPECT_EQ(ResumeThread(rig.thread), 1);
        ASSERT_REACHES(ran, 1);
    }
    finish();
}

static HANDLE own_handle;

static VOID NTAPI suspend_scheduler(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup) {
        flag_set(&progress, 1);
        EXPECT_EQ(SuspendThread(GetCurrentThread()), 0);
        flag_set(&progress, 2);
    }
}

static DWORD WINAPI schedule_suspended(LPVOID list)
{
    EXPECT_OK(ums_enter(list, suspend_scheduler, NULL));
    return 0;
}

/* Resumed as soon as it is suspended. */
static void resume(HANDLE thread)
{
    ULONGLONG deadline = GetTickCount64() + 8000;

    while (ResumeThread(thread) == 0) {
        if (GetTickCount64() > deadline) {
            FAIL("the thread does not suspend itself");
            return;
        }
        SwitchToThread();
    }
}

TEST(Win32Suspend, scheduler_suspends_itself)
{
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    own_handle = CreateThread(NULL, 0, schedule_suspended, list, 0, NULL);
    ASSERT_REACHES(progress, 1);
    resume(own_handle);
    ASSERT_EQ(WaitForSingleObject(own_handle, 8000), WAIT_OBJECT_0);
    EXPECT_EQ(progress, 2);
    EXPECT_OK(CloseHandle(own_handle));
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- plain threads ---- */

TEST(Win32Suspend, plain_thread_and_counts)
{
    HANDLE thread = CreateThread(NULL, 0, compute, NULL, 0, NULL);
    int before;

    ASSERT_REACHES(progress, 1000);
    EXPECT_EQ(SuspendThread(thread), 0);
    EXPECT_EQ(SuspendThread(thread), 1);
    ASSERT_OK(loose_stands_still(&progress));
    before = flag_get(&progress);
    EXPECT_EQ(ResumeThread(thread), 2);
    Sleep(5);
    EXPECT_EQ(flag_get(&progress), before);
    for (int i = 1; i < 127; i++)
        EXPECT_EQ(SuspendThread(thread), (DWORD)i);
    EXPECT_FAILS(SuspendThread(thread) != (DWORD)-1, ERROR_SIGNAL_REFUSED);
    for (int i = 127; i > 0; i--)
        EXPECT_EQ(ResumeThread(thread), (DWORD)i);
    EXPECT_EQ(ResumeThread(thread), 0);
    ASSERT_REACHES(progress, before + 1000);
    flag_set(&stop, 1);
    EXPECT_EQ(WaitForSingleObject(thread, 8000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

TEST(Win32Suspend, limit_of_a_worker)
{
    struct loose_worker *worker;

    rig.hold = 1;
    ASSERT_OK(loose_start(&rig, NULL));
    worker = loose_add(&rig, run_once, NULL, 0);
    ASSERT_REACHES(worker->arrivals, 1);
    for (int i = 0; i < 127; i++)
        EXPECT_EQ(SuspendThread(worker->bare.thread), (DWORD)i);
    EXPECT_FAILS(SuspendThread(worker->bare.thread) != (DWORD)-1, ERROR_SIGNAL_REFUSED);
    for (int i = 127; i > 0; i--) {
        EXPECT_EQ(is_suspended(worker->bare.context), true);
        EXPECT_EQ(ResumeThread(worker->bare.thread), (DWORD)i);
    }
    EXPECT_EQ(is_suspended(worker->bare.context), false);
    finish();
}

/* A suspended thread waits for an event. Its signal does not make the thread run. */
TEST(Win32Suspend, plain_thread_that_waits)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE thread = CreateThread(NULL, 0, wait_for_event, event, 0, NULL);

    EXPECT_EQ(SuspendThread(thread), 0);
    ASSERT_OK(loose_stands_still(&progress));
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(thread, 30), WAIT_TIMEOUT);
    EXPECT_EQ(flag_get(&progress), 0);
    EXPECT_EQ(ResumeThread(thread), 1);
    EXPECT_EQ(WaitForSingleObject(thread, 8000), WAIT_OBJECT_0);
    EXPECT_EQ(progress, 1);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(event));
}

TEST(Win32Suspend, plain_thread_suspends_itself)
{
    HANDLE thread = CreateThread(NULL, 0, suspend_itself, NULL, 0, NULL);

    for (int i = 0; i < 3; i++) {
        resume(thread);
        ASSERT_REACHES(progress, i + 1);
    }
    EXPECT_EQ(WaitForSingleObject(thread, 8000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

TEST(Win32Suspend, threads_that_have_ended)
{
    HANDLE thread = CreateThread(NULL, 0, run_once, NULL, 0, NULL);

    ASSERT_EQ(WaitForSingleObject(thread, 8000), WAIT_OBJECT_0);
    EXPECT_EQ(SuspendThread(thread), (DWORD)-1);
    EXPECT_OK(CloseHandle(thread));
}
