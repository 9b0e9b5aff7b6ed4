/* SPDX-License-Identifier: MIT
 *
 * win32_suspend_threads.c - schedulers and plain threads that are suspended wherever they happen to be: between the
 * yields of a worker, in waits, in the C library, on their way in and out of scheduling mode (SU-3).
 * No thread may hang.
 *
 * And a thousand stops of a thread that is in system calls most of the time, where it cannot be
 * stopped.
 *
 * modes: win32
 * with: restless.c
 * options: APART, LIMIT 60
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"
#include "restless.h"

#include <stdio.h>

/* ---- a scheduler ---- */

static DWORD WINAPI yield_only(LPVOID param)
{
    while (!flag_get(&stop)) {
        flag_add(&progress, 1);
        UmsThreadYield(param);
    }
    return 0;
}

static struct bare yielder;

static DWORD WINAPI drive_yielder(LPVOID param)
{
    EXPECT_OK(bare_drive(yielder.list, &yielder.context, 1, 1));
    return 0;
}

/* The scheduler is in the library nearly all the time. If SuspendThread could stop it only outside,
 * it would go on for a long while. The test counts the yields until it stops, as time says little
 * on a busy machine. */
TEST(Win32SuspendThreads, scheduler_whose_worker_does_nothing_but_yield)
{
    enum { TIMES = 50, MOST_EACH = 20000 };
    PUMS_COMPLETION_LIST list = NULL;
    HANDLE thread;
    int more = 0;

    ASSERT_OK(CreateUmsCompletionList(&list));
    ASSERT_OK(bare_create_arrived(&yielder, list, yield_only, NULL));
    thread = CreateThread(NULL, 0, drive_yielder, NULL, 0, NULL);
    for (int i = 0; i < TIMES; i++) {
        int before = flag_get(&progress);

        ASSERT_REACHES(progress, before + 1);
        ASSERT_EQ(SuspendThread(thread), 0);
        before = flag_get(&progress);
        ASSERT_OK(loose_stands_still(&progress));
        more += flag_get(&progress) - before;
        ASSERT_EQ(ResumeThread(thread), 1);
    }
    EXPECT_LE(more, TIMES * MOST_EACH);
    flag_set(&stop, 1);
    EXPECT_EQ(WaitForSingleObject(thread, 8000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    bare_delete(&yielder);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

/* ---- plain threads ---- */

static void disturb_plain(LPTHREAD_START_ROUTINE routine, void *arg, int times)
{
    HANDLE thread = CreateThread(NULL, 0, routine, arg, 0, NULL);
    ULONGLONG end = GetTickCount64() + ENOUGH_MS;

    ASSERT_REACHES(progress, 1);
    for (int i = 0; i < times && (i < AT_LEAST || GetTickCount64() < end); i++) {
        int before;

        ASSERT_EQ(SuspendThread(thread), 0);
        if (i % 16 == 0)
            ASSERT_OK(loose_stands_still(&progress));
        before = flag_get(&progress);
        ASSERT_EQ(ResumeThread(thread), 1);
        ASSERT_REACHES(progress, before + 1);
    }
    flag_set(&stop, 1);
    EXPECT_EQ(WaitForSingleObject(thread, 8000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
}

TEST(Win32SuspendThreads, plain_thread_in_waits_a_thousand_times)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    disturb_plain(wait_and_sleep, event, 1000);
    EXPECT_OK(CloseHandle(event));
}

TEST(Win32SuspendThreads, plain_thread_in_malloc_and_printf_a_thousand_times)
{
    FILE *stream = tmpfile();

    disturb_plain(allocate_and_print, stream, 1000);
    if (stream)
        fclose(stream);
}

/* The thread enters and leaves scheduling mode all the time. So SuspendThread meets it now as a
 * scheduler, now as a plain thread. */
static VOID NTAPI leave_at_once(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
}

static DWORD WINAPI enter_and_leave(LPVOID list)
{
    while (!flag_get(&stop)) {
        EXPECT_OK(ums_enter(list, leave_at_once, NULL));
        flag_add(&progress, 1);
    }
    return 0;
}

TEST(Win32SuspendThreads, thread_that_becomes_a_scheduler_and_is_none)
{
    PUMS_COMPLETION_LIST list = NULL;

    ASSERT_OK(CreateUmsCompletionList(&list));
    disturb_plain(enter_and_leave, list, 500);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Win32SuspendThreads, ended_while_it_becomes_a_scheduler)
{
    for (int i = 0; i < 30; i++) {
        PUMS_COMPLETION_LIST list = NULL;
        HANDLE thread;

        ASSERT_OK(CreateUmsCompletionList(&list));
        progress = 0;
        thread = CreateThread(NULL, 0, enter_and_leave, list, 0, NULL);
        ASSERT_REACHES(progress, 1 + i);
        EXPECT_OK(TerminateThread(thread, 3));
        ASSERT_EQ(WaitForSingleObject(thread, 8000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(thread));
        EXPECT_OK(DeleteUmsCompletionList(list));
    }
}
