/* SPDX-License-Identifier: MIT
 *
 * win32_fls.c - slots with callbacks: called at the end of a thread for each value, and by FlsFree
 * for the values of all threads; each value once.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdint.h>

static int called;
static int sum;
static DWORD called_on;

static VOID NTAPI on_value(PVOID value)
{
    flag_add(&called, 1);
    flag_add(&sum, (int)(intptr_t)value);
    called_on = GetCurrentThreadId();
}

static void start_counting(void)
{
    flag_set(&called, 0);
    flag_set(&sum, 0);
}

TEST_IN_EACH_KIND(Win32Fls, values)
{
    DWORD index = FlsAlloc(NULL);

    ASSERT_NE(index, FLS_OUT_OF_INDEXES);
    SetLastError(SENTINEL);
    EXPECT_EQ(FlsGetValue(index), NULL);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    EXPECT_OK(FlsSetValue(index, &called));
    EXPECT_EQ(FlsGetValue(index), &called);
    EXPECT_OK(FlsFree(index));
    EXPECT_FAILS(FlsFree(index), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(FlsGetValue(FLS_OUT_OF_INDEXES), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(FlsSetValue(FLS_OUT_OF_INDEXES, NULL), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Fls, free_calls_back)
{
    DWORD index = FlsAlloc(on_value);

    start_counting();
    EXPECT_OK(FlsSetValue(index, (void *)5));
    EXPECT_OK(FlsFree(index));
    EXPECT_EQ(called, 1);
    EXPECT_EQ(sum, 5);
    index = FlsAlloc(on_value);
    EXPECT_OK(FlsSetValue(index, NULL));
    EXPECT_OK(FlsFree(index));
    EXPECT_EQ(called, 1);
}

static DWORD shared_index;
static HANDLE go_on;

static DWORD WINAPI set_and_end(LPVOID value)
{
    EXPECT_OK(FlsSetValue(shared_index, value));
    return GetCurrentThreadId();
}

TEST(Win32Fls, called_at_the_end_of_a_thread)
{
    HANDLE thread;
    DWORD code = 0;

    start_counting();
    shared_index = FlsAlloc(on_value);
    thread = CreateThread(NULL, 0, set_and_end, (void *)7, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(flag_get(&called), 1);
    EXPECT_EQ(flag_get(&sum), 7);
    EXPECT_EQ(called_on, code);
    EXPECT_OK(FlsFree(shared_index));
    EXPECT_EQ(flag_get(&called), 1);
    EXPECT_OK(CloseHandle(thread));
}

static DWORD WINAPI set_and_wait(LPVOID value)
{
    EXPECT_OK(FlsSetValue(shared_index, value));
    flag_add(&called, 1);
    EXPECT_EQ(WaitForSingleObject(go_on, 10000), WAIT_OBJECT_0);
    return 0;
}

/* More threads than FlsFree can look after at once. */
TEST(Win32Fls, free_calls_back_for_every_thread)
{
    enum { THREADS = 150 };
    HANDLE threads[THREADS];
    ULONGLONG deadline = GetTickCount64() + 10000;

    start_counting();
    go_on = CreateEventA(NULL, TRUE, FALSE, NULL);
    shared_index = FlsAlloc(on_value);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = CreateThread(NULL, 0, set_and_wait, (void *)(intptr_t)(i + 1), 0, NULL);
        ASSERT_OK(threads[i] != NULL);
    }
    while (flag_get(&called) < THREADS && GetTickCount64() < deadline)
        Sleep(1);
    EXPECT_EQ(flag_get(&called), THREADS);
    start_counting();
    EXPECT_OK(FlsFree(shared_index));
    EXPECT_EQ(flag_get(&called), THREADS);
    EXPECT_EQ(flag_get(&sum), THREADS * (THREADS + 1) / 2);
    EXPECT_OK(SetEvent(go_on));
    for (int i = 0; i < THREADS; i++) {
        EXPECT_EQ(WaitForSingleObject(threads[i], 5000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    EXPECT_EQ(flag_get(&called), THREADS); /* the ends found nothing left to do */
    EXPECT_OK(CloseHandle(go_on));
}

static void set_in_worker(struct worker *self)
{
    EXPECT_OK(FlsSetValue(shared_index, (void *)(intptr_t)(self->index + 1)));
    EXPECT_OK(UmsThreadYield(NULL));
    EXPECT_EQ(FlsGetValue(shared_index), self->index + 1);
}

TEST(Win32Fls, called_at_the_end_of_workers)
{
    struct fleet *fleet = fleet_create(2, 6, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    start_counting();
    shared_index = FlsAlloc(on_value);
    for (int i = 0; i < 6; i++)
        fleet_add(fleet, set_in_worker, NULL);
    fleet_run(fleet);
    for (int i = 0; i < 6; i++)
        EXPECT_EQ(WaitForSingleObject(fleet_worker(fleet, i)->thread, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(flag_get(&called), 6);
    EXPECT_EQ(flag_get(&sum), 21);
    EXPECT_OK(FlsFree(shared_index));
    fleet_destroy(fleet);
}
