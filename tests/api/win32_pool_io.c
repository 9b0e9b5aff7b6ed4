/* SPDX-License-Identifier: MIT
 *
 * win32_pool_io.c - operations on files whose end is a callback of the thread pool, and those from
 * and to pages that lie apart.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "gtest_c.h"
#include "kinds.h"
#include "overlapped_file.h"

#include <stdbool.h>
#include <string.h>

enum { PAGE = 4096, PAGES = 8, READS = 20 };

static void write_text(HANDLE file, const char *text)
{
    OVERLAPPED at = {.hEvent = (HANDLE)((ULONG_PTR)new_manual_event())};
    DWORD count = 0;

    expect_begun(WriteFile(file, text, (DWORD)strlen(text), NULL, &at));
    EXPECT_OK(GetOverlappedResult(file, &at, &count, TRUE));
    EXPECT_OK(CloseHandle(at.hEvent));
}

static LONG called, bytes_read, failed;
static HANDLE all_called;

static void count(DWORD error, DWORD bytes)
{
    if (error)
        InterlockedIncrement(&failed);
    InterlockedExchangeAdd(&bytes_read, (LONG)bytes);
    if (InterlockedIncrement(&called) == READS)
        SetEvent(all_called);
}

static VOID CALLBACK note(DWORD error, DWORD bytes, LPOVERLAPPED at)
{
    count(error, bytes);
}

static VOID CALLBACK note_io(PTP_CALLBACK_INSTANCE instance, PVOID context, PVOID at, ULONG error,
                             ULONG_PTR bytes, PTP_IO io)
{
    if (context != &called)
        InterlockedIncrement(&failed);
    count(error, (DWORD)bytes);
}

static void begin_counting(void)
{
    called = bytes_read = failed = 0;
    all_called = new_manual_event();
}

static void expect_counted(void)
{
    EXPECT_SIGNALLED(all_called);
    EXPECT_EQ(called, READS);
    EXPECT_EQ(bytes_read, READS * 4);
    EXPECT_EQ(failed, 0);
    EXPECT_OK(CloseHandle(all_called));
}

TEST_IN_EACH_KIND(Win32PoolIo, bound_to_a_function)
{
    HANDLE file = new_file();
    OVERLAPPED at[READS];
    char bytes[READS][4];

    begin_counting();
    write_text(file, "abcdefgh");
    ASSERT_OK(BindIoCompletionCallback(file, note, 0));
    for (int i = 0; i < READS; i++) {
        at[i] = (OVERLAPPED){.Offset = (DWORD)i % 5};
        expect_begun(ReadFile(file, bytes[i], 4, NULL, &at[i]));
    }
    expect_counted();
    EXPECT_EQ(bytes[3][0], 'd');
    EXPECT_FAILS(BindIoCompletionCallback(file, note, 0), ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(file));
}

TEST_IN_EACH_KIND(Win32PoolIo, io_object)
{
    HANDLE file = new_file();
    OVERLAPPED at[READS];
    char bytes[READS][4];

    begin_counting();
    write_text(file, "abcdefgh");
    PTP_IO io = CreateThreadpoolIo(file, note_io, &called, NULL);
    ASSERT_NE(io, NULL);
    for (int i = 0; i < READS; i++) {
        at[i] = (OVERLAPPED){.Offset = (DWORD)i % 5};
        StartThreadpoolIo(io);
        expect_begun(ReadFile(file, bytes[i], 4, NULL, &at[i]));
    }
    WaitForThreadpoolIoCallbacks(io, FALSE);
    EXPECT_EQ(called, READS);
    expect_counted();
    EXPECT_EQ(bytes[2][3], 'f');
    at[0] = (OVERLAPPED){.Offset = 100};
    StartThreadpoolIo(io); /* nothing comes of it */
    BOOL done = ReadFile(file, bytes[0], 4, NULL, &at[0]);
    DWORD error = GetLastError();
    if (!done && error != ERROR_IO_PENDING) {
        EXPECT_EQ(error, ERROR_HANDLE_EOF);
        CancelThreadpoolIo(io);
    }
    WaitForThreadpoolIoCallbacks(io, FALSE);
    EXPECT_OK(CloseHandle(file));
    CloseThreadpoolIo(io);
}

TEST_IN_EACH_KIND(Win32PoolIo, bad_arguments)
{
    HANDLE event = new_manual_event();

    EXPECT_FAILS(CreateThreadpoolIo(event, note_io, NULL, NULL) != NULL, ERROR_INVALID_HANDLE);
    EXPECT_FAILS(BindIoCompletionCallback(event, note, 0), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
}

/* The segments are every other page of a block. */
static void lay_out(FILE_SEGMENT_ELEMENT *segments, char *block)
{
    for (int i = 0; i < PAGES; i++)
        segments[i].Buffer = block + (size_t)i * 2 * PAGE;
    segments[PAGES].Buffer = NULL;
}

TEST_IN_EACH_KIND(Win32PoolIo, pages_that_lie_apart)
{
    HANDLE file = new_file();
    char *block = VirtualAlloc(NULL, 2 * PAGES * PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    FILE_SEGMENT_ELEMENT segments[PAGES + 1];
    OVERLAPPED at = {.hEvent = new_manual_event()};
    DWORD count = 0;

    ASSERT_NE(block, NULL);
    lay_out(segments, block);
    for (int i = 0; i < PAGES; i++)
        memset(block + (size_t)i * 2 * PAGE, 'a' + i, PAGE);
    expect_begun(WriteFileGather(file, segments, PAGES * PAGE, NULL, &at));
    ASSERT_OK(GetOverlappedResult(file, &at, &count, TRUE));
    EXPECT_EQ(count, PAGES * PAGE);
    memset(block, 0, 2 * PAGES * PAGE);
    at.Offset = PAGE;
    expect_begun(ReadFileScatter(file, segments, (PAGES - 1) * PAGE, NULL, &at));
    ASSERT_OK(GetOverlappedResult(file, &at, &count, TRUE));
    EXPECT_EQ(count, (PAGES - 1) * PAGE);
    for (int i = 0; i < PAGES - 1; i++) {
        EXPECT_EQ(block[(size_t)i * 2 * PAGE + 5], 'b' + i);
        EXPECT_EQ(block[((size_t)i * 2 + 1) * PAGE], 0);
    }
    EXPECT_FAILS(ReadFileScatter(file, NULL, PAGE, NULL, &at), ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(at.hEvent));
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(VirtualFree(block, 0, MEM_RELEASE));
}
