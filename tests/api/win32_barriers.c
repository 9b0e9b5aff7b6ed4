/* SPDX-License-Identifier: MIT
 *
 * win32_barriers.c - synchronization barriers, of plain threads and of workers; and the calls for
 * memory that Wine 8 does not have.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { THREADS = 4, PHASES = 50 };

static SYNCHRONIZATION_BARRIER barrier;
static LONG lasts;
static LONG arrived;
static LONG torn;

/* Nobody is a phase ahead: after the barrier all of them have arrived for it. */
static DWORD WINAPI go_through(LPVOID unused)
{
    for (LONG phase = 1; phase <= PHASES; phase++) {
        InterlockedIncrement(&arrived);
        if (EnterSynchronizationBarrier(&barrier, 0))
            InterlockedIncrement(&lasts);
        if (InterlockedCompareExchange(&arrived, 0, 0) < phase * THREADS)
            InterlockedIncrement(&torn);
    }
    return 0;
}

TEST(Win32Barriers, plain_threads)
{
    HANDLE threads[THREADS];

    lasts = arrived = torn = 0;
    ASSERT_OK(InitializeSynchronizationBarrier(&barrier, THREADS, -1));
    for (int i = 0; i < THREADS; i++)
        threads[i] = CreateThread(NULL, 0, go_through, NULL, 0, NULL);
    EXPECT_EQ(WaitForMultipleObjects(THREADS, threads, TRUE, 20000), WAIT_OBJECT_0);
    for (int i = 0; i < THREADS; i++)
        EXPECT_OK(CloseHandle(threads[i]));
    EXPECT_OK(DeleteSynchronizationBarrier(&barrier));
    EXPECT_EQ(lasts, PHASES);
    EXPECT_EQ(torn, 0);
}

static void enter(void *unused)
{
    if (EnterSynchronizationBarrier(&barrier, SYNCHRONIZATION_BARRIER_FLAGS_BLOCK_ONLY))
        InterlockedIncrement(&lasts);
}

/* A worker that waits leaves its scheduler: the other one runs on the same. Of two threads either
 * may be the last. */
TEST(Win32Barriers, of_two_of_each_kind)
{
    ASSERT_OK(InitializeSynchronizationBarrier(&barrier, 2, 0));
    for (enum kind kind = 0; kind < KINDS; kind++) {
        lasts = 0;
        on_kind(kind, enter, enter, NULL);
        EXPECT_EQ(lasts, 1);
    }
    EXPECT_OK(DeleteSynchronizationBarrier(&barrier));
}

TEST(Win32Barriers, bad_arguments)
{
    EXPECT_FAILS(InitializeSynchronizationBarrier(&barrier, 0, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(InitializeSynchronizationBarrier(&barrier, 1, -2), ERROR_INVALID_PARAMETER);
    ASSERT_OK(InitializeSynchronizationBarrier(&barrier, 1, -1));
    EXPECT_EQ(EnterSynchronizationBarrier(&barrier, 0), TRUE);
    EXPECT_OK(DeleteSynchronizationBarrier(&barrier));
}

TEST_IN_EACH_KIND(Win32Barriers, advice_about_memory)
{
    char *pages = VirtualAlloc(NULL, 2 * 4096, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    WIN32_MEMORY_RANGE_ENTRY range = {pages, 2 * 4096};

    ASSERT_OK(pages != NULL);
    memset(pages, 'x', 2 * 4096);
    EXPECT_OK(PrefetchVirtualMemory(GetCurrentProcess(), 1, &range, 0));
    EXPECT_FAILS(PrefetchVirtualMemory(GetCurrentProcess(), 0, &range, 0), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(OfferVirtualMemory(pages, 4096, VmOfferPriorityLow), ERROR_SUCCESS);
    EXPECT_EQ(ReclaimVirtualMemory(pages, 4096), ERROR_SUCCESS);
    EXPECT_EQ(pages[0], 'x');
    EXPECT_EQ(DiscardVirtualMemory(pages, 4096), ERROR_SUCCESS);
    EXPECT_EQ(pages[4096], 'x');
    pages[0] = 'y';
    EXPECT_EQ(DiscardVirtualMemory(pages + 1, 4096), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(OfferVirtualMemory(pages, 0, VmOfferPriorityLow), ERROR_INVALID_PARAMETER);
    EXPECT_OK(VirtualFree(pages, 0, MEM_RELEASE));
}

static void CALLBACK count(ULONG_PTR counter)
{
    ++*(int *)counter;
}

TEST_IN_EACH_KIND(Win32Barriers, procedures_with_flags)
{
    int called = 0;

    EXPECT_OK(
        QueueUserAPC2(count, GetCurrentThread(), (ULONG_PTR)&called, QUEUE_USER_APC_FLAGS_NONE));
    EXPECT_EQ(SleepEx(0, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(called, 1);
    EXPECT_FAILS(QueueUserAPC2(count, GetCurrentThread(), 0, QUEUE_USER_APC_FLAGS_SPECIAL_USER_APC),
                 ERROR_NOT_SUPPORTED);
}
