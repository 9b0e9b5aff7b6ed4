/* SPDX-License-Identifier: MIT
 *
 * win32_nt_calls.c - ntdll's calls under the documented ones: they do the same, answer with a
 * status, and leave the last error alone.
 *
 * In Wine 8 a delay that is over is a time-out, and one of nothing never ends.
 *
 * modes: win32
 * libraries: ntdll
 * except: a_delay_of_nothing, an_alertable_delay_that_is_over
 */
#include <windows.h>

#include <winternl.h>

#include "events.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"

#include <string.h>

/* MinGW's header has half of them. */
NTSYSAPI NTSTATUS NTAPI NtClose(HANDLE);
NTSYSAPI NTSTATUS NTAPI NtDelayExecution(BOOLEAN, const LARGE_INTEGER *);
NTSYSAPI NTSTATUS NTAPI NtYieldExecution(void);
NTSYSAPI NTSTATUS NTAPI NtQueryPerformanceCounter(PLARGE_INTEGER, PLARGE_INTEGER);
NTSYSAPI void NTAPI RtlInitUnicodeString(PUNICODE_STRING, PCWSTR);
NTSYSAPI ULONG NTAPI RtlNtStatusToDosError(NTSTATUS);

enum {
    DONE = 0,
    BY_APC = 0xC0,
    NOBODY_ELSE = 0x40000024, /* STATUS_NO_YIELD_PERFORMED */
    BAD_HANDLE = (int)0xC0000008,
    BAD_ADDRESS = (int)0xC0000005,
};

static LARGE_INTEGER in_ms(LONGLONG ms)
{
    return (LARGE_INTEGER){.QuadPart = -ms * 10000};
}

/* ---- Handles --------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32NtCalls, closing)
{
    HANDLE event = new_auto_event();

    EXPECT_STATUS(NtClose(event), DONE);
    EXPECT_STATUS(NtClose((HANDLE)0x7777770), BAD_HANDLE);
    EXPECT_STATUS(NtClose(NULL), BAD_HANDLE);
    EXPECT_STATUS(NtClose(GetCurrentProcess()), DONE);
    EXPECT_STATUS(NtClose(GetCurrentThread()), DONE);
}

/* ---- Delays ---------------------------------------------------------------------------------- */

static LONGLONG date(void)
{
    FILETIME time;

    GetSystemTimeAsFileTime(&time);
    return (LONGLONG)((ULONGLONG)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

TEST_IN_EACH_KIND(Win32NtCalls, delays)
{
    LARGE_INTEGER delay = in_ms(30), until, past = {.QuadPart = 1}, none = {.QuadPart = 0};
    ULONGLONG begin = stopwatch();

    EXPECT_STATUS(NtDelayExecution(FALSE, &delay), DONE);
    EXPECT_GE(stopwatch() - begin, 29);
    until.QuadPart = date() + 30 * 10000;
    EXPECT_STATUS(NtDelayExecution(FALSE, &until), DONE);
    EXPECT_GE(date(), until.QuadPart - 5 * 10000); /* a clock may be made to go slower */
    EXPECT_STATUS(NtDelayExecution(FALSE, &past), DONE);
    SetLastError(SENTINEL);
    EXPECT_EQ(NtDelayExecution(FALSE, &none) & ~NOBODY_ELSE, DONE);
    EXPECT_EQ(NtYieldExecution() & ~NOBODY_ELSE, DONE);
    EXPECT_EQ(GetLastError(), SENTINEL);
}

TEST_IN_EACH_KIND(Win32NtCalls, an_alertable_delay_that_is_over)
{
    LARGE_INTEGER delay = in_ms(1);

    EXPECT_STATUS(NtDelayExecution(TRUE, &delay), DONE);
}

static VOID CALLBACK count(ULONG_PTR number)
{
    ++*(int *)number;
}

TEST_IN_EACH_KIND(Win32NtCalls, delays_that_calls_end)
{
    LARGE_INTEGER none = {.QuadPart = 0}, some = in_ms(1), long_one = in_ms(30000);
    int calls = 0;

    EXPECT_OK(QueueUserAPC(count, GetCurrentThread(), (ULONG_PTR)&calls));
    EXPECT_STATUS(NtDelayExecution(FALSE, &some), DONE);
    EXPECT_EQ(calls, 0);
    EXPECT_STATUS(NtDelayExecution(TRUE, &long_one), BY_APC);
    EXPECT_EQ(calls, 1);
    EXPECT_OK(QueueUserAPC(count, GetCurrentThread(), (ULONG_PTR)&calls));
    EXPECT_STATUS(NtDelayExecution(TRUE, &none), BY_APC);
    EXPECT_EQ(calls, 2);
}

struct sleeper {
    HANDLE thread, ready;
    int calls;
};

static void sleep_alertable(void *arg)
{
    struct sleeper *sleeper = arg;
    LARGE_INTEGER long_one = in_ms(30000);

    sleeper->calls = 0;
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                              &sleeper->thread, 0, FALSE, DUPLICATE_SAME_ACCESS));
    EXPECT_OK(SetEvent(sleeper->ready));
    EXPECT_STATUS(NtDelayExecution(TRUE, &long_one), BY_APC);
    EXPECT_EQ(sleeper->calls, 1);
}

static void wake(void *arg)
{
    struct sleeper *sleeper = arg;

    EXPECT_EQ(WaitForSingleObject(sleeper->ready, 5000), WAIT_OBJECT_0);
    EXPECT_OK(QueueUserAPC(count, sleeper->thread, (ULONG_PTR)&sleeper->calls));
    EXPECT_EQ(NtClose(sleeper->thread), DONE);
}

/* A worker that sleeps leaves its scheduler: the one that wakes it runs on the same. */
TEST(Win32NtCalls, a_delay_leaves_the_scheduler)
{
    struct sleeper sleeper = {.ready = new_auto_event()};

    on_each_kind(sleep_alertable, wake, &sleeper);
    EXPECT_OK(CloseHandle(sleeper.ready));
}

TEST_IN_EACH_KIND(Win32NtCalls, a_delay_of_nothing)
{
    EXPECT_STATUS(NtDelayExecution(FALSE, NULL), BAD_ADDRESS);
}

/* ---- The counter ----------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32NtCalls, performance_counter)
{
    LARGE_INTEGER before, counter = {.QuadPart = 0}, after, frequency = {.QuadPart = 0}, wanted;

    QueryPerformanceFrequency(&wanted);
    QueryPerformanceCounter(&before);
    EXPECT_STATUS(NtQueryPerformanceCounter(&counter, &frequency), DONE);
    QueryPerformanceCounter(&after);
    EXPECT_EQ(frequency.QuadPart, wanted.QuadPart);
    EXPECT_LE(before.QuadPart, counter.QuadPart);
    EXPECT_LE(counter.QuadPart, after.QuadPart);
    EXPECT_STATUS(NtQueryPerformanceCounter(&counter, NULL), DONE);
    EXPECT_LE(after.QuadPart, counter.QuadPart);
    EXPECT_STATUS(NtQueryPerformanceCounter(NULL, &frequency), BAD_ADDRESS);
}

/* ---- Counted strings ------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32NtCalls, counted_strings)
{
    enum { UNITS = 0x8000 };
    static const WCHAR text[] = {'a', 0x20AC, 'c', 0};
    UNICODE_STRING string;
    WCHAR *many =
        (WCHAR *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, (UNITS + 1) * sizeof *many);

    RtlInitUnicodeString(&string, text);
    EXPECT_EQ(string.Length, 6);
    EXPECT_EQ(string.MaximumLength, 8);
    EXPECT_EQ(string.Buffer, text);
    RtlInitUnicodeString(&string, text + 3);
    EXPECT_EQ(string.Length, 0);
    EXPECT_EQ(string.MaximumLength, 2);
    memset(&string, 0xEE, sizeof string);
    RtlInitUnicodeString(&string, NULL);
    EXPECT_EQ(string.Length, 0);
    EXPECT_EQ(string.MaximumLength, 0);
    EXPECT_EQ(string.Buffer, NULL);
    ASSERT_NE(many, NULL);
    for (int i = 0; i < UNITS; i++)
        many[i] = 'x';
    RtlInitUnicodeString(&string, many); /* the lengths have 16 bits */
    EXPECT_EQ(string.Length, 0xFFFC);
    EXPECT_EQ(string.MaximumLength, 0xFFFE);
    EXPECT_OK(HeapFree(GetProcessHeap(), 0, many));
}

/* ---- Statuses -------------------------------------------------------------------------------- */

TEST(Win32NtCalls, errors_of_statuses)
{
    static const struct {
        ULONG status, error;
    } known[] = {
        {0, ERROR_SUCCESS},
        {0x102, ERROR_TIMEOUT},
        {0x103, ERROR_IO_PENDING},
        {0x80000005, ERROR_MORE_DATA}, /* BUFFER_OVERFLOW */
        {0x80000006, ERROR_NO_MORE_FILES},
        {0x8000001A, ERROR_NO_MORE_ITEMS},
        {0xC0000001, ERROR_GEN_FAILURE},
        {0xC0000002, ERROR_INVALID_FUNCTION}, /* NOT_IMPLEMENTED */
        {0xC0000004, ERROR_BAD_LENGTH},
        {0xC0000005, ERROR_NOACCESS},
        {0xC0000008, ERROR_INVALID_HANDLE},
        {0xC000000D, ERROR_INVALID_PARAMETER},
        {0xC000000F, ERROR_FILE_NOT_FOUND},
        {0xC0000011, ERROR_HANDLE_EOF},
        {0xC0000017, ERROR_NOT_ENOUGH_MEMORY},
        {0xC0000018, ERROR_INVALID_ADDRESS},
        {0xC0000022, ERROR_ACCESS_DENIED},
        {0xC0000023, ERROR_INSUFFICIENT_BUFFER},
        {0xC0000024, ERROR_INVALID_HANDLE}, /* OBJECT_TYPE_MISMATCH */
        {0xC0000033, ERROR_INVALID_NAME},
        {0xC0000034, ERROR_FILE_NOT_FOUND},
        {0xC0000035, ERROR_ALREADY_EXISTS},
        {0xC000003A, ERROR_PATH_NOT_FOUND},
        {0xC0000043, ERROR_SHARING_VIOLATION},
        {0xC0000046, ERROR_NOT_OWNER},
        {0xC0000047, ERROR_TOO_MANY_POSTS},
        {0xC000004A, ERROR_SIGNAL_REFUSED},
        {0xC0000054, ERROR_LOCK_VIOLATION},
        {0xC0000056, ERROR_ACCESS_DENIED}, /* DELETE_PENDING */
        {0xC0000061, ERROR_PRIVILEGE_NOT_HELD},
        {0xC000007E, ERROR_NOT_LOCKED},
        {0xC000007F, ERROR_DISK_FULL},
        {0xC000009A, ERROR_NO_SYSTEM_RESOURCES},
        {0xC00000AB, ERROR_PIPE_BUSY},
        {0xC00000AC, ERROR_PIPE_BUSY},
        {0xC00000AD, ERROR_BAD_PIPE},
        {0xC00000AE, ERROR_PIPE_BUSY},
        {0xC00000B0, ERROR_PIPE_NOT_CONNECTED},
        {0xC00000B1, ERROR_NO_DATA},
        {0xC00000B2, ERROR_PIPE_CONNECTED},
        {0xC00000B3, ERROR_PIPE_LISTENING},
        {0xC00000B5, ERROR_SEM_TIMEOUT}, /* IO_TIMEOUT */
        {0xC00000BB, ERROR_NOT_SUPPORTED},
        {0xC00000D4, ERROR_NOT_SAME_DEVICE},
        {0xC00000E5, ERROR_INTERNAL_ERROR},
        {0xC0000101, ERROR_DIR_NOT_EMPTY},
        {0xC0000120, ERROR_OPERATION_ABORTED}, /* CANCELLED */
        {0xC000014B, ERROR_BROKEN_PIPE},
        {0xC0000225, ERROR_NOT_FOUND},
        {0xC0070000 + 1234, 1234}, /* NTSTATUS_FROM_WIN32 */
        {0xC0001234, ERROR_MR_MID_NOT_FOUND},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        EXPECT_THAT(RtlNtStatusToDosError((NTSTATUS)known[i].status) == known[i].error,
                    "status %lx is error %lu, not %lu", (unsigned long)known[i].status,
                    (unsigned long)RtlNtStatusToDosError((NTSTATUS)known[i].status),
                    (unsigned long)known[i].error);
    SetLastError(SENTINEL);
    RtlNtStatusToDosError((NTSTATUS)0xC0000008);
    EXPECT_EQ(GetLastError(), SENTINEL);
}
