/* SPDX-License-Identifier: MIT
 *
 * win32_named_pipe_overlapped.c - named pipes with an OVERLAPPED: by event, port and procedure,
 * cancelled, and ended by either side.
 *
 * Wine 8 has another error for a wait that closing ends.
 *
 * modes: ring
 * with: named_pipes.c
 * except: closed_while_it_waits_for_a_client
 */
#include <windows.h>

#include "events.h"
#include "gtest_c.h"
#include "kinds.h"
#include "named_pipes.h"
#include "overlapped_file.h"

#include <string.h>

enum { MESSAGES = PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE, KEY = 5 };

/* The end of an operation: its error, or 0; the bytes go to *count. */
static DWORD result_of(HANDLE end, OVERLAPPED *overlapped, DWORD *count)
{
    *count = 77;
    EXPECT_SIGNALLED(overlapped->hEvent);
    return GetOverlappedResult(end, overlapped, count, FALSE) ? 0 : GetLastError();
}

static void write_text(HANDLE end, const char *text)
{
    OVERLAPPED writing = {.hEvent = new_manual_event()};
    DWORD count = 0;

    expect_begun(WriteFile(end, text, (DWORD)strlen(text), NULL, &writing));
    EXPECT_EQ(result_of(end, &writing, &count), 0);
    EXPECT_EQ(count, strlen(text));
    EXPECT_OK(CloseHandle(writing.hEvent));
}

TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, a_client_comes)
{
    char name[PIPE_NAME_ROOM], text[8] = "";
    OVERLAPPED meeting = {.hEvent = new_manual_event()}, reading = {.hEvent = new_manual_event()};
    DWORD count = 77;
    HANDLE server, client;

    pipe_new_name(name);
    server = pipe_server(name, FILE_FLAG_OVERLAPPED, PIPE_TYPE_BYTE, 1);
    EXPECT_FAILS(ConnectNamedPipe(server, &meeting), ERROR_IO_PENDING);
    EXPECT_FAILS(GetOverlappedResult(server, &meeting, &count, FALSE), ERROR_IO_INCOMPLETE);
    client = pipe_client(name, FILE_FLAG_OVERLAPPED);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_EQ(result_of(server, &meeting, &count), 0);
    EXPECT_EQ(count, 0);
    EXPECT_FAILS(ConnectNamedPipe(server, &meeting), ERROR_PIPE_CONNECTED);
    EXPECT_FAILS(ReadFile(server, text, sizeof text, NULL, &reading), ERROR_IO_PENDING);
    write_text(client, "hello");
    EXPECT_EQ(result_of(server, &reading, &count), 0);
    EXPECT_EQ(count, 5);
    EXPECT_STREQ(text, "hello");
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(server));
    EXPECT_OK(CloseHandle(meeting.hEvent));
    EXPECT_OK(CloseHandle(reading.hEvent));
}

/* Reads get what is written in the order in which they were begun. */
TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, messages_in_order)
{
    enum { READS = 4 };
    static const char *const texts[READS] = {"one", "twenty", "", "four"};
    HANDLE ends[2];
    char text[READS][5] = {""};
    OVERLAPPED reading[READS];
    DWORD count = 0;

    ASSERT_OK(pipe_pair(ends, FILE_FLAG_OVERLAPPED, MESSAGES));
    for (int i = 0; i < READS; i++) {
        reading[i] = (OVERLAPPED){.hEvent = new_manual_event()};
        EXPECT_FAILS(ReadFile(ends[0], text[i], 4, NULL, &reading[i]), ERROR_IO_PENDING);
    }
    write_text(ends[1], texts[0]);
    write_text(ends[1], texts[1]);
    EXPECT_EQ(result_of(ends[0], &reading[0], &count), 0);
    EXPECT_STREQ(text[0], "one");
    EXPECT_EQ(result_of(ends[0], &reading[1], &count), ERROR_MORE_DATA);
    EXPECT_EQ(count, 4);
    EXPECT_STREQ(text[1], "twen");
    EXPECT_EQ(result_of(ends[0], &reading[2], &count), 0); /* the rest */
    EXPECT_EQ(count, 2);
    EXPECT_STREQ(text[2], "ty");
    write_text(ends[1], texts[2]);
    EXPECT_EQ(result_of(ends[0], &reading[3], &count), 0);
    EXPECT_EQ(count, 0);
    write_text(ends[1], texts[3]);
    expect_begun(ReadFile(ends[0], text[0], 4, NULL, &reading[0]));
    EXPECT_EQ(result_of(ends[0], &reading[0], &count), 0);
    EXPECT_EQ(memcmp(text[0], "four", 4), 0);
    for (int i = 0; i < READS; i++)
        EXPECT_OK(CloseHandle(reading[i].hEvent));
    pipe_close(ends);
}

/* The packet that a port gives out next. */
static void expect_packet(HANDLE port, const OVERLAPPED *overlapped, DWORD bytes, DWORD error)
{
    DWORD count = 77, failure;
    ULONG_PTR key = 0;
    OVERLAPPED *which = NULL;

    failure =
        GetQueuedCompletionStatus(port, &count, &key, &which, MEANWHILE_MS) ? 0 : GetLastError();
    EXPECT_EQ(failure, error);
    EXPECT_EQ(count, bytes);
    EXPECT_EQ(key, KEY);
    EXPECT_EQ((const void *)which, (const void *)overlapped);
}

TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, by_port)
{
    char name[PIPE_NAME_ROOM], text[8] = "";
    OVERLAPPED meeting = {0}, reading = {0}, writing = {0};
    HANDLE server, client, port;

    pipe_new_name(name);
    server = pipe_server(name, FILE_FLAG_OVERLAPPED, MESSAGES, 1);
    port = CreateIoCompletionPort(server, NULL, KEY, 0);
    ASSERT_NE(port, NULL);
    EXPECT_FAILS(ConnectNamedPipe(server, &meeting), ERROR_IO_PENDING);
    client = pipe_client(name, FILE_FLAG_OVERLAPPED);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    expect_packet(port, &meeting, 0, 0);
    EXPECT_FAILS(ReadFile(server, text, 4, NULL, &reading), ERROR_IO_PENDING);
    write_text(client, "hello");
    expect_packet(port, &reading, 4, ERROR_MORE_DATA);
    expect_begun(ReadFile(server, text, 4, NULL, &reading));
    expect_packet(port, &reading, 1, 0);
    expect_begun(WriteFile(server, "back", 4, NULL, &writing));
    expect_packet(port, &writing, 4, 0);
    EXPECT_FAILS(ReadFile(server, text, 4, NULL, &reading), ERROR_IO_PENDING);
    EXPECT_OK(CloseHandle(client));
    expect_packet(port, &reading, 0, ERROR_BROKEN_PIPE);
    EXPECT_OK(CloseHandle(server));
    EXPECT_OK(CloseHandle(port));
}

static VOID CALLBACK note(DWORD error, DWORD count, LPOVERLAPPED overlapped)
{
    DWORD *result = overlapped->hEvent;

    result[0] = error;
    result[1] = count;
}

TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, by_procedure)
{
    HANDLE ends[2];
    char text[8] = "";
    DWORD result[2] = {77, 77};
    OVERLAPPED reading = {.hEvent = result};

    ASSERT_OK(pipe_pair(ends, FILE_FLAG_OVERLAPPED, PIPE_TYPE_BYTE));
    ASSERT_OK(ReadFileEx(ends[0], text, sizeof text, &reading, note));
    EXPECT_EQ(SleepEx(0, TRUE), 0);
    write_text(ends[1], "apc");
    EXPECT_EQ(SleepEx(MEANWHILE_MS, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(result[0], 0);
    EXPECT_EQ(result[1], 3);
    EXPECT_STREQ(text, "apc");
    pipe_close(ends);
}

TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, cancelled)
{
    char name[PIPE_NAME_ROOM], text[8] = "";
    OVERLAPPED meeting = {.hEvent = new_manual_event()}, reading = {.hEvent = new_manual_event()};
    DWORD count = 77;
    HANDLE server, client;

    pipe_new_name(name);
    server = pipe_server(name, FILE_FLAG_OVERLAPPED, MESSAGES, 1);
    EXPECT_FAILS(ConnectNamedPipe(server, &meeting), ERROR_IO_PENDING);
    EXPECT_OK(CancelIo(server));
    EXPECT_EQ(result_of(server, &meeting, &count), ERROR_OPERATION_ABORTED);
    client = pipe_client(name, FILE_FLAG_OVERLAPPED); /* it listens still */
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_FAILS(ReadFile(client, text, sizeof text, NULL, &reading), ERROR_IO_PENDING);
    EXPECT_OK(CancelIoEx(client, &reading));
    EXPECT_EQ(result_of(client, &reading, &count), ERROR_OPERATION_ABORTED);
    write_text(server, "whole");
    expect_begun(ReadFile(client, text, sizeof text, NULL, &reading));
    EXPECT_EQ(result_of(client, &reading, &count), 0);
    EXPECT_EQ(count, 5);
    EXPECT_OK(CloseHandle(client));
    EXPECT_OK(CloseHandle(server));
    EXPECT_OK(CloseHandle(meeting.hEvent));
    EXPECT_OK(CloseHandle(reading.hEvent));
}

/* Each end of a pipe ends what is under way on it. */
TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, ended_by_closing)
{
    char text[2][8];
    HANDLE ends[2];
    OVERLAPPED reading[2] = {{.hEvent = new_manual_event()}, {.hEvent = new_manual_event()}};
    DWORD count = 77;

    ASSERT_OK(pipe_pair(ends, FILE_FLAG_OVERLAPPED, MESSAGES));
    EXPECT_FAILS(ReadFile(ends[0], text[0], 8, NULL, &reading[0]), ERROR_IO_PENDING);
    EXPECT_FAILS(ReadFile(ends[0], text[1], 8, NULL, &reading[1]), ERROR_IO_PENDING);
    EXPECT_OK(CloseHandle(ends[1]));
    EXPECT_EQ(result_of(ends[0], &reading[0], &count), ERROR_BROKEN_PIPE);
    EXPECT_EQ(result_of(ends[0], &reading[1], &count), ERROR_BROKEN_PIPE);
    EXPECT_OK(CloseHandle(ends[0]));
    EXPECT_OK(CloseHandle(reading[0].hEvent));
    EXPECT_OK(CloseHandle(reading[1].hEvent));
}

TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, closed_while_it_waits_for_a_client)
{
    char name[PIPE_NAME_ROOM];
    OVERLAPPED meeting = {0};
    HANDLE server, port;

    pipe_new_name(name);
    server = pipe_server(name, FILE_FLAG_OVERLAPPED, MESSAGES, 1);
    port = CreateIoCompletionPort(server, NULL, KEY, 0);
    EXPECT_FAILS(ConnectNamedPipe(server, &meeting), ERROR_IO_PENDING);
    EXPECT_OK(CloseHandle(server));
    expect_packet(port, &meeting, 0, ERROR_OPERATION_ABORTED);
    EXPECT_OK(CloseHandle(port));
    EXPECT_FAILS(pipe_client(name, 0) != INVALID_HANDLE_VALUE, ERROR_FILE_NOT_FOUND);
}

TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, ended_by_disconnecting)
{
    char name[PIPE_NAME_ROOM], text[2][8] = {"", ""};
    HANDLE server, clients[2];
    OVERLAPPED reading[2] = {{.hEvent = new_manual_event()}, {.hEvent = new_manual_event()}};
    OVERLAPPED meeting = {.hEvent = new_manual_event()};
    DWORD count = 77;

    pipe_new_name(name);
    server = pipe_server(name, FILE_FLAG_OVERLAPPED, MESSAGES, 1);
    clients[0] = pipe_client(name, FILE_FLAG_OVERLAPPED);
    ASSERT_NE(clients[0], INVALID_HANDLE_VALUE);
    EXPECT_FAILS(ReadFile(server, text[0], 8, NULL, &reading[0]), ERROR_IO_PENDING);
    EXPECT_FAILS(ReadFile(clients[0], text[1], 8, NULL, &reading[1]), ERROR_IO_PENDING);
    EXPECT_OK(DisconnectNamedPipe(server));
    EXPECT_EQ(result_of(server, &reading[0], &count), ERROR_PIPE_NOT_CONNECTED);
    EXPECT_EQ(result_of(clients[0], &reading[1], &count), ERROR_PIPE_NOT_CONNECTED);
    EXPECT_FAILS(ConnectNamedPipe(server, &meeting), ERROR_IO_PENDING);
    clients[1] = pipe_client(name, FILE_FLAG_OVERLAPPED); /* the other one is nothing to it */
    ASSERT_NE(clients[1], INVALID_HANDLE_VALUE);
    EXPECT_EQ(result_of(server, &meeting, &count), 0);
    EXPECT_FAILS(ReadFile(server, text[0], 8, NULL, &reading[0]), ERROR_IO_PENDING);
    write_text(clients[1], "new");
    EXPECT_EQ(result_of(server, &reading[0], &count), 0);
    EXPECT_STREQ(text[0], "new");
    pipe_close(clients);
    EXPECT_OK(CloseHandle(server));
    EXPECT_OK(CloseHandle(meeting.hEvent));
    EXPECT_OK(CloseHandle(reading[0].hEvent));
    EXPECT_OK(CloseHandle(reading[1].hEvent));
}

TEST_IN_EACH_KIND(Win32NamedPipeOverlapped, a_question)
{
    HANDLE ends[2];
    char question[8] = "", answer[8] = "";
    OVERLAPPED asking = {.hEvent = new_manual_event()}, reading = {.hEvent = new_manual_event()};
    DWORD count = 77;

    ASSERT_OK(pipe_pair(ends, FILE_FLAG_OVERLAPPED, MESSAGES));
    pipe_read_messages(ends[1]);
    EXPECT_FAILS(TransactNamedPipe(ends[1], (void *)"why", 3, answer, sizeof answer, NULL, &asking),
                 ERROR_IO_PENDING);
    expect_begun(ReadFile(ends[0], question, sizeof question, NULL, &reading));
    EXPECT_EQ(result_of(ends[0], &reading, &count), 0);
    EXPECT_STREQ(question, "why");
    write_text(ends[0], "hence");
    EXPECT_EQ(result_of(ends[1], &asking, &count), 0);
    EXPECT_EQ(count, 5);
    EXPECT_STREQ(answer, "hence");
    EXPECT_OK(CloseHandle(asking.hEvent));
    EXPECT_OK(CloseHandle(reading.hEvent));
    pipe_close(ends);
}
