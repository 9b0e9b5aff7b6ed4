/* SPDX-License-Identifier: MIT
 *
 * win32_named_pipe_messages.c - messages of named pipes: read whole, in parts and as bytes, long
 * ones, and looked at before they are read.
 *
 * modes: ring
 * with: named_pipes.c
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "named_pipes.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE };

TEST_IN_EACH_KIND(Win32NamedPipeMessages, messages)
{
    HANDLE ends[2];
    char buffer[8] = "";
    DWORD count = 77;

    ASSERT_OK(pipe_pair(ends, 0, MESSAGES));
    pipe_write(ends[1], "one");
    pipe_write(ends[1], "");
    pipe_write(ends[1], "twenty");
    pipe_write(ends[1], "three");
    pipe_read(ends[0], "one");
    pipe_read(ends[0], "");
    EXPECT_FAILS(ReadFile(ends[0], buffer, 4, &count, NULL), ERROR_MORE_DATA);
    EXPECT_EQ(count, 4);
    EXPECT_STREQ(buffer, "twen");
    pipe_read(ends[0], "ty");
    EXPECT_FAILS(ReadFile(ends[0], buffer, 4, &count, NULL), ERROR_MORE_DATA);
    EXPECT_OK(ReadFile(ends[0], buffer, 1, &count, NULL)); /* exactly the rest */
    EXPECT_EQ(count, 1);
    EXPECT_EQ(*buffer, 'e');
    pipe_close(ends);
}

/* A client reads bytes unless it says otherwise. */
TEST_IN_EACH_KIND(Win32NamedPipeMessages, messages_read_as_bytes)
{
    HANDLE ends[2];
    char buffer[8] = "";
    DWORD count = 77;

    ASSERT_OK(pipe_pair(ends, 0, MESSAGES));
    pipe_write(ends[0], "twenty");
    EXPECT_OK(ReadFile(ends[1], buffer, 4, &count, NULL));
    EXPECT_EQ(count, 4);
    pipe_read(ends[1], "ty");
    pipe_write(ends[0], "three");
    pipe_read_messages(ends[1]);
    EXPECT_FAILS(ReadFile(ends[1], buffer, 4, &count, NULL), ERROR_MORE_DATA);
    pipe_read(ends[1], "e");
    pipe_close(ends);
}

enum { LENGTHY = 300000 };

struct lengthy {
    HANDLE end;
    char *text;
};

static DWORD WINAPI write_lengthy(LPVOID arg)
{
    struct lengthy *lengthy = arg;
    DWORD count = 0;

    EXPECT_OK(WriteFile(lengthy->end, lengthy->text, LENGTHY, &count, NULL));
    return count;
}

/* Longer than anything that a socket takes at once. */
TEST_IN_EACH_KIND(Win32NamedPipeMessages, a_long_message)
{
    HANDLE ends[2], thread;
    struct lengthy lengthy = {.text = malloc(LENGTHY)};
    char *got = malloc(LENGTHY);
    DWORD count = 0, total = 0;

    ASSERT_OK(pipe_pair(ends, 0, MESSAGES));
    for (int i = 0; i < LENGTHY; i++)
        lengthy.text[i] = (char)(i * 31 >> 3);
    lengthy.end = ends[1];
    thread = CreateThread(NULL, 0, write_lengthy, &lengthy, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_FAILS(ReadFile(ends[0], got, 100001, &count, NULL), ERROR_MORE_DATA);
    EXPECT_EQ(count, 100001);
    EXPECT_OK(ReadFile(ends[0], got + count, LENGTHY - count, &total, NULL));
    EXPECT_EQ(count + total, LENGTHY);
    EXPECT_EQ(memcmp(got, lengthy.text, LENGTHY), 0);
    EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &count));
    EXPECT_EQ(count, LENGTHY);
    EXPECT_OK(CloseHandle(thread));
    pipe_close(ends);
    free(lengthy.text);
    free(got);
}

TEST_IN_EACH_KIND(Win32NamedPipeMessages, peek)
{
    HANDLE ends[2];
    char buffer[8] = "";
    DWORD got = 77, there = 77, left = 77;

    ASSERT_OK(pipe_pair(ends, 0, MESSAGES));
    EXPECT_OK(PeekNamedPipe(ends[0], buffer, 4, &got, &there, &left));
    EXPECT_EQ(got, 0);
    EXPECT_EQ(there, 0);
    EXPECT_EQ(left, 0);
    pipe_write(ends[1], "twenty");
    pipe_write(ends[1], "one");
    EXPECT_OK(PeekNamedPipe(ends[0], buffer, 4, &got, &there, &left));
    EXPECT_EQ(got, 4);
    EXPECT_STREQ(buffer, "twen");
    EXPECT_EQ(there, 9);
    EXPECT_EQ(left, 2);
    EXPECT_FAILS(ReadFile(ends[0], buffer, 5, &got, NULL), ERROR_MORE_DATA);
    EXPECT_OK(PeekNamedPipe(ends[0], NULL, 0, NULL, &there, &left));
    EXPECT_EQ(there, 4);
    EXPECT_EQ(left, 1);
    pipe_read(ends[0], "y");
    pipe_read(ends[0], "one");
    EXPECT_OK(CloseHandle(ends[1]));
    EXPECT_FAILS(PeekNamedPipe(ends[0], NULL, 0, NULL, &there, &left), ERROR_BROKEN_PIPE);
    EXPECT_OK(CloseHandle(ends[0]));
}

TEST_IN_EACH_KIND(Win32NamedPipeMessages, peek_into_bytes)
{
    HANDLE ends[2];
    char buffer[8] = "";
    DWORD got = 77, there = 77;

    ASSERT_OK(pipe_pair(ends, 0, PIPE_TYPE_BYTE));
    pipe_write(ends[1], "twenty");
    EXPECT_OK(PeekNamedPipe(ends[0], buffer, 4, &got, &there, NULL));
    EXPECT_EQ(got, 4);
    EXPECT_EQ(there, 6);
    pipe_read(ends[0], "twenty");
    pipe_close(ends);
    ASSERT_OK(CreatePipe(&ends[0], &ends[1], NULL, 0)); /* peeking works here as well */
    EXPECT_OK(PeekNamedPipe(ends[0], buffer, 4, &got, &there, NULL));
    EXPECT_EQ(there, 0);
    pipe_write(ends[1], "eleven");
    EXPECT_OK(PeekNamedPipe(ends[0], buffer, 4, &got, &there, NULL));
    EXPECT_EQ(got, 4);
    EXPECT_EQ(there, 6);
    EXPECT_STREQ(buffer, "elev");
    pipe_read(ends[0], "eleven");
    EXPECT_OK(CloseHandle(ends[1]));
    EXPECT_FAILS(PeekNamedPipe(ends[0], NULL, 0, NULL, &there, NULL), ERROR_BROKEN_PIPE);
    EXPECT_OK(CloseHandle(ends[0]));
}
