/* SPDX-License-Identifier: MIT
 *
 * win32_named_pipe_waits.c - calls on named pipes that wait: a worker leaves its scheduler
 * meanwhile. Questions and answers, and a client in another process.
 *
 * modes: ring
 * with: named_pipes.c
 */
#include <windows.h>

#include "again.h"
#include "events.h"
#include "gtest_c.h"
#include "kinds.h"
#include "named_pipes.h"

#include <string.h>

enum { MESSAGES = PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE, LIMIT_MS = 10000 };

/* A server's end, and what is done with it by and by. */
struct meeting {
    char name[PIPE_NAME_ROOM];
    HANDLE ends[2];
    DWORD count;
    char buffer[16];
    OVERLAPPED overlapped;
};

/* A worker counts as blocked before Windows has its call: the client may be there first. */
static void connect(void *arg)
{
    struct meeting *meeting = arg;

    if (!ConnectNamedPipe(meeting->ends[0], NULL))
        EXPECT_EQ(GetLastError(), ERROR_PIPE_CONNECTED);
    EXPECT_OK(
        ReadFile(meeting->ends[0], meeting->buffer, sizeof meeting->buffer, &meeting->count, NULL));
}

static void come(void *arg)
{
    struct meeting *meeting = arg;
    DWORD count = 0;

    meeting->ends[1] = pipe_client(meeting->name, 0);
    EXPECT_NE(meeting->ends[1], INVALID_HANDLE_VALUE);
    EXPECT_OK(WriteFile(meeting->ends[1], "here", 4, &count, NULL));
}

static void each_kind_once(void (*prepare)(struct meeting *), void (*block)(void *),
                           void (*release)(void *))
{
    for (enum kind kind = KIND_PLAIN; kind < KINDS; kind++) {
        struct meeting meeting = {.ends = {NULL, NULL}};

        pipe_new_name(meeting.name);
        meeting.ends[0] = pipe_server(meeting.name, 0, MESSAGES, 1);
        if (prepare)
            prepare(&meeting);
        on_kind(kind, block, release, &meeting);
        if (meeting.ends[1])
            EXPECT_OK(CloseHandle(meeting.ends[1]));
        if (meeting.ends[0])
            EXPECT_OK(CloseHandle(meeting.ends[0]));
    }
}

TEST(Win32NamedPipeWaits, for_a_client)
{
    each_kind_once(NULL, connect, come);
}

static void open_client(struct meeting *meeting)
{
    meeting->ends[1] = pipe_client(meeting->name, 0);
    EXPECT_NE(meeting->ends[1], INVALID_HANDLE_VALUE);
}

static void read_message(void *arg)
{
    struct meeting *meeting = arg;

    EXPECT_OK(
        ReadFile(meeting->ends[0], meeting->buffer, sizeof meeting->buffer, &meeting->count, NULL));
    EXPECT_EQ(meeting->count, 5);
    EXPECT_EQ(memcmp(meeting->buffer, "hello", 5), 0);
}

static void write_message(void *arg)
{
    struct meeting *meeting = arg;

    EXPECT_OK(WriteFile(meeting->ends[1], "hello", 5, &meeting->count, NULL));
}

TEST(Win32NamedPipeWaits, for_a_message)
{
    each_kind_once(open_client, read_message, write_message);
}

static void wait_for_instance(void *arg)
{
    struct meeting *meeting = arg;

    EXPECT_OK(WaitNamedPipeA(meeting->name, LIMIT_MS));
}

/* The client closes its end, and the server listens for another one. This function waits for
 * nothing. On Windows the operation ends with this thread. */
static void free_instance(void *arg)
{
    struct meeting *meeting = arg;

    EXPECT_OK(CloseHandle(meeting->ends[1]));
    EXPECT_OK(DisconnectNamedPipe(meeting->ends[0]));
    EXPECT_FAILS(ConnectNamedPipe(meeting->ends[0], &meeting->overlapped), ERROR_IO_PENDING);
}

TEST(Win32NamedPipeWaits, for_an_instance)
{
    for (enum kind kind = KIND_PLAIN; kind < KINDS; kind++) {
        struct meeting meeting = {.ends = {NULL, NULL}};

        pipe_new_name(meeting.name);
        meeting.ends[0] = pipe_server(meeting.name, FILE_FLAG_OVERLAPPED, MESSAGES, 1);
        meeting.overlapped.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
        open_client(&meeting);
        on_kind(kind, wait_for_instance, free_instance, &meeting);
        EXPECT_OK(CloseHandle(meeting.ends[0]));
        EXPECT_SIGNALLED(meeting.overlapped.hEvent);
        EXPECT_OK(CloseHandle(meeting.overlapped.hEvent));
    }
}

/* ---- Questions and answers ------------------------------------------------------------------- */

static DWORD WINAPI answer(LPVOID pipe)
{
    char question[16];
    DWORD count = 0;

    while (ConnectNamedPipe(pipe, NULL) || GetLastError() == ERROR_PIPE_CONNECTED) {
        while (ReadFile(pipe, question, sizeof question, &count, NULL))
            if (!WriteFile(pipe, "an answer", 9, &count, NULL))
                return 1;
        if (GetLastError() != ERROR_BROKEN_PIPE || question[0] == 'q')
            break;
        if (!DisconnectNamedPipe(pipe))
            return 2;
    }
    return question[0] == 'q' ? 0 : GetLastError();
}

TEST_IN_EACH_KIND(Win32NamedPipeWaits, transact_and_call)
{
    char name[PIPE_NAME_ROOM], text[16] = "";
    HANDLE server, client, thread;
    DWORD count = 0, code = 77;

    pipe_new_name(name);
    server = pipe_server(name, 0, MESSAGES, 1);
    thread = CreateThread(NULL, 0, answer, server, 0, NULL);
    ASSERT_OK(thread != NULL);
    client = pipe_client(name, 0);
    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_FAILS(TransactNamedPipe(client, "what", 4, text, sizeof text, &count, NULL),
                 ERROR_BAD_PIPE);
    pipe_read_messages(client);
    EXPECT_OK(TransactNamedPipe(client, (void *)"what", 4, text, sizeof text, &count, NULL));
    EXPECT_EQ(count, 9);
    EXPECT_STREQ(text, "an answer");
    EXPECT_FAILS(TransactNamedPipe(client, (void *)"what", 4, text, 4, &count, NULL),
                 ERROR_MORE_DATA);
    EXPECT_EQ(count, 4);
    EXPECT_OK(CloseHandle(client));
    memset(text, 0, sizeof text);
    EXPECT_OK(CallNamedPipeA(name, (void *)"what", 4, text, sizeof text, &count, LIMIT_MS));
    EXPECT_EQ(count, 9);
    EXPECT_STREQ(text, "an answer");
    EXPECT_OK(CallNamedPipeA(name, (void *)"quit", 4, text, sizeof text, &count, LIMIT_MS));
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(server));
}

/* ---- Another process ------------------------------------------------------------------------- */

/* The other process: it says where it is, and goes without closing anything. */
static void be_the_client(const char *name)
{
    DWORD count = 0, process = GetCurrentProcessId();
    ULONG server = 0;
    char text[16] = "";
    HANDLE client = pipe_client(name, 0);

    ASSERT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_OK(GetNamedPipeServerProcessId(client, &server));
    EXPECT_NE(server, process);
    EXPECT_OK(WriteFile(client, &process, sizeof process, &count, NULL));
    EXPECT_OK(ReadFile(client, text, sizeof text, &count, NULL));
    EXPECT_EQ(count, 6);
    EXPECT_STREQ(text, "enough");
    EXPECT_FAILS(CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX, MESSAGES, 1, 0, 0, 0, NULL) !=
                     INVALID_HANDLE_VALUE,
                 ERROR_PIPE_BUSY);
    EXPECT_FAILS(pipe_client(name, 0) != INVALID_HANDLE_VALUE, ERROR_PIPE_BUSY);
    TerminateProcess(GetCurrentProcess(), tc_failures() ? 1 : 42);
}

static DWORD WINAPI serve(LPVOID pipe)
{
    DWORD count = 0, process = 0, more;
    ULONG client = 0;

    if (!ConnectNamedPipe(pipe, NULL) && GetLastError() != ERROR_PIPE_CONNECTED)
        return GetLastError();
    EXPECT_OK(ReadFile(pipe, &process, sizeof process, &count, NULL));
    EXPECT_OK(GetNamedPipeClientProcessId(pipe, &client));
    EXPECT_EQ(client, process);
    EXPECT_NE(process, GetCurrentProcessId());
    EXPECT_OK(WriteFile(pipe, "enough", 6, &count, NULL));
    EXPECT_FAILS(ReadFile(pipe, &more, sizeof more, &count, NULL), ERROR_BROKEN_PIPE);
    return 0;
}

TEST(Win32NamedPipeWaits, a_client_in_another_process)
{
    const char *part = again_part();
    char name[PIPE_NAME_ROOM];
    HANDLE server, thread;
    DWORD code = 77;

    if (part) {
        be_the_client(part);
        return;
    }
    pipe_new_name(name);
    server = pipe_server(name, 0, MESSAGES, 1);
    thread = CreateThread(NULL, 0, serve, server, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(again_run("Win32NamedPipeWaits.a_client_in_another_process", name), 42);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(server));
}

/* The other process is the server. It ends itself while its instance of the pipe is connected. */
static void be_the_server(const char *part)
{
    char name[PIPE_NAME_ROOM];
    HANDLE server;
    DWORD count = 0;

    strcpy(name, part);
    strcat(name, "-back");
    server = pipe_server(name, 0, MESSAGES, 1);
    EXPECT_OK(CallNamedPipeA(part, (void *)"up", 2, name, sizeof name, &count, LIMIT_MS));
    if (!ConnectNamedPipe(server, NULL))
        EXPECT_EQ(GetLastError(), ERROR_PIPE_CONNECTED);
    EXPECT_OK(ReadFile(server, name, sizeof name, &count, NULL));
    TerminateProcess(GetCurrentProcess(), tc_failures() ? 1 : 42);
}

static DWORD WINAPI be_left_behind(LPVOID arg)
{
    struct meeting *meeting = arg;
    char name[PIPE_NAME_ROOM], byte;
    DWORD count = 0;
    HANDLE client;

    if (!ConnectNamedPipe(meeting->ends[0], NULL) && GetLastError() != ERROR_PIPE_CONNECTED)
        return GetLastError();
    EXPECT_OK(ReadFile(meeting->ends[0], name, sizeof name, &count, NULL));
    EXPECT_OK(WriteFile(meeting->ends[0], "go", 2, &count, NULL));
    strcpy(name, meeting->name);
    strcat(name, "-back");
    client = pipe_client(name, 0);
    EXPECT_NE(client, INVALID_HANDLE_VALUE);
    EXPECT_OK(WriteFile(client, "end", 3, &count, NULL));
    EXPECT_FAILS(ReadFile(client, &byte, 1, &count, NULL), ERROR_BROKEN_PIPE);
    EXPECT_FAILS(WriteFile(client, &byte, 1, &count, NULL), ERROR_NO_DATA);
    EXPECT_OK(CloseHandle(client));
    return 0;
}

TEST(Win32NamedPipeWaits, a_server_that_dies)
{
    const char *part = again_part();
    struct meeting meeting;
    HANDLE thread, server;
    DWORD code = 77;

    if (part) {
        be_the_server(part);
        return;
    }
    pipe_new_name(meeting.name);
    meeting.ends[0] = pipe_server(meeting.name, 0, MESSAGES, 1);
    thread = CreateThread(NULL, 0, be_left_behind, &meeting, 0, NULL);
    ASSERT_OK(thread != NULL);
    EXPECT_EQ(again_run("Win32NamedPipeWaits.a_server_that_dies", meeting.name), 42);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(meeting.ends[0]));
    strcat(meeting.name, "-back"); /* nothing of it is in the way of a new one */
    EXPECT_FAILS(pipe_client(meeting.name, 0) != INVALID_HANDLE_VALUE, ERROR_FILE_NOT_FOUND);
    server = pipe_server(meeting.name, 0, MESSAGES, 1);
    EXPECT_OK(CloseHandle(server));
}
