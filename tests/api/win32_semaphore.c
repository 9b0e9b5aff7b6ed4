/* SPDX-License-Identifier: MIT
 *
 * win32_semaphore.c - semaphores: limits, counts, and which waiter gets a permit.
 *
 * modes: win32
 * except: counts_and_limits
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "own_name.h"

TEST(Win32Semaphore, bad_limits)
{
    EXPECT_FAILS(CreateSemaphoreA(NULL, 0, 0, NULL) != NULL, ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateSemaphoreA(NULL, -1, 1, NULL) != NULL, ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateSemaphoreW(NULL, 2, 1, NULL) != NULL, ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateSemaphoreW(NULL, 0, -5, NULL) != NULL, ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateSemaphoreExW(NULL, 0, 0, NULL, 0, SEMAPHORE_ALL_ACCESS) != NULL,
                 ERROR_INVALID_PARAMETER);
}

static void counts(void *arg)
{
    HANDLE semaphore = CreateSemaphoreA(NULL, 2, 3, NULL);
    LONG before = -1;

    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(semaphore, INFINITE), WAIT_OBJECT_0);
    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);
    EXPECT_OK(ReleaseSemaphore(semaphore, 2, &before));
    EXPECT_EQ(before, 0);
    EXPECT_OK(ReleaseSemaphore(semaphore, 1, &before));
    EXPECT_EQ(before, 2);
    before = 77;
    EXPECT_FAILS(ReleaseSemaphore(semaphore, 1, &before), ERROR_TOO_MANY_POSTS);
    EXPECT_EQ(before, 77);
    EXPECT_FAILS(ReleaseSemaphore(semaphore, 0, &before), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(ReleaseSemaphore(semaphore, -1, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_OBJECT_0);
    /* All or nothing: two do not fit into one place. */
    EXPECT_FAILS(ReleaseSemaphore(semaphore, 2, NULL), ERROR_TOO_MANY_POSTS);
    EXPECT_OK(ReleaseSemaphore(semaphore, 1, NULL));
    EXPECT_OK(CloseHandle(semaphore));
}

TEST(Win32Semaphore, counts_and_limits)
{
    in_each_kind(counts, NULL);
}

TEST(Win32Semaphore, the_largest)
{
    HANDLE semaphore = CreateSemaphoreA(NULL, 0x7ffffffe, 0x7fffffff, NULL);
    LONG before = 0;

    ASSERT_OK(semaphore != NULL);
    EXPECT_FAILS(ReleaseSemaphore(semaphore, 0x7fffffff, NULL), ERROR_TOO_MANY_POSTS);
    EXPECT_OK(ReleaseSemaphore(semaphore, 1, &before));
    EXPECT_EQ(before, 0x7ffffffe);
    EXPECT_FAILS(ReleaseSemaphore(semaphore, 1, NULL), ERROR_TOO_MANY_POSTS);
    EXPECT_OK(CloseHandle(semaphore));
}

TEST(Win32Semaphore, wrong_objects)
{
    HANDLE event = CreateEventA(NULL, TRUE, FALSE, NULL);
    HANDLE semaphore = CreateSemaphoreA(NULL, 0, 1, NULL);

    EXPECT_FAILS(ReleaseSemaphore(event, 1, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ReleaseSemaphore((HANDLE)0x7777770, 1, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetEvent(semaphore), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ReleaseMutex(semaphore), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(semaphore));
    EXPECT_OK(CloseHandle(event));
}

static void want_one(void *semaphore)
{
    EXPECT_EQ(WaitForSingleObject(semaphore, 5000), WAIT_OBJECT_0);
}

static void give_one(void *semaphore)
{
    EXPECT_OK(ReleaseSemaphore(semaphore, 1, NULL));
}

TEST(Win32Semaphore, waiting_for_a_permit)
{
    HANDLE semaphore = CreateSemaphoreA(NULL, 0, 10, NULL);

    on_each_kind(want_one, give_one, semaphore);
    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(semaphore));
}

/* As many go on as there are permits, no matter which. */
static int through;

static void pass(void *semaphore)
{
    if (WaitForSingleObject(semaphore, 8000) == WAIT_OBJECT_0)
        flag_add(&through, 1);
    else
        FAIL("no permit came");
}

static bool reached(int wanted)
{
    ULONGLONG deadline = GetTickCount64() + 5000;

    while (flag_get(&through) < wanted && GetTickCount64() < deadline)
        Sleep(1);
    return flag_get(&through) == wanted ||
           FAIL("%d threads passed, not %d", flag_get(&through), wanted);
}

TEST(Win32Semaphore, many_waiters_of_all_kinds)
{
    enum { THREADS = 9 };
    struct kind_thread threads[THREADS] = {0};
    HANDLE semaphore = CreateSemaphoreA(NULL, 0, THREADS, NULL);

    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, pass, semaphore));
    EXPECT_OK(ReleaseSemaphore(semaphore, 4, NULL));
    ASSERT_OK(reached(4));
    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);
    EXPECT_OK(ReleaseSemaphore(semaphore, THREADS - 4, NULL));
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_EQ(through, THREADS);
    EXPECT_EQ(WaitForSingleObject(semaphore, 0), WAIT_TIMEOUT);
    EXPECT_OK(CloseHandle(semaphore));
}

TEST(Win32Semaphore, named)
{
    HANDLE first = CreateSemaphoreA(NULL, 1, 5, OWN_NAME("umsshim-test-semaphore"));
    HANDLE second = CreateSemaphoreW(NULL, 4, 9, OWN_NAME_W(u"umsshim-test-semaphore"));
    LONG before = 0;

    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    ASSERT_OK(first && second);
    EXPECT_OK(ReleaseSemaphore(second, 1, &before)); /* the first one's counts hold */
    EXPECT_EQ(before, 1);
    EXPECT_FAILS(ReleaseSemaphore(first, 4, NULL), ERROR_TOO_MANY_POSTS);
    EXPECT_OK(CloseHandle(first));
    EXPECT_OK(CloseHandle(second));
}
