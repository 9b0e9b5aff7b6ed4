/* SPDX-License-Identifier: MIT
 *
 * win32_pipes.c - pipes and the standard handles: bytes come out as they went in, and a missing
 * other end is an error of its own.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

TEST_IN_EACH_KIND(Win32Pipes, through)
{
    HANDLE in = NULL;
    HANDLE out = NULL;
    char buffer[16] = "";
    DWORD count = 0;

    ASSERT_OK(CreatePipe(&in, &out, NULL, 0));
    EXPECT_EQ(GetFileType(in), FILE_TYPE_PIPE);
    EXPECT_OK(WriteFile(out, "hello", 5, &count, NULL));
    EXPECT_EQ(count, 5);
    EXPECT_OK(ReadFile(in, buffer, 3, &count, NULL));
    EXPECT_EQ(count, 3);
    EXPECT_OK(ReadFile(in, buffer + 3, 10, &count, NULL)); /* what there is */
    EXPECT_EQ(count, 2);
    EXPECT_STREQ(buffer, "hello");
    EXPECT_FAILS(ReadFile(out, buffer, 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(WriteFile(in, buffer, 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(in));
    EXPECT_OK(CloseHandle(out));
}

TEST_IN_EACH_KIND(Win32Pipes, nobody_writes_any_more)
{
    HANDLE in = NULL;
    HANDLE out = NULL;
    char buffer[16];
    DWORD count = 77;

    ASSERT_OK(CreatePipe(&in, &out, NULL, 0));
    EXPECT_OK(WriteFile(out, "x", 1, &count, NULL));
    EXPECT_OK(CloseHandle(out));
    EXPECT_OK(ReadFile(in, buffer, sizeof buffer, &count, NULL));
    EXPECT_EQ(count, 1);
    EXPECT_FAILS(ReadFile(in, buffer, sizeof buffer, &count, NULL), ERROR_BROKEN_PIPE);
    EXPECT_EQ(count, 0);
    EXPECT_OK(CloseHandle(in));
}

TEST_IN_EACH_KIND(Win32Pipes, nobody_reads_any_more)
{
    HANDLE in = NULL;
    HANDLE out = NULL;
    DWORD count = 77;

    ASSERT_OK(CreatePipe(&in, &out, NULL, 0));
    EXPECT_OK(CloseHandle(in));
    EXPECT_FAILS(WriteFile(out, "x", 1, &count, NULL), ERROR_NO_DATA);
    EXPECT_EQ(count, 0);
    EXPECT_OK(CloseHandle(out));
}

enum { LOTS = 1 << 20 };

static char lots_out[LOTS];
static char lots_in[LOTS];

static DWORD WINAPI read_lots(LPVOID pipe)
{
    DWORD total = 0;
    DWORD count = 0;

    while (total < LOTS && ReadFile(pipe, lots_in + total, LOTS - total, &count, NULL))
        total += count;
    return total;
}

/* More than a pipe holds: the write waits for the reader, and is over when all is written. */
TEST_IN_EACH_KIND(Win32Pipes, a_long_write)
{
    HANDLE in = NULL;
    HANDLE out = NULL;
    HANDLE thread;
    DWORD count = 0;
    DWORD total = 0;

    for (int i = 0; i < LOTS; i++)
        lots_out[i] = (char)(i * 31 >> 3);
    memset(lots_in, 0, sizeof lots_in);
    ASSERT_OK(CreatePipe(&in, &out, NULL, 4096));
    thread = CreateThread(NULL, 0, read_lots, in, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_OK(WriteFile(out, lots_out, LOTS, &count, NULL));
    EXPECT_EQ(count, LOTS);
    EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &total));
    EXPECT_EQ(total, LOTS);
    EXPECT_EQ(memcmp(lots_in, lots_out, LOTS), 0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(in));
    EXPECT_OK(CloseHandle(out));
}

static DWORD WINAPI write_later(LPVOID pipe)
{
    DWORD count = 0;

    Sleep(20);
    EXPECT_OK(WriteFile(pipe, "late", 4, &count, NULL));
    return count;
}

TEST_IN_EACH_KIND(Win32Pipes, a_read_waits)
{
    HANDLE in = NULL;
    HANDLE out = NULL;
    HANDLE thread;
    char buffer[8] = "";
    DWORD count = 0;

    ASSERT_OK(CreatePipe(&in, &out, NULL, 0));
    thread = CreateThread(NULL, 0, write_later, out, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_OK(ReadFile(in, buffer, sizeof buffer, &count, NULL));
    EXPECT_EQ(count, 4);
    EXPECT_STREQ(buffer, "late");
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(in));
    EXPECT_OK(CloseHandle(out));
}

TEST_IN_EACH_KIND(Win32Pipes, standard_handles)
{
    HANDLE output = GetStdHandle(STD_OUTPUT_HANDLE);
    HANDLE error = GetStdHandle(STD_ERROR_HANDLE);
    HANDLE in = NULL;
    HANDLE out = NULL;
    char buffer[8] = "";
    DWORD count = 0;

    ASSERT_OK(CreatePipe(&in, &out, NULL, 0));
    EXPECT_NE(output, error);
    EXPECT_EQ(GetStdHandle(STD_OUTPUT_HANDLE), output);
    EXPECT_OK(SetStdHandle(STD_OUTPUT_HANDLE, out));
    EXPECT_EQ(GetStdHandle(STD_OUTPUT_HANDLE), out);
    EXPECT_OK(WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "std", 3, &count, NULL));
    EXPECT_OK(ReadFile(in, buffer, sizeof buffer, &count, NULL));
    EXPECT_STREQ(buffer, "std");
    EXPECT_OK(SetStdHandle(STD_OUTPUT_HANDLE, output));
    EXPECT_OK(WriteFile(error, "(a line on stderr)\n", 19, &count, NULL));
    EXPECT_EQ(count, 19);
    SetLastError(SENTINEL);
    EXPECT_EQ(GetStdHandle(1234), INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetStdHandle(1234, out), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(in));
    EXPECT_OK(CloseHandle(out));
}

TEST_IN_EACH_KIND(Win32Pipes, what_is_no_console)
{
    static const WCHAR text[] = {'x', 0};
    HANDLE in = NULL;
    HANDLE out = NULL;
    DWORD mode = 0;

    ASSERT_OK(CreatePipe(&in, &out, NULL, 0));
    EXPECT_FAILS(GetConsoleMode(in, &mode), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetConsoleMode(out, 0), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(WriteConsoleA(out, "x", 1, &mode, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(WriteConsoleW(out, text, 1, &mode, NULL), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(in));
    EXPECT_OK(CloseHandle(out));
}
