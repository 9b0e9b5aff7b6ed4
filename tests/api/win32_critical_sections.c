/* SPDX-License-Identifier: MIT
 *
 * win32_critical_sections.c - critical sections between workers of one scheduler, of two, and plain
 * threads.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"

static CRITICAL_SECTION section;
static int inside;
static long counter;

static DWORD WINAPI try_from_elsewhere(LPVOID which)
{
    BOOL mine = TryEnterCriticalSection(which);

    if (mine)
        LeaveCriticalSection(which);
    return (DWORD)mine;
}

static DWORD free_for_others(CRITICAL_SECTION *which)
{
    HANDLE thread = CreateThread(NULL, 0, try_from_elsewhere, which, 0, NULL);
    DWORD mine = 99;

    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &mine));
    EXPECT_OK(CloseHandle(thread));
    return mine;
}

static void recursion(void *arg)
{
    CRITICAL_SECTION own;

    EXPECT_OK(InitializeCriticalSectionEx(&own, 100, 0));
    for (int i = 0; i < 3; i++)
        EnterCriticalSection(&own);
    EXPECT_OK(TryEnterCriticalSection(&own));
    for (int i = 0; i < 3; i++) {
        LeaveCriticalSection(&own);
        EXPECT_EQ(free_for_others(&own), FALSE);
    }
    LeaveCriticalSection(&own);
    EXPECT_EQ(free_for_others(&own), TRUE);
    SetCriticalSectionSpinCount(&own, 4000);
    EXPECT_EQ(SetCriticalSectionSpinCount(&own, 0), 4000);
    DeleteCriticalSection(&own);
    EXPECT_OK(InitializeCriticalSectionAndSpinCount(&own, 0x80000400));
    EnterCriticalSection(&own);
    EXPECT_EQ(free_for_others(&own), FALSE);
    LeaveCriticalSection(&own);
    DeleteCriticalSection(&own);
}

TEST(Win32CriticalSections, recursion_and_try)
{
    in_each_kind(recursion, NULL);
}

/* ---- contention ---- */

static void use(int i)
{
    EnterCriticalSection(&section);
    if (i % 3 == 0)
        EnterCriticalSection(&section);
    if (flag_add(&inside, 1) != 1)
        FAIL("two threads inside at once");
    counter++;
    if (i % 16 == 0)
        SwitchToThread();
    flag_add(&inside, -1);
    if (i % 3 == 0)
        LeaveCriticalSection(&section);
    LeaveCriticalSection(&section);
}

enum { ROUNDS = 2000, ENOUGH_MS = 2000 }; /* a busy machine makes fewer rounds */

static void use_often(void *made)
{
    ULONGLONG begun = stopwatch();

    for (int i = 0; i < ROUNDS && stopwatch() - begun < ENOUGH_MS; i++) {
        use(i);
        flag_add(made, 1);
    }
}

TEST(Win32CriticalSections, contended_by_all_kinds)
{
    enum { THREADS = 9 };
    struct kind_thread threads[THREADS] = {0};
    int made = 0;

    counter = 0;
    InitializeCriticalSection(&section);
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, use_often, &made));
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_EQ(counter, made);
    DeleteCriticalSection(&section);
}

/* Held across yields and waits, so that others run into it on the same scheduler. */
static void worker_uses(struct worker *self)
{
    for (int i = 0; i < 150; i++) {
        EnterCriticalSection(&section);
        EXPECT_EQ(flag_add(&inside, 1), 1);
        counter++;
        if (i % 3 == 0)
            EXPECT_OK(UmsThreadYield(NULL));
        else if ((i + self->index) % 50 == 1)
            Sleep(1);
        EXPECT_EQ(flag_add(&inside, -1), 0);
        LeaveCriticalSection(&section);
    }
}

static void between_workers(int schedulers)
{
    enum { WORKERS = 12 };
    struct fleet *fleet = fleet_create(schedulers, WORKERS, FLEET_SHARED_READY | FLEET_RANDOM);
    struct kind_thread plain = {0};
    int made = 0;

    ASSERT_NE(fleet, NULL);
    counter = 0;
    InitializeCriticalSection(&section);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, worker_uses, NULL);
    ASSERT_OK(kind_start(&plain, KIND_PLAIN, use_often, &made));
    ASSERT_OK(fleet_run(fleet));
    ASSERT_OK(kind_join(&plain));
    EXPECT_EQ(counter, WORKERS * 150 + made);
    DeleteCriticalSection(&section);
    fleet_destroy(fleet);
}

TEST(Win32CriticalSections, workers_of_one_scheduler_and_a_thread)
{
    between_workers(1);
}

TEST(Win32CriticalSections, workers_of_two_schedulers_and_a_thread)
{
    between_workers(2);
}
