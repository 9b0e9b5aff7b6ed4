/* SPDX-License-Identifier: MIT
 *
 * win32_overlapped_files.c - reads and writes of files that were opened with FILE_FLAG_OVERLAPPED,
 * whose end comes by an event, the file's own signal, a port or a procedure.
 *
 * Wine 8 reports a cancellation though no operation is under way, and takes any handle for an
 * event.
 *
 * modes: ring
 * except: bad_arguments
 */
#include <windows.h>

#include "events.h"
#include "gtest_c.h"
#include "kinds.h"
#include "overlapped_file.h"

#include <string.h>

enum { BLOCK = 4096, BLOCKS = 16, KEY = 7 };

static void fill(HANDLE file)
{
    char block[BLOCK];
    OVERLAPPED at = {.hEvent = new_manual_event()};
    DWORD count = 0;

    for (DWORD i = 0; i < BLOCKS; i++) {
        memset(block, 'a' + (int)i, sizeof block);
        at.Offset = i * BLOCK;
        expect_begun(WriteFile(file, block, BLOCK, NULL, &at));
        ASSERT_OK(GetOverlappedResult(file, &at, &count, TRUE));
        EXPECT_EQ(count, BLOCK);
    }
    EXPECT_OK(CloseHandle(at.hEvent));
}

TEST_IN_EACH_KIND(Win32OverlappedFiles, event)
{
    HANDLE file = new_file();
    char block[BLOCK];
    OVERLAPPED at = {.hEvent = new_manual_event(), .Offset = 3 * BLOCK};
    DWORD count = 0;

    fill(file);
    EXPECT_OK(SetEvent(at.hEvent)); /* the call resets it */
    expect_begun(ReadFile(file, block, BLOCK, NULL, &at));
    EXPECT_SIGNALLED(at.hEvent);
    EXPECT_NE(HasOverlappedIoCompleted(&at), 0);
    EXPECT_OK(GetOverlappedResult(file, &at, &count, FALSE));
    EXPECT_EQ(count, BLOCK);
    EXPECT_EQ(block[0], 'd');
    EXPECT_EQ(block[BLOCK - 1], 'd');
    EXPECT_OK(CloseHandle(at.hEvent));
    EXPECT_OK(CloseHandle(file));
}

TEST_IN_EACH_KIND(Win32OverlappedFiles, the_files_own_signal)
{
    HANDLE file = new_file();
    char block[BLOCK];
    OVERLAPPED at = {.Offset = BLOCK};
    DWORD count = 0;

    fill(file);
    expect_begun(ReadFile(file, block, BLOCK, NULL, &at));
    EXPECT_SIGNALLED(file);
    EXPECT_OK(GetOverlappedResult(file, &at, &count, TRUE));
    EXPECT_EQ(count, BLOCK);
    EXPECT_EQ(block[7], 'b');
    EXPECT_OK(CloseHandle(file));
}

/* A file that ends within what is asked for gives what there is; behind its end it has nothing. */
TEST_IN_EACH_KIND(Win32OverlappedFiles, end_of_file)
{
    HANDLE file = new_file();
    char block[BLOCK];
    OVERLAPPED at = {.hEvent = new_manual_event(), .Offset = BLOCKS * BLOCK - 100};
    DWORD count = 0;

    fill(file);
    expect_begun(ReadFile(file, block, BLOCK, NULL, &at));
    EXPECT_OK(GetOverlappedResult(file, &at, &count, TRUE));
    EXPECT_EQ(count, 100);
    at.Offset = BLOCKS * BLOCK;
    BOOL done = ReadFile(file, block, BLOCK, NULL, &at);
    DWORD error = GetLastError();
    EXPECT_EQ(done, 0);
    if (error == ERROR_IO_PENDING)
        EXPECT_FAILS(GetOverlappedResult(file, &at, &count, TRUE), ERROR_HANDLE_EOF);
    else
        EXPECT_EQ(error, ERROR_HANDLE_EOF);
    EXPECT_OK(CloseHandle(at.hEvent));
    EXPECT_OK(CloseHandle(file));
}

TEST_IN_EACH_KIND(Win32OverlappedFiles, port)
{
    HANDLE file = new_file();
    static char block[BLOCKS][BLOCK];
    OVERLAPPED at[BLOCKS];
    DWORD seen = 0;

    fill(file);
    HANDLE port = CreateIoCompletionPort(file, NULL, KEY, 0);
    ASSERT_NE(port, NULL);
    for (DWORD i = 0; i < BLOCKS; i++) {
        at[i] = (OVERLAPPED){.Offset = i * BLOCK};
        expect_begun(ReadFile(file, block[i], BLOCK, NULL, &at[i]));
    }
    for (DWORD i = 0; i < BLOCKS; i++) {
        DWORD count = 0;
        ULONG_PTR key = 0;
        LPOVERLAPPED which = NULL;

        ASSERT_OK(GetQueuedCompletionStatus(port, &count, &key, &which, MEANWHILE_MS));
        EXPECT_EQ(count, BLOCK);
        EXPECT_EQ(key, KEY);
        ASSERT_GE(which, at);
        ASSERT_LT(which, at + BLOCKS);
        DWORD number = (DWORD)(which - at);
        EXPECT_EQ(block[number][BLOCK / 2], 'a' + (char)number);
        EXPECT_EQ(seen >> number & 1, 0);
        seen |= 1u << number;
    }
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(CloseHandle(port));
}

/* The lowest bit of hEvent keeps the packet away; a file has one port, for good. */
TEST_IN_EACH_KIND(Win32OverlappedFiles, without_a_packet)
{
    HANDLE file = new_file();
    char block[BLOCK];
    HANDLE event = new_manual_event();
    OVERLAPPED at = {.hEvent = (HANDLE)((ULONG_PTR)event | 1)};
    DWORD count = 0;
    ULONG_PTR key = 0;
    LPOVERLAPPED which = NULL;

    fill(file);
    HANDLE port = CreateIoCompletionPort(file, NULL, KEY, 0);
    ASSERT_NE(port, NULL);
    expect_begun(ReadFile(file, block, BLOCK, NULL, &at));
    EXPECT_SIGNALLED(event);
    EXPECT_FAILS(GetQueuedCompletionStatus(port, &count, &key, &which, 0), WAIT_TIMEOUT);
    EXPECT_FAILS(CreateIoCompletionPort(file, port, KEY, 0) != NULL, ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(CloseHandle(port));
    EXPECT_OK(CloseHandle(event));
}

static VOID CALLBACK note(DWORD error, DWORD count, LPOVERLAPPED at)
{
    DWORD *result = at->hEvent; /* the program's own, where there is a routine */

    result[0] = error;
    result[1] = count;
    result[2]++;
}

TEST_IN_EACH_KIND(Win32OverlappedFiles, procedure)
{
    HANDLE file = new_file();
    char block[BLOCK];
    DWORD result[3] = {77, 77, 0};
    OVERLAPPED at = {.hEvent = result, .Offset = 5 * BLOCK};

    fill(file);
    ASSERT_OK(ReadFileEx(file, block, BLOCK, &at, note));
    EXPECT_EQ(SleepEx(MEANWHILE_MS, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(result[0], ERROR_SUCCESS);
    EXPECT_EQ(result[1], BLOCK);
    EXPECT_EQ(result[2], 1);
    EXPECT_EQ(block[9], 'f');
    memset(block, 'z', BLOCK);
    ASSERT_OK(WriteFileEx(file, block, BLOCK, &at, note));
    EXPECT_EQ(SleepEx(MEANWHILE_MS, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(result[1], BLOCK);
    EXPECT_EQ(result[2], 2);
    EXPECT_EQ(SleepEx(0, TRUE), 0);
    EXPECT_OK(CloseHandle(file));
}

TEST_IN_EACH_KIND(Win32OverlappedFiles, bad_arguments)
{
    HANDLE file = new_file();
    char block[BLOCK];
    DWORD count = 0;
    OVERLAPPED at = {.hEvent = file};

    EXPECT_FAILS(ReadFile(file, block, BLOCK, &count, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(WriteFile(file, block, BLOCK, &count, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CancelIoEx(file, NULL), ERROR_NOT_FOUND);
    EXPECT_FAILS(CancelIoEx(file, &at), ERROR_NOT_FOUND);
    EXPECT_OK(CancelIo(file));
    HANDLE event = new_manual_event();
    EXPECT_FAILS(CreateIoCompletionPort(event, NULL, 0, 0) != NULL, ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
    at.hEvent = event;
    EXPECT_FAILS(ReadFile(file, block, BLOCK, NULL, &at), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(file));
    EXPECT_FAILS(CancelIoEx(file, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CancelIo(file), ERROR_INVALID_HANDLE);
}

/* A success of the call itself need not come through the port. */
TEST_IN_EACH_KIND(Win32OverlappedFiles, skipped_on_success)
{
    HANDLE file = new_file();
    char block[BLOCK];
    OVERLAPPED at = {.Offset = 0};
    DWORD count = 0;
    ULONG_PTR key = 0;
    LPOVERLAPPED which = NULL;

    fill(file);
    HANDLE port = CreateIoCompletionPort(file, NULL, KEY, 0);
    ASSERT_NE(port, NULL);
    ASSERT_OK(SetFileCompletionNotificationModes(file, FILE_SKIP_COMPLETION_PORT_ON_SUCCESS |
                                                           FILE_SKIP_SET_EVENT_ON_HANDLE));
    if (ReadFile(file, block, BLOCK, &count, &at)) {
        EXPECT_EQ(count, BLOCK);
        EXPECT_FAILS(GetQueuedCompletionStatus(port, &count, &key, &which, 0), WAIT_TIMEOUT);
    } else {
        EXPECT_EQ(GetLastError(), ERROR_IO_PENDING);
        EXPECT_OK(GetQueuedCompletionStatus(port, &count, &key, &which, MEANWHILE_MS));
        EXPECT_EQ(which, &at);
    }
    EXPECT_EQ(block[0], 'a');
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(CloseHandle(port));
}
