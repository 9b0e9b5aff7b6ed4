/* SPDX-License-Identifier: MIT
 *
 * win32_handles.c - handles: duplicates, pseudo-handles, garbage, and closing early.
 *
 * modes: win32
 * except: closing_the_source_only, garbage, with_a_tag_and_without_is_the_same_object_twice
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

static HANDLE duplicate(HANDLE handle, DWORD options)
{
    HANDLE copy = NULL;

    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), handle, GetCurrentProcess(), &copy, 0, FALSE,
                              options));
    return copy;
}

static void duplicates(void *arg)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE copy = duplicate(event, DUPLICATE_SAME_ACCESS);
    HANDLE third;

    EXPECT_NE(copy, event);
    EXPECT_OK(SetEvent(copy));
    EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
    third = duplicate(event, DUPLICATE_SAME_ACCESS | DUPLICATE_CLOSE_SOURCE);
    EXPECT_OK(SetEvent(third));
    EXPECT_EQ(WaitForSingleObject(copy, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(third));
    EXPECT_OK(SetEvent(copy)); /* each handle by itself */
    EXPECT_OK(CloseHandle(copy));
}

CALL_TEST(Win32Handles, duplicates, in_each_kind(duplicates, NULL))

TEST(Win32Handles, closing_the_source_only)
{
    HANDLE event = CreateEventA(NULL, FALSE, TRUE, NULL);
    HANDLE copy = duplicate(event, DUPLICATE_SAME_ACCESS);

    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), event, GetCurrentProcess(), NULL, 0, FALSE,
                              DUPLICATE_CLOSE_SOURCE));
    EXPECT_FAILS(SetEvent(event), ERROR_INVALID_HANDLE);
    EXPECT_EQ(WaitForSingleObject(copy, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(copy));
}

TEST(Win32Handles, bad_sources)
{
    HANDLE copy = NULL;
    HANDLE event = CreateEventA(NULL, FALSE, TRUE, NULL);

    EXPECT_FAILS(DuplicateHandle(GetCurrentProcess(), (HANDLE)0x7777770, GetCurrentProcess(), &copy,
                                 0, FALSE, DUPLICATE_SAME_ACCESS),
                 ERROR_INVALID_HANDLE);
    EXPECT_FAILS(
        DuplicateHandle(event, event, GetCurrentProcess(), &copy, 0, FALSE, DUPLICATE_SAME_ACCESS),
        ERROR_INVALID_HANDLE);
    EXPECT_FAILS(
        DuplicateHandle(GetCurrentProcess(), event, NULL, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS),
        ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
}

/* ---- pseudo-handles ---- */

static void own_thread(void *arg)
{
    HANDLE real = duplicate(GetCurrentThread(), DUPLICATE_SAME_ACCESS);
    DWORD code = 0;

    EXPECT_NE(real, GetCurrentThread());
    EXPECT_EQ(GetThreadId(real), GetCurrentThreadId());
    EXPECT_OK(GetExitCodeThread(real, &code));
    EXPECT_EQ(code, STILL_ACTIVE);
    EXPECT_EQ(WaitForSingleObject(real, 0), WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(GetCurrentThread(), 5), WAIT_TIMEOUT);
    EXPECT_FAILS(SetEvent(GetCurrentThread()), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ReleaseMutex(GetCurrentThread()), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(real));
}

CALL_TEST(Win32Handles, own_thread, in_each_kind(own_thread, NULL))

static void own_process(void *arg)
{
    HANDLE real = duplicate(GetCurrentProcess(), DUPLICATE_SAME_ACCESS);
    HANDLE event = CreateEventA(NULL, FALSE, TRUE, NULL);
    HANDLE copy = NULL;

    EXPECT_EQ(WaitForSingleObject(real, 0), WAIT_TIMEOUT);
    EXPECT_EQ(WaitForSingleObject(GetCurrentProcess(), 2), WAIT_TIMEOUT);
    EXPECT_FAILS(SetEvent(GetCurrentProcess()), ERROR_INVALID_HANDLE);
    EXPECT_OK(DuplicateHandle(real, event, real, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_EQ(WaitForSingleObject(copy, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(copy));
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(CloseHandle(real));
}

CALL_TEST(Win32Handles, own_process, in_each_kind(own_process, NULL))

/* ---- life ---- */

/* A thread's handle may outlive it, and it may outlive its handle. */
static DWORD WINAPI set_and_return(LPVOID event)
{
    EXPECT_OK(SetEvent(event));
    return 31;
}

TEST(Win32Handles, of_threads_closed_at_once)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    for (int i = 0; i < 50; i++) {
        HANDLE thread = CreateThread(NULL, 0, set_and_return, event, 0, NULL);

        EXPECT_OK(CloseHandle(thread));
        ASSERT_EQ(WaitForSingleObject(event, 5000), WAIT_OBJECT_0);
    }
    EXPECT_OK(CloseHandle(event));
}

static void wait_on_copy(void *copy)
{
    EXPECT_EQ(WaitForSingleObject(copy, 8000), WAIT_OBJECT_0);
}

/* One of two handles is closed while somebody waits through the other. */
TEST(Win32Handles, another_one_closed_while_somebody_waits)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct kind_thread waiter = {0};
        HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
        HANDLE copy = duplicate(event, DUPLICATE_SAME_ACCESS);
        HANDLE setter = duplicate(event, DUPLICATE_SAME_ACCESS);

        ASSERT_OK(kind_start(&waiter, kind, wait_on_copy, copy));
        EXPECT_OK(CloseHandle(event));
        EXPECT_OK(SetEvent(setter));
        ASSERT_OK(kind_join(&waiter));
        EXPECT_OK(CloseHandle(setter));
        EXPECT_OK(CloseHandle(copy));
    }
}

/* The handle itself closed under a waiter: undefined for the wait, but nobody else may suffer. */
static void wait_a_moment(void *arg)
{
    HANDLE *event = arg;
    DWORD result = WaitForSingleObject(*event, 30);

    EXPECT_THAT(result == WAIT_TIMEOUT || result == WAIT_OBJECT_0 || result == WAIT_FAILED, "%u",
                (unsigned)result);
}

TEST(Win32Handles, closed_under_a_waiter)
{
    for (int i = 0; i < 5; i++) {
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct kind_thread waiter = {0};
            HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
            HANDLE others[16];

            ASSERT_OK(kind_start(&waiter, kind, wait_a_moment, &event));
            Sleep((DWORD)i);
            EXPECT_OK(CloseHandle(event));
            /* New events may get the closed one's number, or its memory. */
            for (int j = 0; j < 16; j++)
                others[j] = CreateEventA(NULL, FALSE, FALSE, NULL);
            ASSERT_OK(kind_join(&waiter));
            for (int j = 0; j < 16; j++) {
                EXPECT_EQ(WaitForSingleObject(others[j], 0), WAIT_TIMEOUT);
                EXPECT_OK(CloseHandle(others[j]));
            }
        }
    }
}

/* Threads of all kinds make and close handles; every value is valid for its owner alone. */
static void churn(void *arg)
{
    HANDLE mine[32] = {0};

    for (int i = 0; i < 3000; i++) {
        int slot = i * 7 % 32;

        if (mine[slot]) {
            if (WaitForSingleObject(mine[slot], 0) != WAIT_OBJECT_0 ||
                WaitForSingleObject(mine[slot], 0) != WAIT_TIMEOUT || !CloseHandle(mine[slot])) {
                FAIL("handle %p is not mine any more: last error %u", mine[slot],
                     (unsigned)GetLastError());
                return;
            }
        }
        mine[slot] = CreateEventA(NULL, FALSE, TRUE, NULL);
    }
    for (int i = 0; i < 32; i++)
        EXPECT_OK(CloseHandle(mine[i]));
}

TEST(Win32Handles, churned_by_all_kinds)
{
    struct kind_thread threads[6] = {0};

    for (int i = 0; i < 6; i++)
        ASSERT_OK(kind_start(&threads[i], i % KINDS, churn, NULL));
    for (int i = 0; i < 6; i++)
        ASSERT_OK(kind_join(&threads[i]));
}

/* The two low bits belong to the program, which may keep notes there. */
static void tagged(void *arg)
{
    HANDLE real[2] = {CreateEventA(NULL, FALSE, FALSE, NULL), CreateMutexA(NULL, TRUE, NULL)};
    HANDLE both[2];
    HANDLE copy = NULL;

    for (ULONG_PTR tag = 1; tag <= 3; tag++) {
        HANDLE event = (HANDLE)((ULONG_PTR)real[0] | tag);
        HANDLE mutex = (HANDLE)((ULONG_PTR)real[1] | tag);

        EXPECT_OK(SetEvent(event));
        EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
        EXPECT_EQ(WaitForSingleObject(real[0], 0), WAIT_TIMEOUT);
        EXPECT_OK(SetEvent(real[0]));
        both[0] = event;
        both[1] = mutex;
        EXPECT_EQ(WaitForMultipleObjects(2, both, TRUE, 0), WAIT_OBJECT_0);
        EXPECT_OK(ReleaseMutex(mutex));
        EXPECT_OK(DuplicateHandle(GetCurrentProcess(), event, GetCurrentProcess(), &copy, 0, FALSE,
                                  DUPLICATE_SAME_ACCESS));
        EXPECT_EQ(SignalObjectAndWait((HANDLE)((ULONG_PTR)copy | tag), event, 0, FALSE),
                  WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle((HANDLE)((ULONG_PTR)copy | tag)));
        EXPECT_FAILS(CloseHandle(copy), ERROR_INVALID_HANDLE);
    }
    EXPECT_OK(ReleaseMutex(real[1]));
    EXPECT_OK(CloseHandle((HANDLE)((ULONG_PTR)real[0] | 1)));
    EXPECT_OK(CloseHandle((HANDLE)((ULONG_PTR)real[1] | 2)));
}

TEST(Win32Handles, with_a_tag_in_the_low_bits)
{
    tagged(NULL);
}

TEST(Win32Handles, with_a_tag_and_without_is_the_same_object_twice)
{
    HANDLE event = CreateEventA(NULL, TRUE, TRUE, NULL);
    HANDLE both[2] = {event, (HANDLE)((ULONG_PTR)event | 3)};

    SetLastError(SENTINEL);
    EXPECT_EQ(WaitForMultipleObjects(2, both, TRUE, 0), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(WaitForMultipleObjects(2, both, FALSE, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(both[1]));
}

TEST(Win32Handles, of_a_thread_with_a_tag)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE thread = CreateThread(NULL, 0, set_and_return, event, 0, NULL);
    HANDLE tag = (HANDLE)((ULONG_PTR)thread | 1);
    DWORD code = 0;

    EXPECT_EQ(GetThreadId(tag), GetThreadId(thread));
    EXPECT_EQ(WaitForSingleObject(tag, 5000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(tag, &code));
    EXPECT_EQ(code, 31);
    EXPECT_OK(CloseHandle(tag));
    EXPECT_OK(CloseHandle(event));
}

static void garbage(void *arg)
{
    static const ULONG_PTR values[] = {
        0, 1, 3, 0x7777770, 0xdeadbeefcafe, 0x7fffffffffffffff, (ULONG_PTR)-3, (ULONG_PTR)-100};
    DWORD code;

    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        HANDLE bad = (HANDLE)values[i];

        EXPECT_FAILS(CloseHandle(bad), ERROR_INVALID_HANDLE);
        EXPECT_FAILS(SetEvent(bad), ERROR_INVALID_HANDLE);
        EXPECT_FAILS(PulseEvent(bad), ERROR_INVALID_HANDLE);
        EXPECT_FAILS(ReleaseMutex(bad), ERROR_INVALID_HANDLE);
        EXPECT_FAILS(ReleaseSemaphore(bad, 1, NULL), ERROR_INVALID_HANDLE);
        EXPECT_FAILS(CancelWaitableTimer(bad), ERROR_INVALID_HANDLE);
        EXPECT_FAILS(SuspendThread(bad) != (DWORD)-1, ERROR_INVALID_HANDLE);
        EXPECT_FAILS(ResumeThread(bad) != (DWORD)-1, ERROR_INVALID_HANDLE);
        EXPECT_FAILS(TerminateThread(bad, 1), ERROR_INVALID_HANDLE);
        EXPECT_FAILS(GetExitCodeThread(bad, &code), ERROR_INVALID_HANDLE);
        EXPECT_FAILS(GetThreadId(bad), ERROR_INVALID_HANDLE);
    }
}

CALL_TEST(Win32Handles, garbage, in_each_kind(garbage, NULL))
